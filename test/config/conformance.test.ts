import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Workplace } from '../kit/turnpike-process.ts'

/** A sort by this value of an endpoint. */
function moduleWith(value: string): string {
  return `import { definePlugin, SortStrategies } from 'turnpike'
import { defineConformance } from 'turnpike/testing'

const demo = definePlugin({
  name: 'demo-sort',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(SortStrategies, { name: 'demo', description: 'The first one first.', first: 'lowest', values: endpoints => endpoints.map(() => ${value}) })
  },
})
export default defineConformance({ plugin: demo({}) })
`
}

t.test('turnpike conformance writes a report that --verify reproduces', async t => {
  const workplace = new Workplace()
  t.teardown(() => workplace.remove())
  const at = (file: string): string => join(workplace.path, file)
  writeFileSync(at('package.json'), '{"name":"turnpike-plugin-demo","version":"1.2.3","type":"module"}')
  writeFileSync(at('conformance.ts'), moduleWith('1'))

  const made = await workplace.run('conformance', '--report', 'conformance.json', '--badge', 'badge.json')
  t.equal(made.exitCode, 0, made.stderr)
  t.match(made.stdout, /^passed {2}SortStrategies, sortSuite: /m)
  t.match(made.stdout, /^demo-sort with turnpike \S+: \d+ passed, 0 failed, in 2 of 2 suites$/m)
  t.match(JSON.parse(readFileSync(at('conformance.json'), 'utf8')), {
    format: 1,
    plugin: 'demo-sort',
    package: 'turnpike-plugin-demo',
    version: '1.2.3',
    commit: null,
    module: 'conformance.ts',
    failed: 0,
  })
  t.match(JSON.parse(readFileSync(at('badge.json'), 'utf8')), { schemaVersion: 1, message: /^\d+ passed$/, color: 'brightgreen' })

  const same = await workplace.run('conformance', '--verify', 'conformance.json')
  t.equal(same.exitCode, 0, same.stdout + same.stderr)
  t.match(same.stdout, /^conformance\.json is reproduced: every result is the same\.$/m)

  writeFileSync(at('conformance.ts'), moduleWith('NaN'))
  writeFileSync(at('package.json'), '{"name":"turnpike-plugin-demo","version":"1.2.4","type":"module"}')
  const other = await workplace.run('conformance', '--verify', 'conformance.json')
  t.equal(other.exitCode, 1)
  t.match(other.stdout, /^FAILED {2}SortStrategies, sortSuite: /m)
  t.match(other.stdout, /^ {2}version: the file has 1\.2\.3, and this is 1\.2\.4$/m)
  t.match(other.stdout, /^ {2}SortStrategies \(sortSuite\): .*: passed in the file, and failed now$/m)
})

t.test('turnpike conformance says what it expects', async t => {
  const workplace = new Workplace()
  t.teardown(() => workplace.remove())
  const { exitCode, stderr } = await workplace.run('conformance')
  t.equal(exitCode, 1)
  t.match(
    stderr,
    /^turnpike: There is no conformance\.ts, \.mts, \.js or \.mjs in .*\. Name the module of your plugin: turnpike conformance plugin\.ts\n$/,
  )
})
