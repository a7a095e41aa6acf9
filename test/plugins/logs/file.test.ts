import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { LogSinks, type LogSink } from '../../../core/index.ts'
import fileLog from '../../../plugins/logs/file/index.ts'
import { RotatedFile } from '../../../plugins/logs/file/rotated-file.ts'
import { setUp } from '../../kit/set-up.ts'
import { record } from '../../../core/testing/stores/example-record.ts'

const day = Date.UTC(2026, 0, 1, 12)

t.test('one line per record, without content, for this user alone', async t => {
  const file = join(t.testdir({}), 'logs', 'requests.jsonl')
  const { container, host } = await setUp([fileLog({ file })])
  const sink = container.get(LogSinks).get(`file:${file}`) as LogSink
  t.equal(sink.accepts, 'metadata')
  await sink.write([record(1), record(2, { requestedModel: 'line\nbreak\u2028' })])
  await sink.write([record(3, { request: { input: 'canary' }, kept: { demo: { a: 'canary' } } })])
  await host.stop()
  const text = readFileSync(file, 'utf8')
  t.notMatch(text, 'canary')
  const lines = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  t.same(
    lines.map(({ id }) => id),
    ['req_000001', 'req_000002', 'req_000003'],
  )
  const { request: _, response: __, ...facts } = record(2, { requestedModel: 'line\nbreak\u2028' })
  t.strictSame(lines[1], facts)
  t.equal(statSync(file).mode & 0o777, 0o600)
})

t.test('a full file is renamed, and the oldest are deleted', async t => {
  const folder = t.testdir({})
  const file = new RotatedFile({ path: join(folder, 'log.jsonl'), maxBytes: 100, daily: true, keepFiles: 11 })
  const line = `${'x'.repeat(39)}\n`
  for (let index = 0; index < 40; index++) await file.append([line, line], day)
  await file.append([`${'y'.repeat(500)}\n`, line], day)
  await file.close()
  const names = readdirSync(folder)
  t.equal(names.length, 12)
  t.ok(
    names.every(name => name === 'log.jsonl' || /^log\.2026-01-01T12-00-00\.0\d\dZ\.jsonl$/.test(name)),
    names.join(),
  )
  t.ok(names.includes('log.2026-01-01T12-00-00.040Z.jsonl'), 'the newest stay')
  t.equal(readFileSync(join(folder, 'log.jsonl'), 'utf8'), line)
  for (const name of names) t.match(readFileSync(join(folder, name), 'utf8'), /^((x{39}|y{500})\n)+$/, 'no line is cut')
})

t.test('a new day begins a new file, after a restart too', async t => {
  const folder = t.testdir({})
  const path = join(folder, 'log.jsonl')
  const options = { path, maxBytes: 1_000, daily: true, keepFiles: 5 }
  const first = new RotatedFile(options)
  await first.append(['one\n'], day)
  await first.append(['two\n'], day + 24 * 3_600_000)
  t.equal(readFileSync(path, 'utf8'), 'two\n')
  await first.close()
  utimesSync(path, new Date(day), new Date(day))
  const second = new RotatedFile(options)
  await second.append(['three\n'], day + 48 * 3_600_000)
  await second.close()
  t.equal(readFileSync(path, 'utf8'), 'three\n')
  t.equal(readdirSync(folder).length, 3)
  const whole = new RotatedFile({ ...options, daily: false })
  await whole.append(['four\n'], day + 96 * 3_600_000)
  await whole.close()
  t.equal(readFileSync(path, 'utf8'), 'three\nfour\n')
})

t.test('half a line of a process that died does not spoil the next one', async t => {
  const path = join(t.testdir({}), 'log.jsonl')
  appendFileSync(path, '{"id":"req_1"}\n{"id":"re')
  const file = new RotatedFile({ path, maxBytes: 1_000, daily: false, keepFiles: 5 })
  await file.append(['{"id":"req_3"}\n'], day)
  await file.close()
  t.equal(readFileSync(path, 'utf8'), '{"id":"req_1"}\n{"id":"re\n{"id":"req_3"}\n')
})

t.test('a file that cannot be written ends the start, and turnpike check creates none', async t => {
  const folder = t.testdir({})
  mkdirSync(join(folder, 'log.jsonl'))
  await t.rejects(setUp([fileLog({ file: join(folder, 'log.jsonl') })]), /log\.jsonl/)
  t.notOk(existsSync(join(folder, 'logs')))
})
