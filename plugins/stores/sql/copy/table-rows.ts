import { CompiledQuery, type Kysely } from 'kysely'
import { isSqlite } from '../migrations/dialect.ts'
import { rowOf, type Row } from './cells.ts'
import type { Table } from './layout.ts'
import { PostgresWrites } from './postgres-writes.ts'
import { SqliteWrites } from './sqlite-writes.ts'
import { placeholder, selected, type Writes } from './statements.ts'

const rowsInPage = 1_000
/** A larger row is a page by itself. */
const bytesInPage = 4 * 1024 * 1024

/** The rows of a table, in the order of its key. */
export class TableRows {
  readonly table: Table
  readonly #isSqlite: boolean
  readonly #writes: Writes

  constructor(database: Kysely<any>, table: Table) {
    this.table = table
    this.#isSqlite = isSqlite(database)
    this.#writes = this.#isSqlite ? new SqliteWrites(table) : new PostgresWrites(table)
  }

  async count(database: Kysely<any>): Promise<number> {
    const [row] = await rowsOf<{ count: number | string }>(database, `select count(*) as count from "${this.table.name}"`)
    return Number(row!.count)
  }

  async isEmpty(database: Kysely<any>): Promise<boolean> {
    return (await rowsOf(database, `select 1 as found from "${this.table.name}" limit 1`)).length === 0
  }

  /** The next rows after this key: so many that they fit into memory, and none at the end. */
  async page(database: Kysely<any>, after: Row | undefined): Promise<readonly Row[]> {
    const from = this.#from(after)
    const sizes = await rowsOf<{ size: number | string }>(
      database,
      `select ${sizeOf(this.table)} as size ${from} limit ${rowsInPage}`,
      after,
    )
    let bytes = 0
    const end = sizes.findIndex(row => (bytes += Number(row.size)) > bytesInPage)
    if (sizes.length === 0) return []
    const limit = end === -1 ? sizes.length : Math.max(1, end)
    const found = await rowsOf(database, `select ${this.columns} ${from} limit ${limit}`, after)
    return found.map(row => rowOf(this.table, row))
  }

  async insert(database: Kysely<any>, rows: readonly Row[]): Promise<void> {
    await this.#writes.insert(database, rows)
  }

  /** The rows with these keys, in any order. */
  async read(database: Kysely<any>, keys: readonly Row[]): Promise<readonly Row[]> {
    return (await this.#writes.read(database, keys)).map(row => rowOf(this.table, row))
  }

  get columns(): string {
    return selected(this.table, this.#isSqlite)
  }

  #from(after: Row | undefined): string {
    const key = this.table.key.map(({ name }) => `t."${name}"`)
    const places = this.table.key.map(({ kind }, index) => placeholder(kind, index, this.#isSqlite))
    const condition = after === undefined ? '' : `where (${key.join()}) > (${places.join()}) `
    return `from "${this.table.name}" as t ${condition}order by ${key.join()}`
  }
}

/** Numbers are short. */
function sizeOf({ columns }: Table): string {
  const long = columns.filter(({ kind }) => kind === 'text' || kind === 'bytes')
  return ['0', ...long.map(({ name }) => `coalesce(octet_length(t."${name}"), 0)`)].join(' + ')
}

async function rowsOf<R = Readonly<Record<string, unknown>>>(
  database: Kysely<any>,
  query: string,
  parameters: readonly unknown[] = [],
): Promise<readonly R[]> {
  return (await database.executeQuery<R>(CompiledQuery.raw(query, [...parameters]))).rows
}
