import { sql, type Kysely } from 'kysely'
import { isSqlite } from '../migrations/dialect.ts'
import type { Tables } from '../tables.ts'
import { chained, digestOf, keyOf, keyText, storableRow, type Row } from './cells.ts'
import { notBegun, type CopyState, type TableProgress } from './copy-state.ts'
import { CopyError } from './error.ts'
import type { Column, Table } from './layout.ts'
import type { Source } from './source.ts'
import { TableRows } from './table-rows.ts'
import type { Target } from './target.ts'

/** Copies one table, page by page. */
export class TableCopy {
  readonly table: Table
  readonly #source: Source
  readonly #target: Target
  readonly #from: TableRows
  readonly #to: TableRows

  constructor(table: Table, source: Source, target: Target) {
    this.table = table
    this.#source = source
    this.#target = target
    this.#from = new TableRows(source.database, table)
    this.#to = new TableRows(target.database, table)
  }

  /** In the source. */
  async count(): Promise<number> {
    return await this.#from.count(this.#source.database)
  }

  /**
   * Goes through what an earlier run has copied: the source must still have the same rows. `onRows` gets the number of rows that were read.
   */
  async verify(onRows: (rows: number) => void): Promise<void> {
    const { rows, last, digest: expected } = this.#state.of(this.table)
    if (last === undefined) return
    let [digest, seen] = [notBegun.digest, 0]
    for (let after: Row | undefined; seen < rows;) {
      const page = (await this.#from.page(this.#source.database, after)).slice(0, rows - seen)
      if (page.length === 0) break
      for (const row of page) digest = chained(digest, digestOf(row))
      seen += page.length
      after = keyOf(this.table, page.at(-1)!)
      onRows(page.length)
    }
    if (digest !== expected)
      throw new CopyError(
        `${this.#source.name} is not what was copied before: table ${this.table.name} has changed. ` +
          `To copy it as it is now, delete ${this.#target.name} and begin again`,
      )
  }

  /** Copies the rest. `onRows` gets the number of rows that were copied and checked. */
  async run(onRows: (rows: number) => void): Promise<void> {
    for (;;) {
      const before = this.#state.of(this.table)
      const page = await this.#from.page(this.#source.database, before.last)
      if (page.length === 0) break
      const progress = await this.#copied(before, page)
      this.#state.advanced(this.table, progress)
      onRows(page.length)
    }
    if (!isSqlite(this.#target.database))
      for (const column of this.table.columns) await continueSequence(this.#target.database, this.table, column)
  }

  /** Throws unless both databases have as many rows as were copied. */
  async checkCount(): Promise<number> {
    const { rows } = this.#state.of(this.table)
    const [from, to] = [await this.count(), await this.#to.count(this.#target.database)]
    if (from === rows && to === rows) return rows
    throw new CopyError(
      `table ${this.table.name} has ${from} rows in ${this.#source.name} and ${to} in ${this.#target.name}, of which ${rows} were copied. ` +
        `Find out who else writes to one of them, delete ${this.#target.name}, and begin again`,
    )
  }

  get #state(): CopyState {
    return this.#target.state
  }

  /** One page, in one transaction. */
  async #copied(before: TableProgress, page: readonly Row[]): Promise<TableProgress> {
    let { digest, changedTexts } = before
    const rows: Row[] = []
    for (const read of page) {
      digest = chained(digest, digestOf(read))
      const { row, texts } = isSqlite(this.#target.database) ? { row: read, texts: 0 } : storableRow(read)
      changedTexts += texts
      rows.push(row)
    }
    const progress = { rows: before.rows + page.length, last: keyOf(this.table, page.at(-1)!), digest, changedTexts }
    // Before they are sent, because large values move to the thread.
    const wanted = rows.map(digestOf)
    const keys = rows.map(row => keyOf(this.table, row))
    await this.#target.database.transaction().execute(async transaction => {
      await this.#state.advance(transaction, this.table, progress)
      await this.#to.insert(transaction, rows)
      this.#compare(keys, wanted, await this.#to.read(transaction, keys))
    })
    return progress
  }

  /** `read`: from the target, in any order. */
  #compare(keys: readonly Row[], wanted: readonly string[], read: readonly Row[]): void {
    const digests = new Map(read.map(row => [keyText(keyOf(this.table, row)), digestOf(row)]))
    const wrong = keys.findIndex((key, index) => digests.get(keyText(key)) !== wanted[index])
    if (wrong === -1) return
    throw new CopyError(
      `${this.#target.name} returns the row ${keyText(keys[wrong]!).slice(0, 200)} of table ${this.table.name} in another form than ${this.#source.name} has it. ` +
        'That is a mistake in turnpike copy: please report it with the type of the column that differs',
    )
  }
}

/** Numbers that Postgres gives to new rows come after those that were copied. */
async function continueSequence(database: Kysely<Tables>, table: Table, { name, kind }: Column): Promise<void> {
  if (kind !== 'integer') return
  const quoted = `"${table.name}"`
  await sql`
    select setval(sequence::regclass, (select max(${sql.ref(name)}) from ${sql.table(table.name)}))
    from pg_get_serial_sequence(${quoted}, ${name}) as sequence
    where sequence is not null and exists (select 1 from ${sql.table(table.name)})`.execute(database)
}
