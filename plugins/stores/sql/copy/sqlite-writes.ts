import { CompiledQuery, type Kysely } from 'kysely'
import { inOrder } from '../in-order.ts'
import type { Row } from './cells.ts'
import type { Table } from './layout.ts'
import { placeholder, selected, type Writes } from './statements.ts'

type Found = Readonly<Record<string, unknown>>

/** One statement for each row, all of which go to the thread together. */
export class SqliteWrites implements Writes {
  readonly #insertion: string
  readonly #selection: string

  constructor(table: Table) {
    const names = table.columns.map(({ name }) => `"${name}"`)
    const values = table.columns.map(({ kind }, index) => placeholder(kind, index, true))
    this.#insertion = `insert into "${table.name}" (${names.join()}) values (${values.join()})`
    const isWanted = table.key.map(({ name, kind }, index) => `t."${name}" = ${placeholder(kind, index, true)}`)
    this.#selection = `select ${selected(table, true)} from "${table.name}" as t where ${isWanted.join(' and ')}`
  }

  async insert(database: Kysely<any>, rows: readonly Row[]): Promise<void> {
    await inOrder(
      database,
      rows.map(row => CompiledQuery.raw(this.#insertion, [...row])),
    )
  }

  async read(database: Kysely<any>, keys: readonly Row[]): Promise<readonly Found[]> {
    const found = await inOrder(
      database,
      keys.map(key => CompiledQuery.raw(this.#selection, [...key])),
    )
    return found.flat() as Found[]
  }
}
