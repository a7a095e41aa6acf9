import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { recordings, recordingsAbsent } from '../../../kit/recordings.ts'
import { leftOut, pluginNames, pluginOf } from './selection.ts'

t.test('every plugin is replayed by exactly one test', t => {
  const tests = readdirSync(import.meta.dirname).filter(name => name.endsWith('.test.ts') && name !== 'coverage.test.ts')
  const replayed = tests.flatMap(name => {
    const calls = readFileSync(join(import.meta.dirname, name), 'utf8').matchAll(/^replay\('([^']+)'/gm)
    return Array.from(calls, ([, plugin]) => plugin!)
  })
  t.strictSame(replayed.sort(), pluginNames.toSorted())
  t.end()
})

t.test('every recording is replayed through exactly one plugin, or left out by name', { skip: recordingsAbsent }, t => {
  const all = recordings()
  const paths = new Set(all.map(({ path }) => path))
  t.equal(paths.size, all.length, 'every recording has a name of its own')
  t.strictSame(
    all.filter(each => pluginOf(each) === undefined).map(({ path }) => path),
    [],
    'no recording is of a wire that nobody replays',
  )
  t.strictSame(
    Object.keys(leftOut).filter(path => !paths.has(path)),
    [],
    'what is left out is there',
  )
  for (const plugin of pluginNames) {
    const own = all.filter(each => pluginOf(each) === plugin)
    const left = own.filter(({ path }) => leftOut[path] !== undefined)
    t.ok(own.length > left.length, `${plugin}: ${own.length - left.length} replayed, ${left.length} left out`)
  }
  for (const [path, reason] of Object.entries(leftOut)) t.comment(`${path}: ${reason}`)
  t.end()
})
