import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import t from 'tap'
import { askProcess as ask, config, keyOf, Workplace, type TurnpikeProcess } from '../../kit/turnpike-process.ts'
import { noPostgres, postgresProgram, startPostgres } from './postgres-server.ts'
import { masterKey } from './sql.ts'

// Backups work as docs/storage.md describes them.

t.test('a backup of SQLite that was made while the gateway ran is a gateway again', async t => {
  const workplace = new Workplace(config(''))
  const elsewhere = new Workplace(config(''))
  t.teardown(() => [workplace, elsewhere].forEach(each => each.remove()))
  const key = await keyOf(workplace, '--logging', '--spend-cap', '5')
  const running = workplace.spawn(['start'])
  const first = await ask(running, key)
  mkdirSync(join(elsewhere.path, 'data'))
  const database = new DatabaseSync(join(workplace.path, 'data', 'turnpike.db'))
  database.prepare('vacuum into ?').run(join(elsewhere.path, 'data', 'turnpike.db'))
  database.close()
  const later = await ask(running, key)
  running.signal('SIGKILL')
  await running.finished

  const withoutKey = await elsewhere.run('check')
  t.match(withoutKey.stderr, /The key file .*master\.key is missing/)
  copyFileSync(join(workplace.path, 'data', 'master.key'), join(elsewhere.path, 'data', 'master.key'))
  const restored = elsewhere.spawn(['start'])
  t.match((await ask(restored, key, { previous_response_id: first.id })).text, /I remember turn 1/)
  t.equal((await ask(restored, key, { previous_response_id: later.id })).status, 400, 'it came after the backup')
  restored.signal('SIGTERM')
  await restored.finished
})

t.test('a backup of Postgres that was made while the gateway ran is a gateway again', { skip: noPostgres }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const [url, empty] = [await server.createDatabase(), await server.createDatabase()]
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const gatewayOn = (DATABASE_URL: string, master = masterKey): TurnpikeProcess =>
    workplace.spawn(['start'], [], { DATABASE_URL, GATEWAY_MASTER_KEY: master })
  const create = ['keys', 'create', '--logging', '--spend-cap', '5']
  const key = (await workplace.spawn(create, [], { DATABASE_URL: url, GATEWAY_MASTER_KEY: masterKey }).finished).stdout.trim()
  const running = gatewayOn(url)
  const first = await ask(running, key)
  t.equal(first.status, 200, first.text)
  const run = promisify(execFile)
  const dump = join(workplace.path, 'turnpike.dump')
  await run(postgresProgram('pg_dump'), ['--format=custom', `--file=${dump}`, url])
  const later = await ask(running, key, { previous_response_id: first.id })
  t.match(later.text, /I remember turn 1/)
  running.signal('SIGTERM')
  await running.finished

  for (const [database, name] of [
    [url, 'over the same database'],
    [empty, 'into an empty one'],
  ] as const) {
    await run(postgresProgram('pg_restore'), ['--clean', '--if-exists', '--single-transaction', `--dbname=${database}`, dump])
    const restored = gatewayOn(database)
    t.match((await ask(restored, key, { previous_response_id: first.id })).text, /I remember turn 1/, name)
    t.equal((await ask(restored, key, { previous_response_id: later.id })).status, 400, 'it came after the backup')
    restored.signal('SIGTERM')
    t.notMatch((await restored.finished).stderr, /cannot be decrypted|cannot be opened/)
  }
  const other = gatewayOn(empty, 'cd'.repeat(32))
  t.match((await other.finished).stderr, /was created with a master key that the gateway does not have/)
})
