import { setTimeout } from 'node:timers/promises'
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import type { Logger } from '../../../../core/index.ts'
import { describeError, requirePeer } from '../../../../core/kit.ts'
import { migrate, orClosed, pendingMigrations, type Inspected, type Migrated } from '../migrate.ts'
import { SchemaError } from '../schema/error.ts'
import type { Tables } from '../tables.ts'
import { storingAnyText } from './dialect.ts'

export interface PostgresPlace {
  readonly url: string
  readonly maxConnections: number
}

const connectTimeoutMs = 5_000
const queryTimeoutMs = 30_000
/** A gateway that stands still within a transaction has locked rows that others need, so the server ends the transaction. */
const endIdleTransactions = "set idle_in_transaction_session_timeout = '10s'"
/** A database that starts together with the gateway is not there at once. */
const waitForStartMs = 5_000
const retryEveryMs = 250

/** Connects, and brings the tables up to date under an advisory lock. Throws for a database that cannot be used. */
export async function openPostgres(place: PostgresPlace, log: Logger): Promise<Migrated> {
  return await explained(place.url, async () => {
    // No time limit: an upgrade of a large database takes what it takes.
    const alone = await connect({ ...place, maxConnections: 1 }, log, undefined)
    const applied = await orClosed(alone, () => migrate(alone))
    await alone.destroy()
    return { database: await connect(place, log, queryTimeoutMs), applied }
  })
}

/** Connects without changing anything. */
export async function inspectPostgres(place: PostgresPlace, log: Logger): Promise<Inspected> {
  return await explained(place.url, async () => {
    const database = await connect({ ...place, maxConnections: 1 }, log, queryTimeoutMs)
    return await orClosed(database, async () => ({ database, pending: await pendingMigrations(database) }))
  })
}

/** One connection without time limits, for `turnpike copy`. */
export async function connectToCopy(side: '--from' | '--to', url: string, log: Logger): Promise<Kysely<Tables>> {
  return await explained(url, () => connect({ url, maxConnections: 1 }, log, undefined), side)
}

/** Database and server without user and password, for messages. */
export function nameOfUrl(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url)
  return `${pathname.slice(1) || 'default'} at ${searchParams.get('host') ?? hostname}${port && `:${port}`}`
}

/** A database whose tables are up to date. Connections open when they are first used. */
export async function connectPostgres(place: PostgresPlace, log: Logger): Promise<Kysely<Tables>> {
  return await pooled(place, log, queryTimeoutMs)
}

async function pooled({ url, maxConnections }: PostgresPlace, log: Logger, query_timeout: number | undefined): Promise<Kysely<Tables>> {
  requirePeer('sql', 'pg', 'for Postgres')
  const { Pool, types } = (await import('pg')).default
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    application_name: 'turnpike',
    ...(query_timeout !== undefined && {
      query_timeout,
      // Not in the connection's parameters, which PgBouncer would refuse.
      onConnect: async client => void (await client.query(endIdleTransactions)),
    }),
    types: { getTypeParser: (id, format) => (id === types.builtins.INT8 ? Number : types.getTypeParser(id, format as 'text')) },
  })
  // Without listeners, a connection that breaks ends the process. The pool listens to idle ones; the error of a busy one is that of its query.
  pool.on('error', error => log.warn('a connection to Postgres was lost', describeError(error)))
  pool.on('connect', client => client.on('error', () => {}))
  return new Kysely<Tables>({ dialect: storingAnyText(new PostgresDialect({ pool })) })
}

async function connect(place: PostgresPlace, log: Logger, query_timeout: number | undefined): Promise<Kysely<Tables>> {
  const database = await pooled(place, log, query_timeout)
  // Through Kysely, which closes the pool only if it has used it.
  return await orClosed(database, async () => {
    await reached(() => database.executeQuery(CompiledQuery.raw('select 1')))
    return database
  })
}

async function reached(ask: () => Promise<unknown>): Promise<void> {
  const giveUpAt = performance.now() + waitForStartMs
  for (;;) {
    try {
      await ask()
      return
    } catch (error) {
      if (!notYet.has(String((error as { readonly code?: unknown }).code)) || performance.now() > giveUpAt) throw error
      await setTimeout(retryEveryMs)
    }
  }
}

/** Nobody listens yet; or the server is starting up (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const notYet: ReadonlySet<string> = new Set(['ECONNREFUSED', '57P03'])

/** `option`: where the URL is from. */
async function explained<T>(url: string, work: () => Promise<T>, option = 'the option url (DATABASE_URL with defaults())'): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new Error(`database ${nameOfUrl(url)} cannot be used: ${messageOf(cause)}. ${remedy(cause, option)}`, { cause })
  }
}

/** A refused connection to a name with several addresses has its reasons inside. */
function messageOf(cause: unknown): string {
  const { message } = cause instanceof AggregateError ? (cause.errors[0] as Error) : (cause as Error)
  return message || String((cause as { readonly code?: unknown }).code)
}

function remedy(cause: unknown, option: string): string {
  const code = String((cause as { readonly code?: unknown }).code)
  if (cause instanceof SchemaError) return cause.remedy
  if (code === '3D000')
    return `${option === '--from' ? 'Name the database of the gateway' : 'Create it with createdb, or name another database'} in ${option}`
  if (code.startsWith('28')) return `Correct user and password in ${option}`
  if (code === '42501') return 'Let this user create tables in the schema'
  return `Make sure that the server runs and that ${option} is right`
}
