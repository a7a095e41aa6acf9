import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import pg from 'pg'
import t, { type Test } from 'tap'
import { EnvelopeSealer } from '../../../plugins/sealers/local/envelope.ts'
import { Copy, type CopyProgress, type CopyResult } from '../../../plugins/stores/sql/copy/copy.ts'
import { CopyState, notBegun } from '../../../plugins/stores/sql/copy/copy-state.ts'
import { knownTables, type Table } from '../../../plugins/stores/sql/copy/layout.ts'
import { TableCopy } from '../../../plugins/stores/sql/copy/table-copy.ts'
import { connectPostgres, openPostgres } from '../../../plugins/stores/sql/postgres/open.ts'
import { connectSqlite, openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import type { Place } from '../../../plugins/stores/sql/database.ts'
import { silent, testSealer } from './databases.ts'
import { noPostgres, startPostgres } from './postgres-server.ts'
import { run } from './sql.ts'
import { contentOf, fill } from './filled-database.ts'

async function copy(
  from: Place,
  to: Place,
  onProgress: (progress: CopyProgress) => void = () => {},
  sealer = testSealer(),
): Promise<CopyResult> {
  const opened = await Copy.open({ from, to, sealer, log: silent, watchMs: 0 })
  try {
    return await opened.run(onProgress)
  } finally {
    await opened.close()
  }
}

async function refusalOf(...given: Parameters<typeof copy>): Promise<string> {
  return await copy(...given).then(
    () => 'it was copied',
    (error: Error) => error.message,
  )
}

function filesOf(t: Test): { readonly from: string; readonly to: string } {
  const folder = t.testdir({})
  return { from: join(folder, 'from.db'), to: join(folder, 'to.db') }
}

t.test('a copy that was cut off goes on where it stopped', async t => {
  const { from, to } = filesOf(t)
  await fill(from, { rows: 3, auditRows: 3_500 })
  const cut = refusalOf({ file: from }, { file: to }, ({ table, rows }) => {
    if (table === 'audit' && rows >= 2_000) throw new Error('power failure')
  })
  t.match(await cut, /power failure.*run the same command again/)
  await t.rejects(openSqlite(to), /holds an unfinished copy of another database\. Run the same turnpike copy again/)
  t.match(await refusalOf({ file: to }, { file: `${to}.other` }), /to\.db cannot be used: it holds an unfinished copy/)
  const seen: string[] = []
  await copy({ file: from }, { file: to }, ({ step, table, rows }) => void seen.push(`${step} ${table} ${rows}`))
  t.ok(seen.includes('check audit 2000'))
  t.notOk(seen.includes('copy audit 2000'), 'pages that were copied are not copied again')
  t.ok(seen.includes('copy audit 3500'))
  t.strictSame(await contentOf(to), await contentOf(from))
})

t.test('a start that refuses an unfinished copy leaves it as it is', async t => {
  const { from, to } = filesOf(t)
  await fill(from, { rows: 3 })
  await refusalOf({ file: from }, { file: to }, ({ table }) => {
    if (table === 'record') throw new Error('power failure')
  })
  await t.rejects(openSqlite(to), /holds an unfinished copy/)
  await copy({ file: from }, { file: to })
  t.strictSame(await contentOf(to), await contentOf(from))
})

t.test('a source that changed after a copy was cut off is noticed', async t => {
  const { from, to } = filesOf(t)
  await fill(from, { rows: 3 })
  await refusalOf({ file: from }, { file: to }, ({ table }) => {
    if (table === 'record') throw new Error('power failure')
  })
  run(from, "update audit set action = 'other' where rowid = 2")
  t.match(
    await refusalOf({ file: from }, { file: to }),
    /from\.db is not what was copied before: table audit has changed.*delete .*to\.db and begin again/,
  )
})

t.test('a database in use is refused, and nothing is made', async t => {
  const { from, to } = filesOf(t)
  await fill(from, { rows: 1 })
  const { database } = await openSqlite(from)
  t.match(await refusalOf({ file: from }, { file: to }), /has .*from\.db open\. Stop it/)
  t.notOk(existsSync(to))
  await database.destroy()
  const idle = (await openSqlite(to)).database
  t.match(await refusalOf({ file: from }, { file: to }), /has .*to\.db open\. Stop it/)
  await idle.destroy()
  await copy({ file: from }, { file: to })
})

t.test('another master key is noticed before anything is made', async t => {
  const { from, to } = filesOf(t)
  await fill(from, { rows: 1 })
  const other = new EnvelopeSealer({ source: 'key file', current: Buffer.alloc(32, 7) })
  t.match(await refusalOf({ file: from }, { file: to }, undefined, other), /was created with a master key that the gateway does not have/)
  const mac = new EnvelopeSealer({ source: 'key file', current: Buffer.from('ab'.repeat(32), 'hex'), mac: Buffer.alloc(32, 7) })
  t.match(await refusalOf({ file: from }, { file: to }, undefined, mac), /were created with another master key/)
  t.notOk(existsSync(to))
})

t.test('tables and columns that this version does not know are refused', async t => {
  const { from, to } = filesOf(t)
  await fill(from, { rows: 1 })
  run(from, 'create table "later" (id text primary key)')
  t.match(await refusalOf({ file: from }, { file: to }), /has tables that this version of the gateway does not know: later/)
  run(from, 'drop table "later"')
  run(from, 'alter table audit add column later text')
  t.match(await refusalOf({ file: from }, { file: to }), /has columns that .* does not know, or of another type: audit\.later/)
  run(from, 'alter table audit drop column later')
  run(from, "delete from schema_change where name = '0044-schema-state'")
  t.match(
    await refusalOf({ file: from }, { file: to }),
    /is of an earlier version of the gateway: 1 migrations have not run\. Run turnpike migrate/,
  )
})

t.test('the error for a file without a gateway database names the file and the option', async t => {
  const { from, to } = filesOf(t)
  const folder = dirname(from)
  writeFileSync(to, 'no database'.repeat(100))
  t.match(await refusalOf({ file: to }, { file: from }), /--from: .*to\.db cannot be used: .* Name the SQLite file of the gateway/)
  t.match(await refusalOf({ file: folder }, { file: to }), /--from: .* is a folder\. Name the SQLite file of the gateway/)
  run(from, 'create table other (id text)')
  t.match(
    await refusalOf({ file: from }, { file: to }),
    /there is no Turnpike data in .*from\.db\. Name the database that the gateway uses in --from/,
  )
  rmSync(from)
  await fill(from, { rows: 1 })
  t.match(await refusalOf({ file: from }, { file: to }), /--to: .*to\.db cannot be used: .* Name a file that does not exist yet/)
  t.match(await refusalOf({ file: from }, { file: folder }), /--to: .* is a folder\. Name a file that does not exist yet/)
  t.match(
    await refusalOf({ file: from }, { file: join(to, 'x.db') }),
    /--to: .*x\.db cannot be used: .* Make the file and its folder writable/,
  )
})

t.test('a value that its column cannot have is named, without showing it', async t => {
  const { from, to } = filesOf(t)
  await fill(from, { rows: 1 })
  const database = new DatabaseSync(from)
  database.prepare('update audit set changes = ?').run(Buffer.from('secret'))
  database.close()
  const refusal = await refusalOf({ file: from }, { file: to })
  t.match(refusal, /column changes of the row .* in table audit is 6 bytes: expected text/)
  t.notMatch(refusal, /secret/)
})

t.test('two copies to one database do not mix', async t => {
  const { from } = filesOf(t)
  await fill(from, { rows: 1 })
  const { database } = await openSqlite(from)
  t.teardown(() => database.destroy())
  run(from, 'delete from master_key_check')
  const names = { source: from, target: from }
  const first = await CopyState.begin(database, [], names)
  await CopyState.begin(database, [], names)
  const [table] = await knownTables()
  await t.rejects(
    database.transaction().execute(transaction => first.advance(transaction, table!, notBegun)),
    /another turnpike copy has begun/,
  )
})

t.test('on a Postgres server', { skip: noPostgres }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())

  await t.test('every value of every table arrives, from SQLite to Postgres and back', async t => {
    const { from, to } = filesOf(t)
    await fill(from, { rows: 7, auditRows: 2_500, largeBytes: 10 * 1024 * 1024, nul: true })
    const url = await server.createDatabase()
    const seen: string[] = []
    const there = await copy(
      { file: from },
      { url, maxConnections: 1 },
      ({ step, table, rows }) => void seen.push(`${step} ${table} ${rows}`),
    )
    t.same(there.changedTexts, { audit: 1 })
    t.match(seen, ['copy account 7'])
    t.ok(seen.includes('copy audit 2500'))
    const back = await copy({ url, maxConnections: 1 }, { file: to })
    t.equal(back.rows, there.rows)
    t.same(back.changedTexts, {})
    const [before, after] = [await contentOf(from), await contentOf(to)]
    const [changed] = before['audit']!.filter(row => (row as { changes: string }).changes.includes('\0')) as { changes: string }[]
    changed!.changes = 'a\ufffdb\ufffdc'
    for (const table of Object.keys(before)) t.strictSame(after[table], before[table], table)

    // What is left is a database like any other.
    const database = await connectPostgres({ url, maxConnections: 1 }, silent)
    t.teardown(() => database.destroy())
    t.same(await database.introspection.getTables().then(tables => tables.map(({ name }) => name).filter(name => /copy/.test(name))), [])
    t.match(await refusalOf({ file: from }, { url, maxConnections: 1 }), /is not empty: it has rows in account.*Copy to a new database/)
  })

  await t.test('a server that refuses is blamed on the option that names it', async t => {
    const { from, to } = filesOf(t)
    await fill(from, { rows: 1 })
    const place = (url: URL | string): Place => ({ url: String(url), maxConnections: 1 })
    const empty = await server.createDatabase()
    t.match(await refusalOf(place(empty), { file: to }), /there is no Turnpike data in .*Name the database that the gateway uses in --from/)
    const missing = new URL(empty)
    missing.pathname = '/missing'
    t.match(await refusalOf(place(missing), { file: to }), /\. Name the database of the gateway in --from$/)
    t.match(await refusalOf({ file: from }, place(missing)), /\. Create it with createdb, or name another database in --to$/)
    missing.username = 'nobody'
    t.match(await refusalOf({ file: from }, place(missing)), /\. Correct user and password in --to$/)
  })

  await t.test('a user who may not create tables is told so', async t => {
    const { from } = filesOf(t)
    await fill(from, { rows: 1 })
    const url = new URL(await server.createDatabase())
    const client = new pg.Client(url.href)
    await client.connect()
    await client.query('create role lean login')
    await client.end()
    url.username = 'lean'
    t.match(await refusalOf({ file: from }, { url: url.href, maxConnections: 1 }), /its user may not create tables\. Let this user/)
  })

  await t.test('values of which several came in one piece from Postgres arrive', async t => {
    const { from, to } = filesOf(t)
    await fill(from, { rows: 7, largeBytes: 1024 * 1024 })
    const url = await server.createDatabase()
    await copy({ file: from }, { url, maxConnections: 1 })
    await copy({ url, maxConnections: 1 }, { file: to })
    t.strictSame(await contentOf(to), await contentOf(from))
  })

  await t.test('a copy to a server that goes away goes on when it is back', async t => {
    const { from } = filesOf(t)
    await fill(from, { rows: 2, auditRows: 6_000 })
    const to = { url: await server.createDatabase(), maxConnections: 1 }
    let gone: Promise<void> | undefined
    const refusal = await refusalOf({ file: from }, to, ({ table }) => {
      if (table === 'audit') gone ??= server.kill()
    })
    await gone
    t.match(refusal, /the copy stopped in table audit, after \d+ rows: .*run the same command again/)
    await server.restart()
    const again = await copy({ file: from }, to)
    t.match(again, { changedTexts: {} })
  })

  await t.test('a gateway on Postgres is noticed by its connections, its signs of life and its writes', async t => {
    const url = await server.createDatabase()
    const place = { url, maxConnections: 1 }
    const { from, to } = filesOf(t)
    await fill(from, { rows: 1 })
    await copy({ file: from }, place)
    const gateway = await connectPostgres(place, silent)
    t.teardown(() => gateway.destroy())
    await sql`update ledger_process set seen_at = 1`.execute(gateway)
    t.match(await refusalOf(place, { file: to }), /a gateway is connected to turnpike_\d at 127\.0\.0\.1:\d+: process \d+ of the server/)
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    t.teardown(() => other.end())
    await gateway.destroy()

    await other.query("insert into ledger_process values ('killed', cast(extract(epoch from now()) * 1000 as bigint) - 20000)")
    t.match(await refusalOf(place, { file: to }), /or was killed less than a minute ago.*try again in (39|40|38) s/)
    await other.query('update ledger_process set seen_at = 1')
    await other.query('begin; update audit set action = action')
    t.match(await refusalOf(place, { file: to }), /somebody is writing to turnpike_\d/)
    t.notOk(existsSync(to))
    await other.query('commit')
    const opened = await Copy.open({ from: place, to: { file: to }, sealer: testSealer(), log: silent, watchMs: 0 })
    await other.query("set lock_timeout = '50ms'")
    await t.rejects(other.query('update audit set action = action'), /lock timeout/, 'nobody can write meanwhile')
    await opened.run(() => {})
    await opened.close()
    await other.query('update audit set action = action')
  })

  await t.test('numbers that Postgres gives out come after those that were copied', async t => {
    const { from } = filesOf(t)
    run(from, 'create table numbered (id integer primary key, serial integer, name text)')
    for (const id of [3, 17, 400]) run(from, 'insert into numbered values (?, ?, ?)', id, id * 2, 'x')
    const source = { name: from, database: connectSqlite(from), close: async () => {} }
    t.teardown(() => source.database.destroy())
    const database = (await openPostgres({ url: await server.createDatabase(), maxConnections: 1 }, silent)).database
    t.teardown(() => database.destroy())
    await sql`create table numbered (id bigint generated always as identity primary key, serial serial, name text)`.execute(database)
    const id = { name: 'id', kind: 'integer' } as const
    const table: Table = { name: 'numbered', columns: [id, { name: 'serial', kind: 'integer' }, { name: 'name', kind: 'text' }], key: [id] }
    const state = await CopyState.begin(database, [table], { source: from, target: 'postgres' })
    await new TableCopy(table, source, { name: 'postgres', database, state }).run(() => {})
    const { rows } = await sql`insert into numbered (name) values ('next') returning id, serial`.execute(database)
    t.same(rows, [{ id: 401, serial: 801 }])
  })
})
