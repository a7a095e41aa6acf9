import { sql, type Kysely } from 'kysely'
import type { NamedModels, UnlistedModel } from '../../../../core/stores.ts'
import { isSqlite } from '../migrations/dialect.ts'
import { storableText } from '../storable-text.ts'
import type { Tables } from '../tables.ts'

/** Any number: it names the lock among those of this database. */
const lockId = 1_380_012_022

/** Gives names to these models as far as their organizations may have more, whichever gateway asks. Returns all names that are known then. */
export async function withNames(transaction: Kysely<Tables>, known: NamedModels, wanted: readonly UnlistedModel[]): Promise<NamedModels> {
  if (wanted.length === 0) return known
  if (!isSqlite(transaction)) await sql`select pg_advisory_xact_lock(${sql.lit(lockId)})`.execute(transaction)
  const stored = await transaction
    .selectFrom('named_model')
    .selectAll()
    .where('org', 'in', [...new Set(wanted.map(({ org }) => org))])
    .execute()
  const named = known.with(stored)
  const added = wanted.filter(model => named.add(model))
  if (added.length > 0)
    await transaction
      .insertInto('named_model')
      .values(added.map(({ org, provider, model }) => ({ org, provider, model: storableText(model) })))
      .onConflict(conflict => conflict.doNothing())
      .execute()
  return named
}
