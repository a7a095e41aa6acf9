import { systemClock } from '../../core/foundation/clock.ts'
import { createLogger } from '../../core/foundation/logger.ts'
import { Masks } from '../../core/foundation/masks.ts'
import { leanKey } from '../../core/testing/stores/key-store-suite.ts'
import { SqlKeys } from '../../plugins/stores/sql/keys.ts'
import { openPostgres } from '../../plugins/stores/sql/postgres/open.ts'
import { sql } from 'kysely'
import type { PostgresServer } from '../../test/plugins/stores/postgres-server.ts'
import { cpuMs } from '../process-stat.ts'
import { rounded } from '../statistics.ts'

const count = 20_000
const atOnce = 16

/** Measures the size of a key in the tables of Postgres, and the cost of looking one up. */
export async function keyCosts(postgres: PostgresServer): Promise<object> {
  const log = createLogger('silent', new Masks())
  const { database } = await openPostgres({ url: await postgres.createDatabase(), maxConnections: 2 }, log)
  const keys = new SqlKeys(database, systemClock, log, { cacheTtlMs: 0, staleKeysMs: 0 })
  const idOf = (index: number): string => `k${String(index).padStart(11, '0')}`
  const each = async (run: (index: number) => unknown): Promise<void> => {
    let next = 0
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (next < count) await run(next++)
      }),
    )
  }
  const size = async (): Promise<number> => {
    const { rows } = await sql<{ size: string }>`select pg_database_size(current_database()) as size`.execute(database)
    return Number(rows[0]!.size)
  }
  const before = await size()
  await each(index =>
    keys.add({ ...leanKey, id: idOf(index), hash: `${idOf(index)}-of-a-hash-of-sixty-four-characters-as-they-are-stored` }),
  )
  const keyBytes = rounded(((await size()) - before) / count, 0)
  const from = cpuMs(postgres.pid)
  await each(index => keys.find(idOf((index * 7919) % count)))
  const cpuUs = rounded(((cpuMs(postgres.pid) - from) * 1000) / count, 1)
  await database.destroy()
  // A row of a key, and the statement with its id.
  return { keyBytes, lookup: { cpuUs, inBytes: 120, outBytes: 500 } }
}
