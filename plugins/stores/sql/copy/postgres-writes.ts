import { CompiledQuery, type Kysely } from 'kysely'
import type { Cell, Row } from './cells.ts'
import type { Column, Table } from './layout.ts'
import { postgresTypes, selected, type Writes } from './statements.ts'

type Found = Readonly<Record<string, unknown>>

/** One statement for all rows, with an array for each column. */
export class PostgresWrites implements Writes {
  readonly #insertion: string
  readonly #selection: string

  constructor(table: Table) {
    const names = table.columns.map(({ name }) => `"${name}"`)
    // Identity columns get the values of the source, too.
    this.#insertion = `insert into "${table.name}" (${names.join()}) overriding system value select * from unnest(${arraysOf(table.columns)})`
    const keys = table.key.map(({ name }) => `"${name}"`)
    const isWanted = table.key.map(({ name }) => `t."${name}" = k."${name}"`)
    this.#selection =
      `select ${selected(table, false)} from unnest(${arraysOf(table.key)}) as k(${keys.join()}) ` +
      `join "${table.name}" as t on ${isWanted.join(' and ')}`
  }

  async insert(database: Kysely<any>, rows: readonly Row[]): Promise<void> {
    await database.executeQuery(CompiledQuery.raw(this.#insertion, turned(rows)))
  }

  async read(database: Kysely<any>, keys: readonly Row[]): Promise<readonly Found[]> {
    return (await database.executeQuery<Found>(CompiledQuery.raw(this.#selection, turned(keys)))).rows
  }
}

function arraysOf(columns: readonly Column[]): string {
  return columns.map(({ kind }, index) => `$${index + 1}::${postgresTypes[kind]}[]`).join()
}

/** Columns of rows. */
function turned(rows: readonly Row[]): Cell[][] {
  return rows[0]!.map((_, index) => rows.map(row => row[index]!))
}
