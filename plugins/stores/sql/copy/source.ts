import { sql, type Kysely } from 'kysely'
import type { Logger } from '../../../../core/index.ts'
import type { Sealer } from '../../../../core/stores.ts'
import { firstMigration, nameOf, rolledBack, type Place } from '../database.ts'
import { checkMasterKey } from '../master-key-check.ts'
import { connectToCopy } from '../postgres/open.ts'
import { pendingMigrations } from '../migrate.ts'
import { SchemaError } from '../schema/error.ts'
import type { Tables } from '../tables.ts'
import { CopyError } from './error.ts'
import { requireTables, type Table } from './layout.ts'
import { longestAwayMs, requireNoLife } from './signs-of-life.ts'
import { openAlone } from './sqlite-file.ts'

/** A database that is copied. Nobody else can change it until it is closed. */
export interface Source {
  readonly name: string
  /** To read from: with Postgres, a transaction that sees one moment. */
  readonly database: Kysely<Tables>
  close(): Promise<void>
}

export interface SourceOptions {
  readonly tables: readonly Table[]
  readonly sealer: Sealer
  readonly log: Logger
  /** How long to look for connections of gateways in Postgres. */
  readonly watchMs?: number | undefined
}

/** Throws if a gateway uses it, if it is of another version, or if it has another master key. */
export async function openSource(place: Place, options: SourceOptions): Promise<Source> {
  return 'url' in place ? await openPostgresSource(place, options) : await openSqliteSource(place.file, options)
}

async function openSqliteSource(file: string, { tables, sealer }: SourceOptions): Promise<Source> {
  const database = await openAlone('--from', file)
  try {
    await requireFit(database, file, tables)
    await rolledBack(database, inside => checkMasterKey(inside, sealer, file))
    return { name: file, database, close: () => database.destroy() }
  } catch (error) {
    await database.destroy()
    throw error
  }
}

/** Puts the name of the database before what is wrong with its schema. */
export async function named<T>(name: string, work: () => T): Promise<Awaited<T>> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof SchemaError ? new CopyError(`${name} cannot be used: ${error.message}. ${error.remedy}`) : error
  }
}

async function openPostgresSource(place: Extract<Place, { readonly url: string }>, options: SourceOptions): Promise<Source> {
  const { tables, sealer, log, watchMs = longestAwayMs } = options
  const name = nameOf(place)
  const database = await connectToCopy('--from', place.url, log)
  try {
    await requireFit(database, name, tables)
    await rolledBack(database, inside => checkMasterKey(inside, sealer, name))
    await requireNoLife(database, name, watchMs)
    const transaction = await database.startTransaction().setIsolationLevel('repeatable read').execute()
    // A connection that broke has no transaction any more.
    const rollback = (): Promise<unknown> => transaction.rollback().execute().catch(() => {}) // prettier-ignore
    try {
      // Locks come before the first read: https://www.postgresql.org/docs/current/sql-lock.html
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction)
      await sql`set local statement_timeout = 0`.execute(transaction)
      await lockTables(transaction, name, tables)
      await requireNoLife(transaction, name, 0)
    } catch (error) {
      await rollback()
      throw error
    }
    return { name, database: transaction, close: () => rollback().then(() => database.destroy()) }
  } catch (error) {
    await database.destroy()
    throw error
  }
}

/** Others may read, but change nothing. */
async function lockTables(transaction: Kysely<Tables>, name: string, tables: readonly Table[]): Promise<void> {
  try {
    await sql`lock table ${sql.join(tables.map(table => sql.table(table.name)))} in share mode nowait`.execute(transaction)
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== '55P03') throw cause
    throw new CopyError(`somebody is writing to ${name}. Stop all gateways that use it, then copy again`, { cause })
  }
}

async function requireFit(database: Kysely<Tables>, name: string, tables: readonly Table[]): Promise<void> {
  const pending = await named(name, () => pendingMigrations(database))
  if (pending.includes(firstMigration))
    throw new CopyError(`there is no Turnpike data in ${name}. Name the database that the gateway uses in --from`)
  if (pending.length > 0)
    throw new CopyError(
      `${name} is of an earlier version of the gateway: ${pending.length} migrations have not run. Run turnpike migrate with the config that uses it, then copy`,
    )
  await requireTables(
    database,
    name,
    tables,
    'Is it the database of a gateway of this version? If a copy or a restore of it was cut off, repeat that',
  )
}
