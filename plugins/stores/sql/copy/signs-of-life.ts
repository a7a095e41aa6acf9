import { setTimeout } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { databaseNow } from '../database-now.ts'
import { defaultDeadAfterMs } from '../ledger/process.ts'
import type { Tables } from '../tables.ts'
import { CopyError } from './error.ts'

const lookEveryMs = 500
/** An idle gateway reads the clock every 15 s, and closes a connection that has been idle for 10 s. */
export const longestAwayMs = 6_000

/** Throws if a gateway uses this Postgres database, or if one may only seem dead. Takes `forMs`, in which an idle gateway shows itself. */
export async function requireNoLife(database: Kysely<Tables>, name: string, forMs: number): Promise<void> {
  await requireNoLeases(database, name)
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    await requireNoConnections(database, name)
    if (waitedMs >= forMs) return
    await setTimeout(lookEveryMs)
  }
}

/** Leases end by the clock of the database. */
async function requireNoLeases(database: Kysely<Tables>, name: string): Promise<void> {
  const { rows } = await sql<{ left: number | null }>`
    select greatest(
      (select max(seen_at) from ledger_process) + ${sql.lit(defaultDeadAfterMs)},
      (select max(lease_ends_at) from background),
      (select max(leased_until) from conversation)
    ) - ${databaseNow(database)} as left`.execute(database)
  const leftMs = Number(rows[0]?.left ?? 0)
  if (leftMs <= 0) return
  const seconds = Math.ceil(leftMs / 1_000)
  throw new CopyError(
    `a gateway uses ${name}, or was killed less than a minute ago. Stop all gateways that use it. If none runs any more, try again in ${seconds} s`,
  )
}

async function requireNoConnections(database: Kysely<Tables>, name: string): Promise<void> {
  const { rows } = await sql<{ pid: number; host: string | null }>`
    select pid, host(client_addr) as host from pg_stat_activity
    where datname = current_database() and application_name = 'turnpike' and pid <> pg_backend_pid()`.execute(database)
  const [first] = rows
  if (!first) return
  const others = rows.length > 1 ? ` and ${rows.length - 1} more` : ''
  throw new CopyError(
    `a gateway is connected to ${name}: process ${first.pid} of the server, from ${first.host ?? 'the same machine'}${others}. Stop all gateways that use it. ` +
      'If none runs any more, the connection is one that broke: end it with select pg_terminate_backend(pid)',
  )
}
