import { setTimeout } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isSqlite } from './dialect.ts'

const askEveryMs = 500

export interface AddedIndex {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
  /** The rows that it has, in SQL, such as `kind is not null`. Default: all. */
  readonly where?: string
}

/** A migration that Postgres runs outside of a transaction. */
export interface Expansion extends Migration {
  readonly isOutside?: true
}

/**
 * A migration that makes an index of a table that may have many rows. On Postgres, others write to the table meanwhile, and several gateways may
 * begin it at once: the lock of a session, which would prevent that, is shared by clients of a pooler.
 */
export function addedIndex(index: AddedIndex): Expansion {
  return { isOutside: true, up: database => (isSqlite(database) ? make(database, index, sql``) : makeConcurrently(database, index)) }
}

async function makeConcurrently(database: Kysely<any>, index: AddedIndex): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ valid: boolean; growing: boolean }>`
      select indisvalid as valid, exists (select 1 from pg_stat_progress_create_index where index_relid = indexrelid) as growing
      from pg_index where indexrelid = to_regclass(${`"${index.name}"`})`.execute(database)
    const [found] = rows
    if (found?.valid) return
    if (found?.growing) await setTimeout(askEveryMs)
    else {
      // Of a try that was cut off.
      if (found) await sql`drop index concurrently if exists ${sql.ref(index.name)}`.execute(database)
      await make(database, index, sql`concurrently`)
    }
  }
}

async function make(database: Kysely<any>, { name, table, columns, where }: AddedIndex, how: ReturnType<typeof sql>): Promise<void> {
  const condition = where === undefined ? sql`` : sql`where (${sql.raw(where)})`
  const names = sql.join(columns.map(column => sql.ref(column)))
  await sql`create index ${how} if not exists ${sql.ref(name)} on ${sql.table(table)} (${names}) ${condition}`.execute(database)
}
