import type { Logger } from '../../../../core/index.ts'
import type { Sealer } from '../../../../core/stores.ts'
import { rolledBack, type Place } from '../database.ts'
import { checkMasterKey } from '../master-key-check.ts'
import { CopyError } from './error.ts'
import { knownTables } from './layout.ts'
import { openSource, type Source } from './source.ts'
import { TableCopy } from './table-copy.ts'
import { isSamePlace, openTarget, type Target } from './target.ts'

export interface CopyOptions {
  readonly from: Place
  readonly to: Place
  /** With the keys of the source. */
  readonly sealer: Sealer
  readonly log: Logger
  /** How long to look for connections of gateways in Postgres. */
  readonly watchMs?: number
}

/** How far a copy is. */
export interface CopyProgress {
  /** `check`: what an earlier run has copied is compared with the source. */
  readonly step: 'check' | 'copy'
  readonly table: string
  /** Of this table. */
  readonly rows: number
  readonly ofRows: number
}

export interface CopyResult {
  readonly tables: number
  readonly rows: number
  /** By table: texts in which the character NUL, which Postgres cannot store, became U+FFFD. */
  readonly changedTexts: Readonly<Record<string, number>>
}

/** Copies all that gateways keep in one database to another. Nobody else can use either meanwhile. */
export class Copy {
  readonly source: string
  readonly target: string
  readonly #source: Source
  readonly #target: Target
  readonly #tables: readonly TableCopy[]
  readonly #sealer: Sealer

  private constructor(source: Source, target: Target, tables: readonly TableCopy[], sealer: Sealer) {
    this.source = source.name
    this.target = target.name
    this.#source = source
    this.#target = target
    this.#tables = tables
    this.#sealer = sealer
  }

  /** Throws if one of the two cannot be used for a copy. Nothing is copied yet. */
  static async open({ from, to, sealer, log, watchMs }: CopyOptions): Promise<Copy> {
    if (isSamePlace(from, to)) throw new CopyError('--from and --to name the same database')
    const tables = await knownTables()
    const source = await openSource(from, { tables, sealer, log, watchMs })
    try {
      const target = await openTarget(to, { tables, log, source: source.name })
      return new Copy(source, target, tables.map(table => new TableCopy(table, source, target)), sealer) // prettier-ignore
    } catch (error) {
      await source.close()
      throw error
    }
  }

  /** True if it continues an earlier run. */
  get isResumed(): boolean {
    return this.#target.state.isResumed
  }

  /** Copies, checks, and makes the target usable. After a failure, the same copy can be opened again and continues. */
  async run(onProgress: (progress: CopyProgress) => void): Promise<CopyResult> {
    try {
      if (this.isResumed) for (const table of this.#tables) await this.#verify(table, onProgress)
      for (const table of this.#tables) await this.#copy(table, onProgress)
      return await this.#finish()
    } catch (cause) {
      throw cause instanceof CopyError ? cause : cutOff(cause)
    }
  }

  async close(): Promise<void> {
    await this.#source.close()
    await this.#target.database.destroy()
  }

  async #verify(copy: TableCopy, onProgress: (progress: CopyProgress) => void): Promise<void> {
    const { rows: ofRows } = this.#target.state.of(copy.table)
    let rows = 0
    await copy.verify(read => onProgress({ step: 'check', table: copy.table.name, rows: (rows += read), ofRows }))
  }

  async #copy(copy: TableCopy, onProgress: (progress: CopyProgress) => void): Promise<void> {
    const ofRows = await copy.count()
    let { rows } = this.#target.state.of(copy.table)
    try {
      await copy.run(copied => onProgress({ step: 'copy', table: copy.table.name, rows: (rows += copied), ofRows }))
    } catch (cause) {
      throw cause instanceof CopyError ? cause : cutOff(cause, ` in table ${copy.table.name}, after ${rows} rows`)
    }
  }

  async #finish(): Promise<CopyResult> {
    const { database, state, name } = this.#target
    let rows = 0
    for (const table of this.#tables) rows += await table.checkCount()
    await rolledBack(database, inside => checkMasterKey(inside, this.#sealer, name))
    const changed = this.#tables.map(({ table }) => [table.name, state.of(table).changedTexts] as const).filter(([, texts]) => texts > 0)
    await database.transaction().execute(transaction => state.finish(transaction))
    return { tables: this.#tables.length, rows, changedTexts: Object.fromEntries(changed) }
  }
}

/** A full disk, a broken connection, a value that one of the databases does not take. */
function cutOff(cause: unknown, place = ''): CopyError {
  const { message, code } = cause as Error & { readonly code?: unknown }
  const reason = code === undefined || message.includes(String(code)) ? message : `${message} (${String(code)})`
  return new CopyError(
    `the copy stopped${place}: ${reason}. Remove the cause, then run the same command again: it continues where it stopped`,
    { cause },
  )
}
