import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Kysely } from 'kysely'
import t from 'tap'
import { systemClock } from '../../../core/foundation/clock.ts'
import { record } from '../../../core/testing/stores/example-record.ts'
import { testGateway } from '../../../core/testing/index.ts'
import responsesEndpoint from '../../../plugins/endpoints/responses/index.ts'
import sandbox from '../../../plugins/providers/sandbox/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { knownTables } from '../../../plugins/stores/sql/copy/layout.ts'
import { DataKeys } from '../../../plugins/stores/sql/data-keys.ts'
import { migrations, revisionOf } from '../../../plugins/stores/sql/migrations/index.ts'
import { RecordSink } from '../../../plugins/stores/sql/records/sink.ts'
import { SqlRecords } from '../../../plugins/stores/sql/records/store.ts'
import { lastStrictRevision } from '../../../plugins/stores/sql/schema/state.ts'
import { SealedParts } from '../../../plugins/stores/sql/sealed-parts.ts'
import { connectSqlite, openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import { silent, testSealer } from './databases.ts'
import { fileOf, masterKey, openSql, run } from './sql.ts'

// The rules of docs/upgrades.md for migrations: they only add, so that the version before goes on working with the same tables.

interface Column {
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
}

/** Tables, their columns by name, and what must be unique in them. */
interface Layout {
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, Column>>
  readonly unique: ReadonlyMap<string, string>
  readonly others: readonly string[]
}

function layoutOf(file: string): Layout {
  const tables = run(file, "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'").map(({ name }) =>
    String(name),
  )
  const columns = tables.map(table => {
    const rows = run(file, 'select name, type, "notnull", dflt_value, pk from pragma_table_info(?)', table)
    return [table, new Map(rows.map(({ name, ...rest }) => [String(name), rest as unknown as Column]))] as const
  })
  const unique = tables.map(table => {
    const rows = run(
      file,
      'select l.name, group_concat(i.name) as columns from pragma_index_list(?) l join pragma_index_info(l.name) i where l."unique" = 1 group by 1',
      table,
    )
    return [table, JSON.stringify(rows.map(row => row['columns']).toSorted())] as const
  })
  const keys = tables.flatMap(table =>
    run(file, 'select "table" from pragma_foreign_key_list(?)', table).map(() => `foreign key of ${table}`),
  )
  const others = run(file, "select type || ' ' || name as name from sqlite_schema where type in ('trigger', 'view')")
  return { columns: new Map(columns), unique: new Map(unique), others: [...keys, ...others.map(({ name }) => String(name))] }
}

/** One row in each table, with a value in each of these columns. */
function insertInto(file: string, { columns }: Layout, number: number): void {
  const database = new DatabaseSync(file)
  for (const [table, all] of columns) {
    if (/^(kysely_|schema_)/.test(table)) continue
    const names = [...all.keys()].map(name => `"${name}"`)
    const values = Array.from(all.values(), (column, index): SQLInputValue =>
      /text|varchar/i.test(column.type) ? `${number} ${index}` : number,
    )
    database.prepare(`insert into "${table}" (${names.join()}) values (${names.map(() => '?').join()})`).run(...values)
  }
  database.close()
}

function rowsOf(file: string, { columns }: Layout): readonly unknown[] {
  return Array.from(columns, ([table, all]) => [
    table,
    run(file, `select ${[...all.keys()].map(name => `"${name}"`).join()} from "${table}" order by 1`),
  ])
}

t.test('each migration since revision 38 only adds', async t => {
  const file = join(t.testdir({}), 'turnpike.db')
  const database: Kysely<any> = connectSqlite(file)
  t.teardown(() => database.destroy())
  for (const [name, { up }] of Object.entries(migrations).filter(([name]) => revisionOf(name) <= lastStrictRevision)) {
    t.ok(name)
    await up(database)
  }
  let inserted = 1
  insertInto(file, layoutOf(file), inserted)
  for (const [name, { up }] of Object.entries(migrations).filter(([name]) => revisionOf(name) > lastStrictRevision)) {
    const before = layoutOf(file)
    const rows = rowsOf(file, before)
    await up(database)
    const after = layoutOf(file)
    for (const [table, columns] of before.columns) {
      const kept = after.columns.get(table)
      t.same([...columns].map(([column]) => [column, kept?.get(column)]), [...columns], `${name} leaves the columns of ${table} as they were`) // prettier-ignore
      const added = [...(kept ?? [])].filter(([column]) => !columns.has(column))
      const required = added.filter(([, { notnull, dflt_value: byDefault }]) => notnull === 1 && byDefault === null)
      t.same(required, [], `${name} adds only columns to ${table} that older versions may leave out`)
      t.equal(after.unique.get(table), before.unique.get(table), `${name} demands nothing new of rows in ${table}`)
    }
    t.same(after.others, [], `${name} adds no triggers, views and foreign keys`)
    t.same(rowsOf(file, before), rows, `${name} leaves rows as they were`)
    insertInto(file, before, ++inserted)
  }
  await t.resolves(knownTables(), 'turnpike copy knows the types of all columns, and a key of each table')
})

t.test('columns, members and words of a newer version are left alone', async t => {
  const file = fileOf(t)
  const { database } = await openSqlite(file)
  t.teardown(() => database.destroy())
  for (const { name } of await knownTables()) run(file, `alter table "${name}" add column later_member text not null default 'later'`)
  const parts = new SealedParts(new DataKeys(database, testSealer(), systemClock, silent, 90))
  await new RecordSink(database, parts).write([record(1), record(2)])
  const rows = run(file, 'select id from record order by id')
  t.equal(rows.length, 2, 'rows are added')
  run(
    file,
    `update record set error_code = 'later_code', kind = 'later-kind', surface = 'later-surface',
      attempts = '[{"provider":"p","model":"m","outcome":"later","status":null,"elapsedMs":1,"later":{}}]', notes = '[{"kind":"later","summary":{},"later":1}]'`,
  )
  const records = new SqlRecords(database, systemClock, parts, silent)
  t.match(await records.page({}, { limit: 10 }), [{ errorCode: 'later_code', kind: 'later-kind', attempts: [{ outcome: 'later' }] }, {}])
})

t.test('a limit with a later member counts; a later policy is refused, because this version cannot keep it', async t => {
  const file = fileOf(t)
  await (await openSql(file)).stop()
  const under = await testGateway({
    plugins: [
      memory({ services: ['metrics'] }),
      sql({ file, cacheTtlMs: 0 }),
      localSealer({ masterKey }),
      responsesEndpoint({}),
      sandbox({}),
    ],
    clock: systemClock,
  })
  t.teardown(under.stop)
  const ask = async (): Promise<number> =>
    (await under.request('/v1/responses', { body: { model: 'sandbox/echo', input: 'Hello' } })).status
  t.equal(await ask(), 200)
  run(file, `update api_key set limits = '[{"requests":100,"windowMs":60000,"later":true}]', metadata = '{"later":"1"}'`)
  t.equal(await ask(), 200)
  run(file, `update api_key set policy = '{"later":{"value":true}}'`)
  t.equal(await ask(), 503)
})
