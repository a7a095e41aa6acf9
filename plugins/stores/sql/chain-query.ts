import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { ResponseTable, Tables } from './tables.ts'

export type ResponseLink = Pick<ResponseTable, 'id' | 'previous_id' | 'org' | 'conversation'>

/**
 * A response and its ancestors, in no order. `union` drops repeated rows, so a chain with a loop still ends. SQLite never reorders a
 * cross join. If it could, it would read everything of this owner (https://sqlite.org/optoverview.html#crossjoin).
 */
export function chainQuery(database: Kysely<Tables>, owner: string, id: string): Pick<Query, 'compile' | 'execute'> {
  return database
    .withRecursive('link', query =>
      query
        .selectFrom('response')
        .select(['response.id', 'response.previous_id'])
        .where('response.owner', '=', owner)
        .where('response.id', '=', id)
        .union(
          query
            .selectFrom('link')
            .crossJoin('response')
            .select(['response.id', 'response.previous_id'])
            .where('response.owner', '=', owner)
            .whereRef('response.id', '=', 'link.previous_id'),
        ),
    )
    .selectFrom('link')
    .crossJoin('response')
    .select(['response.id', 'response.previous_id', 'response.org', 'response.conversation'])
    .where('response.owner', '=', owner)
    .whereRef('response.id', '=', 'link.id')
}

type Query = SelectQueryBuilder<Tables, 'response', ResponseLink>
