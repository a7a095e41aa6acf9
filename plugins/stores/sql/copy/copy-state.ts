import { randomUUID } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import { unfinishedCopy } from '../schema/marks.ts'
import { keyOfText, keyText, type Row } from './cells.ts'
import { CopyError } from './error.ts'
import type { Table } from './layout.ts'
import { TableRows } from './table-rows.ts'

/** How far the copy of one table is. */
export interface TableProgress {
  readonly rows: number
  /** The key of the last row; undefined before the first. */
  readonly last: Row | undefined
  /** The digest of these rows of the source, in the order of their keys. */
  readonly digest: string
  /** Texts that lost a NUL. */
  readonly changedTexts: number
}

export const notBegun: TableProgress = { rows: 0, last: undefined, digest: '', changedTexts: 0 }

/** The row of the copy as a whole. Tables have names. */
const whole = ''

interface Whole {
  /** For messages. */
  readonly source: string
  /** Of the process that copies now. */
  readonly run: string
}

interface Written extends Omit<TableProgress, 'last'> {
  readonly last?: string
}

/**
 * What the target knows of the copy until it is finished: the mark that keeps gateways away, and a row for each table that was begun, which
 * changes in the same transactions as the table.
 */
export class CopyState {
  readonly #run = randomUUID()
  readonly #source: string
  readonly #progress: Map<string, TableProgress>

  private constructor(source: string, progress: Map<string, TableProgress>) {
    this.#source = source
    this.#progress = progress
  }

  /** Begins a copy, or continues the one that is there. Throws if the target has something else. */
  static async begin(
    database: Kysely<any>,
    tables: readonly Table[],
    names: { readonly source: string; readonly target: string },
  ): Promise<CopyState> {
    return await database.transaction().execute(async transaction => {
      await transaction.schema
        .createTable('copy_progress')
        .ifNotExists()
        .addColumn('name', 'text', column => column.primaryKey())
        // JSON.
        .addColumn('state', 'text', column => column.notNull())
        .execute()
      const mark = await transaction.selectFrom('kysely_migration').select('name').where('name', '=', unfinishedCopy).executeTakeFirst()
      if (!mark) await requireEmpty(transaction, tables, names.target)
      const found = mark ? await readProgress(transaction) : new Map<string, TableProgress>()
      const state = new CopyState(names.source, found)
      if (!mark)
        await transaction.insertInto('kysely_migration').values({ name: unfinishedCopy, timestamp: new Date().toISOString() }).execute()
      await write(transaction, whole, { source: names.source, run: state.#run } satisfies Whole)
      return state
    })
  }

  /** True if an earlier run has copied rows. */
  get isResumed(): boolean {
    return this.#progress.size > 0
  }

  of(table: Table): TableProgress {
    return this.#progress.get(table.name) ?? notBegun
  }

  /** Call it in the transaction that adds the rows. Throws if another process copies into the target, too. */
  async advance(transaction: Kysely<any>, table: Table, { last, ...rest }: TableProgress): Promise<void> {
    await this.#requireAlone(transaction)
    await write(transaction, table.name, { ...rest, ...(last && { last: keyText(last) }) } satisfies Written)
  }

  /** Call it when a transaction with `advance` was committed. */
  advanced(table: Table, progress: TableProgress): void {
    this.#progress.set(table.name, progress)
  }

  /** The target is a database like any other from then on. */
  async finish(transaction: Kysely<any>): Promise<void> {
    await this.#requireAlone(transaction)
    await transaction.deleteFrom('kysely_migration').where('name', '=', unfinishedCopy).execute()
    await transaction.schema.dropTable('copy_progress').execute()
  }

  async #requireAlone(transaction: Kysely<any>): Promise<void> {
    const row = await transaction
      .updateTable('copy_progress')
      .set({ state: sql`state` })
      .where('name', '=', whole)
      .returning('state')
      .executeTakeFirst()
    const { run } = JSON.parse(row?.state ?? '{}') as Partial<Whole>
    if (run !== this.#run)
      throw new CopyError(`another turnpike copy has begun to copy ${this.#source} to the same database. Let that one finish`)
  }
}

async function write(transaction: Kysely<any>, name: string, value: object): Promise<void> {
  const state = JSON.stringify(value)
  await transaction
    .insertInto('copy_progress')
    .values({ name, state })
    .onConflict(conflict => conflict.column('name').doUpdateSet({ state }))
    .execute()
}

async function readProgress(transaction: Kysely<any>): Promise<Map<string, TableProgress>> {
  const rows = await transaction.selectFrom('copy_progress').select(['name', 'state']).where('name', '!=', whole).execute()
  return new Map(
    rows.map(({ name, state }) => {
      const { last, ...rest } = JSON.parse(state) as Written
      return [name, { ...rest, last: last === undefined ? undefined : keyOfText(last) }]
    }),
  )
}

async function requireEmpty(database: Kysely<any>, tables: readonly Table[], name: string): Promise<void> {
  const full: string[] = []
  for (const table of tables) if (!(await new TableRows(database, table).isEmpty(database))) full.push(table.name)
  if (full.length > 0)
    throw new CopyError(
      `${name} is not empty: it has rows in ${full.slice(0, 5).join(', ')}${full.length > 5 ? ', …' : ''}. ` +
        'Copy to a new database: a gateway must not have started on it yet',
    )
}
