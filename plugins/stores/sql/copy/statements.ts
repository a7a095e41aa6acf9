import type { Kysely } from 'kysely'
import type { Row } from './cells.ts'
import type { Kind, Table } from './layout.ts'

/** Inserts rows, and reads them again by their keys. The answer has them in any order. */
export interface Writes {
  insert(database: Kysely<any>, rows: readonly Row[]): Promise<void>
  read(database: Kysely<any>, keys: readonly Row[]): Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** All columns of the table `t`. */
export function selected({ columns }: Table, forSqlite: boolean): string {
  return columns
    .map(({ name, kind }) => {
      if (kind !== 'integer') return `t."${name}"`
      return `${forSqlite ? `cast(t."${name}" as text)` : `t."${name}"::text`} as "${name}"`
    })
    .join()
}

export const postgresTypes: Readonly<Record<Kind, string>> = { text: 'text', integer: 'bigint', real: 'float8', bytes: 'bytea' }

/** `index`: from 0. */
export function placeholder(kind: Kind, index: number, forSqlite: boolean): string {
  if (!forSqlite) return `$${index + 1}::${postgresTypes[kind]}`
  return kind === 'integer' ? 'cast(? as integer)' : '?'
}
