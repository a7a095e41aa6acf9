import type { CompiledQuery, Kysely } from 'kysely'
import { isSqlite } from './migrations/dialect.ts'
import { StatementList } from './sqlite/statement-list.ts'
import type { Tables } from './tables.ts'

/**
 * Runs statements of a transaction one after the other, and returns the rows of each. SQLite gets all of them at once: the answer of its thread
 * takes a turn of the event loop, which is long when the gateway is busy, and others wait for the end of the transaction.
 */
export async function inOrder(transaction: Kysely<Tables>, statements: readonly CompiledQuery[]): Promise<readonly (readonly unknown[])[]> {
  if (statements.length === 0) return []
  if (isSqlite(transaction)) return (await transaction.executeQuery<readonly unknown[]>(new StatementList(statements))).rows
  const results: (readonly unknown[])[] = []
  for (const statement of statements) results.push((await transaction.executeQuery(statement)).rows)
  return results
}
