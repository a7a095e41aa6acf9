import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Tables } from './database.ts'
import type { ResponseTable } from './response-rows.ts'

export type ResponseLink = Pick<ResponseTable, 'id' | 'previous_id' | 'org' | 'conversation'>

/**
 * A response and its ancestors in no order. `union` drops what it has met before, so that a chain that bites its tail ends. SQLite never
 * turns a cross join around: left to choose, it reads all that the owner has (https://sqlite.org/optoverview.html#crossjoin).
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
