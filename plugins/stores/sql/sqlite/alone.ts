import { CompiledQuery, type Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

/** SQL for a connection that `ifAlone` takes: it gets the file at once, and without others, or an error. */
export const aloneSettings = 'pragma busy_timeout = 0; pragma locking_mode = exclusive'

/**
 * Runs `work` in a transaction if no connection, of this process or another, has the file open: the operating system frees the locks of a
 * process when it ends, however it ends. Otherwise, and if the file cannot be used, does nothing. The caller opens another file with the
 * same connection, or closes it.
 */
export async function ifAlone(database: Kysely<Tables>, work: (alone: Kysely<Tables>) => Promise<void>): Promise<void> {
  const run = (sql: string): Promise<unknown> => database.executeQuery(CompiledQuery.raw(sql))
  try {
    await run('begin exclusive')
    await work(database)
    await run('commit')
  } catch {
    // Another process has it, or the next one to open it reports the problem.
  }
}
