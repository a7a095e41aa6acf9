import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import pg from 'pg'
import t, { type Test } from 'tap'
import { fakeUpstream, Gate } from '../../../core/testing/index.ts'
import { openPostgres } from '../../../plugins/stores/sql/postgres/open.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'
import { Workplace } from '../../kit/turnpike-process.ts'
import { silent } from './databases.ts'
import { noPostgres, startPostgres } from './postgres-server.ts'
import { pricedConfig } from './priced-config.ts'
import { lock, masterKey } from './sql.ts'

// The database goes down while a request is under way. The gateway answers it, and stops.

// They mostly wait.
t.jobs = 4

interface Database {
  readonly environment: Readonly<Record<string, string>>
  open(): Promise<Kysely<Tables>>
  down(): Promise<void>
  up(): Promise<void>
}

for (const returns of [false, true]) {
  const name = returns ? 'returns while the gateway stops' : 'is down until the gateway has stopped'

  t.test(`SQLite is locked, and ${name}`, { timeout: 600_000 }, async t => {
    let locked: DatabaseSync | undefined
    await checkStop(t, returns, folder => {
      const file = join(folder, 'data', 'turnpike.db')
      return {
        environment: {},
        open: async () => (await openSqlite(file)).database,
        down: async () => {
          locked = new DatabaseSync(file)
          await lock(locked)
        },
        up: async () => locked!.close(),
      }
    })
  })

  t.test(`Postgres ${name}`, { skip: noPostgres, timeout: 600_000 }, async t => {
    const server = await startPostgres()
    t.teardown(() => server.stop())
    const url = await server.createDatabase()
    await checkStop(t, returns, () => ({
      environment: { DATABASE_URL: url },
      open: async () => (await openPostgres({ url, maxConnections: 2 }, silent)).database,
      down: () => server.kill(),
      up: () => server.restart(),
    }))
  })
}

t.test('Postgres is locked until the gateway has stopped', { skip: noPostgres, timeout: 600_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const url = await server.createDatabase()
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  t.teardown(() => other.end())
  await checkStop(t, false, () => ({
    environment: { DATABASE_URL: url },
    open: async () => (await openPostgres({ url, maxConnections: 2 }, silent)).database,
    down: async () => {
      const { rows } = await other.query("select string_agg(tablename, ', ') as tables from pg_tables where schemaname = 'public'")
      await other.query(`begin; lock table ${rows[0].tables} in access exclusive mode`)
    },
    up: async () => void (await other.query('rollback')),
  }))
})

async function checkStop(t: Test, returns: boolean, databaseIn: (folder: string) => Database): Promise<void> {
  const gate = new Gate()
  const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
  const choice = { index: 0, message: { role: 'assistant', content: 'Because.' }, finish_reason: 'stop' }
  const completion = { id: 'chatcmpl-demo', object: 'chat.completion', created: 1, model: 'acme-large', choices: [choice], usage }
  const upstream = await fakeUpstream([{ before: [gate], body: JSON.stringify(completion) }])
  t.teardown(() => upstream.close())
  const workplace = new Workplace(pricedConfig(upstream.url))
  t.teardown(() => workplace.remove())
  const { environment, open, down, up } = databaseIn(workplace.path)
  const run = (...commandLine: readonly string[]) => workplace.spawn(commandLine, [], { ...environment, GATEWAY_MASTER_KEY: masterKey })
  const key = (
    await run('keys', 'create', '--org', 'example', '--spend-cap', '1', '--limits', '9000t/3600s,9r/7200s').finished
  ).stdout.trim()
  await run('orgs', 'credit', 'example', '5').finished

  const gateway = run('start')
  t.teardown(() => gateway.signal('SIGKILL'))
  const asking = fetch(`${await gateway.url()}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/acme-large', input: 'Why?', max_output_tokens: 100 }),
  })
  await gate.reached
  await down()
  gate.open()
  const reply = await asking
  t.match([reply.status, await reply.json()], [200, { status: 'completed' }], 'it is answered all the same')
  const stoppedAt = performance.now()
  gateway.signal('SIGTERM')
  if (returns) {
    while (!gateway.stderr.includes('"stopping"')) await setTimeout(10)
    await up()
  }
  const { exitCode, stderr } = await gateway.finished
  t.comment(`the stop took ${((performance.now() - stoppedAt) / 1000).toFixed(1)} s`)
  const linesWith = (text: string): readonly string[] => stderr.split('\n').filter(line => line.includes(text))
  const lost = linesWith('was not charged')
  if (!returns) await up()

  const database = await open()
  t.teardown(() => database.destroy())
  const entries = await database.selectFrom('credit_entry').select(['amount', 'request_id']).execute()
  const { spent, reserved } = await database.selectFrom('spend').selectAll().executeTakeFirstOrThrow()
  const request = reply.headers.get('x-request-id')
  const paid = { amount: 5e9, request_id: null }
  t.equal(exitCode, 0)
  if (returns) {
    t.same(lost, [])
    t.same(entries, [paid, { amount: -50_000, request_id: request }])
    t.same([spent, reserved], [50_000, 0])
    return
  }
  const [{ id }] = (await database.selectFrom('api_key').select('id').execute()) as [{ readonly id: string }]
  const charge = { level: 'error', plugin: 'sql', request, costUsd: 0.00005, caps: [`key:${id}`], creditOf: 'example' }
  t.match(
    lost.map(line => JSON.parse(line)),
    [charge],
  )
  t.match(
    linesWith('could not charge a request yet').map(line => JSON.parse(line)),
    [charge],
    'also if it had been killed',
  )
  t.notMatch(stderr, key)
  t.same(entries, [paid])
  t.equal(spent, 0)
  t.ok(reserved > 0, 'until another gateway gives it back')
}
