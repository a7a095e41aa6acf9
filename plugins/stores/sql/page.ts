import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Position } from '../../../core/stores.ts'

// Conditions for what comes after a position. Both databases find the start of such a page in an index of the two columns.

/** For lists that start with the oldest. */
export function afterInTime(timeColumn: string, { at, id }: Position, idColumn = 'id'): RawBuilder<SqlBool> {
  return sql`(${sql.ref(timeColumn)}, ${sql.ref(idColumn)}) > (${at}, ${id})`
}

/** For lists that start with the newest. */
export function beforeInTime(timeColumn: string, { at, id }: Position, idColumn = 'id'): RawBuilder<SqlBool> {
  return sql`(${sql.ref(timeColumn)}, ${sql.ref(idColumn)}) < (${at}, ${id})`
}
