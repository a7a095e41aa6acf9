import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect, sql as raw } from 'kysely'
import { Migrator } from 'kysely/migration'
import t, { type Test } from 'tap'
import type { RecordFilter } from '../../../core/stores.ts'
import { systemClock } from '../../../core/foundation/clock.ts'
import { testGateway } from '../../../core/testing/index.ts'
import responsesEndpoint from '../../../plugins/endpoints/responses/index.ts'
import sandbox from '../../../plugins/providers/sandbox/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { SqlKeys } from '../../../plugins/stores/sql/keys.ts'
import { migrate } from '../../../plugins/stores/sql/migrate.ts'
import { migrations } from '../../../plugins/stores/sql/migrations/index.ts'
import { storingAnyText } from '../../../plugins/stores/sql/postgres/dialect.ts'
import { DataKeys } from '../../../plugins/stores/sql/data-keys.ts'
import { readPage } from '../../../plugins/stores/sql/records/page.ts'
import { RecordSink } from '../../../plugins/stores/sql/records/sink.ts'
import { readUsage } from '../../../plugins/stores/sql/records/usage.ts'
import { connectSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import { SealedParts } from '../../../plugins/stores/sql/sealed-parts.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'
import { Workplace } from '../../kit/turnpike-process.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { silent, testSealer } from './databases.ts'
import { record } from '../../../core/testing/stores/example-record.ts'
import { masterKey, openSql, run } from './sql.ts'

// A database that version 0.1 made, with the master key of these tests, and its API keys.
const fixture = new URL('../../fixtures/stores/version-0.1.db', import.meta.url)
const first = 'tp_a1825aa85ab3_8aba32e742649511e4be0dc46858e00638862908085a1f89'
const bob = 'tp_f081d7c7d3c7_56a4f88545ea1ff6998e1d3101cfe316b587c8deb2b67cb9'

function copy(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-upgrade-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'turnpike.db')
  copyFileSync(fixture, file)
  return file
}

t.test('everything that a key names becomes an account with that id', async t => {
  const file = copy(t)
  await (await openSql(file)).stop()
  const rows = run(file, 'select level, org, id, name, team, policy, created_at from account order by created_at, level, id').map(row => ({
    ...row,
  }))
  const at = Date.UTC(2026, 0, 1)
  t.strictSame(rows, [
    { level: 'org', org: 'default', id: 'default', name: 'default', team: null, policy: '{}', created_at: at },
    { level: 'org', org: 'example', id: 'example', name: 'example', team: null, policy: '{}', created_at: at + 1 },
    { level: 'team', org: 'example', id: 'research', name: 'research', team: null, policy: '{}', created_at: at + 1 },
    { level: 'user', org: 'example', id: 'ada', name: 'ada', team: 'research', policy: '{}', created_at: at + 1 },
    { level: 'team', org: 'example', id: 'support', name: 'support', team: null, policy: '{}', created_at: at + 2 },
    { level: 'user', org: 'example', id: 'bob', name: 'bob', team: 'support', policy: '{}', created_at: at + 2 },
    { level: 'org', org: 'another', id: 'another', name: 'another', team: null, policy: '{}', created_at: at + 3 },
    { level: 'user', org: 'another', id: 'ada', name: 'ada', team: null, policy: '{}', created_at: at + 3 },
    { level: 'team', org: 'another', id: 'research', name: 'research', team: null, policy: '{}', created_at: at + 4 },
  ])
})

t.test('keys, owners and data keys stay as they were', async t => {
  const file = copy(t)
  const dataKeys = run(file, 'select * from data_key order by id')
  const { keys, responses, stop } = await openSql(file)
  t.teardown(stop)
  t.strictSame(run(file, 'select * from data_key order by id'), dataKeys)
  t.match(await keys.find('da46248d9e5b'), {
    name: 'ada',
    org: 'example',
    team: 'research',
    user: 'ada',
    spendCapUsd: 12.5,
    limits: [{ tokens: 200_000, windowMs: 60_000 }],
    models: ['example/one', 'two'],
    providers: ['sandbox'],
    allowUnpriced: true,
    policy: { logging: { value: true }, zdr: { value: true } },
  })
  t.match(await keys.find('f081d7c7d3c7'), { disabled: true, limits: [{ tokens: 1_000, windowMs: 60_000 }] })
  t.equal((await keys.list()).length, 5)
  t.equal((await responses.chain('default', 'resp_second'))?.length, 2)
  t.match((await responses.get('example/user/ada', 'resp_ada'))?.output, [{ id: 'msg_answer' }])
})

t.test('its API keys still work, with their limits', async t => {
  const file = copy(t)
  const under = await testGateway({
    plugins: [memory({ services: ['metrics'] }), sql({ file }), localSealer({ masterKey }), responsesEndpoint({}), sandbox({})],
    clock: systemClock,
  })
  t.teardown(under.stop)
  const ask = (key: string): Promise<Response> =>
    under.request('/v1/responses', { headers: { authorization: `Bearer ${key}` }, body: { model: 'sandbox/echo', input: 'Hello' } })
  t.match((await (await ask(bob)).json()) as object, { error: { message: /disabled/ } })
  t.equal((await ask(first)).status, 200)
})

const onDialects = {
  SQLite: (t: Test) => connectSqlite(join(t.testdir({}), 'turnpike.db')),
  Postgres: () => new Kysely<Tables>({ dialect: storingAnyText(new PGliteDialect({ pglite: new PGlite() })) }),
}

for (const [name, open] of Object.entries(onDialects))
  t.test(`hours become days, and an earlier secret a list, on ${name}`, async t => {
    const database = open(t)
    t.teardown(() => database.destroy())
    const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } })
    t.equal((await migrator.migrateTo('0021-erased-answers')).error, undefined)
    const execute = (text: string): Promise<unknown> => raw.raw(text).execute(database)
    await execute(`insert into api_key (id, hash, name, org, policy, created_at, previous_hash, previous_valid_until)
      values ('rotated', 'h', 'n', 'o', '{}', 1, 'old', 99), ('plain', 'h', 'n', 'o', '{}', 1, null, null)`)
    const day = Date.UTC(2026, 3, 1)
    for (const hour of [0, 5, 23, 24, 30]) {
      const key = `'hour', ${day + hour * 3_600_000}, 'o', '', 'k', 'm', 'p'`
      await execute(`insert into "usage" values (${key}, 10, 1, 100, 20, 30, 4000000000, 2)`)
      await execute(`insert into usage_latency values (${key}, 7, 3)`)
    }
    t.same((await migrate(database)).slice(0, 6), [
      '0022-earlier-secrets',
      '0023-usage-days',
      '0024-record-filters',
      '0025-record-costs',
      '0026-usage-quarters',
      '0027-attempts',
    ])
    const keys = new SqlKeys(database, new FakeClock(), silent, { cacheTtlMs: 0, staleKeysMs: 0 })
    t.same((await keys.find('rotated'))?.previous, [{ hash: 'old', validUntil: 99 }])
    t.equal((await keys.find('plain'))?.previous, undefined)
    const rows = await readUsage(database, {
      from: day,
      to: day + 2 * 86_400_000,
      bucket: 'day',
      groupBy: ['key'],
      latency: true,
      limit: 10,
    })
    t.match(rows, [
      {
        at: day,
        group: { key: 'k' },
        requests: 30,
        errors: 3,
        inputTokens: 300,
        cachedTokens: 60,
        outputTokens: 90,
        costUsd: 12,
        unpriced: 6,
      },
      { at: day + 86_400_000, requests: 20 },
    ])
    t.ok(rows.every(({ latency }) => latency!.p50Ms! > 1))
    for (const groupBy of [['model'], ['model', 'org'], ['org']] as const)
      t.match(await readUsage(database, { from: day, to: day + 2 * 86_400_000, bucket: 'total', groupBy, latency: true, limit: 10 }), [
        { requests: 50, costUsd: 20 },
      ])
  })

for (const [name, open] of Object.entries(onDialects))
  t.test(`records are found by their attempts, and old sums know none, on ${name}`, async t => {
    const database = open(t)
    t.teardown(() => database.destroy())
    const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } })
    t.equal((await migrator.migrateTo('0026-usage-quarters')).error, undefined)
    const execute = (text: string): Promise<unknown> => raw.raw(text).execute(database)
    const hour = Date.UTC(2026, 3, 1, 7)
    const attempt = (provider: string, model: string): object => ({ provider, model, outcome: 'network', status: null, elapsedMs: 3 })
    const answered = [attempt('down', 'm'), attempt('down', 'm'), attempt('up', 'm')]
    for (const [id, own, attempts] of [
      ['answered', "'m', 'up'", JSON.stringify(answered)],
      ['failed', 'null, null', JSON.stringify([attempt('down', 'm'), attempt('late', 'n')])],
      ['refused', 'null, null', '[]'],
      ['odd', 'null, null', String.raw`[{"provider":"down","model":"a\u0000"},{"provider":"down","model":"b"}]`],
    ] as const)
      await execute(`insert into record (id, at, method, path, status, elapsed_ms, stream, model, provider, attempts, notes)
        values ('${id}', ${hour}, 'POST', '/v1/responses', 424, 1, 0, ${own}, '${attempts}', '[]')`)
    for (const bucket of ['minute', 'quarter', 'hour', 'day', 'day-keys', 'day-models']) {
      const at = bucket.startsWith('day') ? hour - (hour % 86_400_000) : hour
      const key = `'${bucket}', ${at}, ${bucket === 'day-models' ? "'', '', ''" : "'o', '', 'k'"}, ${bucket === 'day-keys' ? "'', ''" : "'m', 'up'"}`
      await execute(`insert into "usage" values (${key}, 10, 4, 100, 20, 30, 4000000000, 2)`)
      await execute(`insert into usage_latency values (${key}, 7, 3)`)
    }
    t.equal((await migrate(database))[0], '0027-attempts')

    const found = async (filter: RecordFilter): Promise<readonly string[]> =>
      (await readPage(database, filter, { limit: 10 })).map(({ id }) => id).toSorted()
    t.same(await found({ provider: 'late' }), ['failed'])
    t.same(await found({ provider: 'down' }), ['answered', 'failed'])
    t.same(await found({ provider: 'down', model: 'm' }), ['answered', 'failed'])
    t.same(await found({ provider: 'down', model: 'n' }), [])
    t.same(await found({ model: 'm' }), ['answered', 'failed'])
    t.same(await found({ provider: 'up' }), ['answered'])
    t.match(await readPage(database, { id: 'failed' }, { limit: 1 }), [{ provider: 'late', model: 'n' }])
    t.match(await readPage(database, { id: 'odd' }, { limit: 1 }), [{ provider: null, model: null }])

    const span = { from: hour, to: hour + 86_400_000, limit: 10, latency: true } as const
    const unknown = { errorsBy: null, attempts: null, failedAttempts: null, faults: null, attemptLatency: { p50Ms: null, p95Ms: null } }
    for (const groupBy of [[], ['model'], ['provider', 'org']] as const)
      for (const bucket of ['hour', 'day', 'total'] as const)
        t.match(
          await readUsage(database, { ...span, bucket, groupBy }),
          [{ requests: 10, errors: 4, costUsd: 4, ...unknown }],
          `${bucket} by ${groupBy.join()}`,
        )
    const parts = new SealedParts(new DataKeys(database, testSealer(), new FakeClock(), silent, 90))
    await new RecordSink(database, parts).write([
      record(0, {
        at: hour + 1,
        org: 'o',
        keyId: 'k',
        model: 'm',
        provider: 'up',
        attempts: [{ provider: 'up', model: 'm', outcome: 'ok', status: 200, elapsedMs: 5 }],
      }),
    ])
    for (const bucket of ['hour', 'day', 'total'] as const)
      t.match(
        await readUsage(database, { ...span, bucket, groupBy: ['model'] }),
        [{ requests: 11, errors: 4, errorsBy: { caller: 0 }, attempts: 1, failedAttempts: 0, attemptLatency: { p50Ms: Number } }],
        'what came later is counted',
      )
  })

t.test('turnpike check leaves it alone, and keys list upgrades it', async t => {
  const workplace = new Workplace(`
    import { defineConfig, defaults } from 'turnpike/config'
    export default defineConfig({ server: { port: 0, drainAnnounceMs: 0 }, plugins: defaults({ without: ['ollama'] }) })`)
  t.teardown(() => workplace.remove())
  const file = join(workplace.path, 'turnpike.db')
  copyFileSync(fixture, file)
  workplace.write(`
    import { defineConfig, defaults } from 'turnpike/config'
    import sql from 'turnpike/plugins/stores/sql'
    export default defineConfig({ server: { port: 0, drainAnnounceMs: 0 }, plugins: [...defaults({ without: ['ollama', 'sql'] }), sql({ file: './turnpike.db' })] })`)
  const environment = { GATEWAY_MASTER_KEY: masterKey }
  const before = readFileSync(file)
  const checked = await workplace.spawn(['check'], [], environment).finished
  t.equal(checked.exitCode, 0, checked.stderr)
  t.ok(readFileSync(file).equals(before), 'not a byte is different')
  const wrong = await workplace.spawn(['check'], [], { GATEWAY_MASTER_KEY: 'cd'.repeat(32) }).finished
  t.match(wrong.stderr, /was created with a master key that the gateway does not have/)
  t.ok(readFileSync(file).equals(before))
  const listed = await workplace.spawn(['keys', 'list'], [], environment).finished
  t.match(listed.stdout, /ada elsewhere/)
  const database = new DatabaseSync(file)
  t.ok(database.prepare('select count(*) as count from account').get()!['count'])
  database.close()
})
