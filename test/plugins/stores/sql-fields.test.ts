import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect, sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Field, Fields } from '../../../core/contracts/fields.ts'
import { FieldColumns } from '../../../plugins/stores/sql/field-columns.ts'
import { migrate } from '../../../plugins/stores/sql/migrate.ts'
import { addedFields, storedLists } from '../../../plugins/stores/sql/migrations/added-fields.ts'
import { migrations } from '../../../plugins/stores/sql/migrations/index.ts'
import { storingAnyText } from '../../../plugins/stores/sql/postgres/dialect.ts'
import { connectSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'

const dialects = {
  SQLite: (t: Test) => connectSqlite(join(t.testdir({}), 'turnpike.db')),
  Postgres: () => new Kysely<Tables>({ dialect: storingAnyText(new PGliteDialect({ pglite: new PGlite() })) }),
}

async function columnsIn(database: Kysely<Tables>, table: string): Promise<readonly string[]> {
  const tables = await database.introspection.getTables()
  return tables.find(({ name }) => name === table)!.columns.map(({ name }) => name)
}

for (const [name, open] of Object.entries(dialects)) {
  t.test(`the tables have the columns of the lists of fields, on ${name}`, async t => {
    const database = open(t)
    t.teardown(() => database.destroy())
    await migrate(database)
    for (const [table, list] of Object.entries(storedLists)) {
      const wanted = new FieldColumns<Fields>(list).all.map(column => column.name).toSorted()
      // A column of an earlier version may stay behind.
      const found = (await columnsIn(database, table)).filter(column => wanted.includes(column)).toSorted()
      t.same(found, wanted, `${table}: give a new field the next number as its revision`)
    }
  })

  t.test(`a field that is added gets its column and its index in an existing database, on ${name}`, async t => {
    const database = open(t)
    t.teardown(() => database.destroy())
    await migrate(database)
    await sql`insert into record (id, at, method, path, status, elapsed_ms, stream, attempts, notes)
      values ('req_old', 1, 'GET', '/', 200, 1, 0, '[]', '[]')`.execute(database)
    const record: Fields = {
      plantRegion: { type: 'text', optional: true, filter: true, revision: 9001, about: 'Where it was served.' },
      isSlow: { type: 'flag', optional: true, revision: 9002, about: 'It was slow.' },
      shownOnly: { type: 'text', optional: true, computed: true, about: 'Nobody stores it.' },
    }
    const added = addedFields({ record })
    t.same(Object.keys(added), ['9001-record-plant-region', '9001-record-plant-region-index', '9002-record-is-slow'])
    for (const { up } of Object.values(added)) await up(database)
    const columns = await columnsIn(database, 'record')
    t.ok(columns.includes('plant_region') && columns.includes('is_slow'), columns.join())
    await sql`insert into record (id, at, method, path, status, elapsed_ms, stream, attempts, notes, plant_region, is_slow)
      values ('req_new', 2, 'GET', '/', 200, 1, 0, '[]', '[]', 'north', 1)`.execute(database)
    const read = new FieldColumns(record)
    const { rows } = await sql<never>`select * from record order by at`.execute(database)
    t.same(
      rows.map(row => read.withNulls(row)),
      [
        { plantRegion: null, isSlow: null },
        { plantRegion: 'north', isSlow: true },
      ],
    )
    await sql`drop index record_plant_region`.execute(database)
  })
}

t.test('fields are stored and read by their type', async t => {
  const list = {
    name: { type: 'text', about: '' },
    madeAt: { type: 'time', about: '' },
    isOpen: { type: 'flag', optional: true, about: '' },
    isGone: { type: 'mark', optional: true, about: '' },
    tags: { type: 'names', optional: true, about: '' },
  } as const satisfies Fields
  const columns = new FieldColumns(list)
  const full = { name: 'a', madeAt: 5, isOpen: false, isGone: true, tags: ['x', 'y'] } as const
  const row = { name: 'a', made_at: 5, is_open: 0, is_gone: 1, tags: '["x","y"]' }
  t.strictSame(columns.row(full), row)
  t.strictSame(columns.withAbsent(row), full)
  const none = { name: 'a', made_at: 5, is_open: null, is_gone: null, tags: null }
  t.strictSame(columns.row({ isOpen: undefined, tags: undefined }), { is_open: null, tags: null }, 'only the columns of these members')
  t.strictSame(columns.withAbsent(none), { name: 'a', madeAt: 5 })
  t.strictSame(columns.withNulls(none), { name: 'a', madeAt: 5, isOpen: null, isGone: null, tags: null })
})

t.test('each migration has a number of its own, and older objects may lack an added field', async t => {
  const named = Object.keys(migrations).filter(name => !name.endsWith('-index'))
  const numbers = named.map(name => name.slice(0, 4))
  t.same(numbers, [...new Set(numbers)])
  t.same(Object.keys(migrations), Object.keys(migrations).toSorted())
  for (const [table, list] of Object.entries(storedLists))
    for (const [name, field] of Object.entries<Field>(list))
      if (field.revision !== undefined) t.equal(field.optional, true, `${table}.${name}`)
})
