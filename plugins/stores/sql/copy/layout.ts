import { CompiledQuery, type Kysely } from 'kysely'
import { isSqlite } from '../migrations/dialect.ts'
import { openMemory } from '../sqlite/open.ts'
import { CopyError } from './error.ts'

/** `integer` is any whole number, and `real` any other. */
export type Kind = 'text' | 'integer' | 'real' | 'bytes'

export interface Column {
  readonly name: string
  readonly kind: Kind
}

export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  /** What no two rows have in common, in the order of its index. */
  readonly key: readonly Column[]
}

/** Each database has its own. */
const bookkeeping: ReadonlySet<string> = new Set([
  'kysely_migration',
  'kysely_migration_lock',
  'schema_change',
  'schema_state',
  'copy_progress',
])

/** In migrations, and in what databases say of their tables. */
const kinds: Readonly<Record<string, Kind>> = {
  text: 'text',
  'character varying': 'text',
  integer: 'integer',
  bigint: 'integer',
  'double precision': 'real',
  blob: 'bytes',
  bytea: 'bytes',
}

interface ColumnRow {
  readonly table: string
  readonly name: string
  readonly type: string
  /** From 1; 0 if it is no part of the primary key. Only SQLite says so. */
  readonly pk: number
}

interface UniqueRow {
  readonly table: string
  readonly index: string
  readonly name: string
}

const sqliteColumns = `
  select m.name as "table", c.name, lower(c.type) as type, c.pk
  from sqlite_schema m join pragma_table_info(m.name) c
  where m.type = 'table' and m.name not like 'sqlite@_%' escape '@' order by m.name, c.cid`
const postgresColumns = `
  select c.table_name as "table", c.column_name as name, c.data_type as type, 0 as pk
  from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
  where table_schema = current_schema() and t.table_type = 'BASE TABLE' order by c.table_name, c.ordinal_position`
const uniqueIndexes = `
  select m.name as "table", i.name as "index", c.name
  from sqlite_schema m join pragma_index_list(m.name) i join pragma_index_info(i.name) c
  where m.type = 'table' and i."unique" = 1 and i.partial = 0 order by m.name, i.seq, c.seqno`

let known: Promise<readonly Table[]> | undefined

/** The tables that this version makes, by its migrations. */
export function knownTables(): Promise<readonly Table[]> {
  return (known ??= readTables())
}

async function readTables(): Promise<readonly Table[]> {
  const { database } = await openMemory()
  try {
    const columns = Map.groupBy(await columnsOf(database), ({ table }) => table)
    const indexes = Map.groupBy(await rowsOf<UniqueRow>(database, uniqueIndexes), ({ table }) => table)
    return Array.from(columns, ([name, all]) => tableOf(name, all, indexes.get(name) ?? []))
  } finally {
    await database.destroy()
  }
}

/** Throws unless the database has exactly these tables and columns. `remedy`: what to do about one that is missing. */
export async function requireTables(database: Kysely<any>, name: string, expected: readonly Table[], remedy: string): Promise<void> {
  const rows = await columnsOf(database)
  const actual = new Map(rows.map(row => [`${row.table}.${row.name}`, row]))
  const wanted = new Map<string, Kind>(
    expected.flatMap(table => table.columns.map(column => [`${table.name}.${column.name}`, column.kind])),
  )
  const missing = [...wanted.keys()].filter(column => !actual.has(column))
  if (missing.length > 0) throw new CopyError(`${name} has no column ${shown(missing)}. ${remedy}`)
  const tables = new Set(expected.map(table => table.name))
  const others = [...new Set(rows.map(({ table }) => table).filter(table => !tables.has(table)))]
  if (others.length > 0)
    throw new CopyError(
      `${name} has tables that this version of the gateway does not know: ${shown(others)}. ` +
        'If a newer version made them, copy with that version. Otherwise move them elsewhere: the database must be for the gateway alone',
    )
  const strange = [...actual].filter(([column, { type }]) => wanted.get(column) !== kinds[type])
  if (strange.length > 0)
    throw new CopyError(
      `${name} has columns that this version of the gateway does not know, or of another type: ${shown(strange.map(([column]) => column))}. ` +
        'If a newer version made them, copy with that version',
    )
}

function tableOf(name: string, rows: readonly ColumnRow[], indexes: readonly UniqueRow[]): Table {
  const columns = rows.map(({ name: column, type }) => ({ name: column, kind: kindOf(name, column, type) }))
  const primary = rows.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk)
  const first = indexes[0]?.index
  const unique = primary.length > 0 ? primary : indexes.filter(({ index }) => index === first)
  if (unique.length === 0) throw new Error(`table ${name} has no primary key and no unique index: give it one in a migration`)
  return { name, columns, key: unique.map(each => columns.find(column => column.name === each.name)!) }
}

function kindOf(table: string, column: string, type: string): Kind {
  const kind = kinds[type]
  if (kind === undefined) throw new Error(`column ${table}.${column} is of the type ${type}: expected ${Object.keys(kinds).join(', ')}`)
  return kind
}

/** Of the tables that are copied, and of any others. */
async function columnsOf(database: Kysely<any>): Promise<readonly ColumnRow[]> {
  const rows = await rowsOf<ColumnRow>(database, isSqlite(database) ? sqliteColumns : postgresColumns)
  return rows.filter(({ table }) => !bookkeeping.has(table))
}

async function rowsOf<R>(database: Kysely<any>, query: string): Promise<readonly R[]> {
  return (await database.executeQuery<R>(CompiledQuery.raw(query))).rows
}

const shownAtMost = 5

function shown(names: readonly string[]): string {
  const more = names.length - shownAtMost
  return names.slice(0, shownAtMost).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
