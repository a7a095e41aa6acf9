import { invalidRequest } from '../../../core/index.ts'
import {
  measureOf,
  mostRanked,
  recordFields,
  recordFilters,
  recordMeasures,
  snakeCase,
  type Field,
  type RankedQuery,
  type RecordFacts,
  type RecordFilter,
  type RecordFilterName,
  type RecordMeasure,
} from '../../../core/stores.ts'
import type { Admin } from '../../../core/admin.ts'
import { rankedCursorAt, rankedPlaceIn, type RankedPlace } from './ranked-cursor.ts'
import type { Query } from './query.ts'

const filterNames = Object.keys(recordFilters) as readonly RecordFilterName[]
const measures = new Map(recordMeasures.map(measure => [snakeCase(measure) as string, measure]))
const byTime = 'created_at'
export const sorts = [byTime, ...measures.keys()]
const orders = ['desc', 'asc'] as const
const bounds = [...measures.keys()].flatMap(name => [`min_${name}`, `max_${name}`])
export const recordParameters = ['id', ...filterNames, 'status', 'failed', 'from', 'to', ...bounds, 'sort', 'order']

/** A list that is sorted or narrowed by numbers. */
export interface Ranking extends Pick<RankedQuery, 'by' | 'ascending' | 'ranges' | 'among'> {
  readonly sort: string
}

/** The filter of a query. Undefined if it names an organization that the token may not see: then there are no records. Throws a 400. */
export function filterIn(query: Query, admin: Admin, session: string | undefined): RecordFilter | undefined {
  const org = query.text('org')
  const status = query.text('status') === 'error' ? 'error' : query.number('status')
  if (typeof status === 'number' && !(Number.isInteger(status) && status >= 100 && status <= 599))
    throw invalidRequest(
      "Invalid value for 'status': expected a whole number from 100 to 599, or error for all of 400 and above.",
      'status',
    )
  const filter: RecordFilter = {
    id: query.text('id'),
    ...Object.fromEntries(filterNames.map(name => [name, filterValue(query, name)])),
    org: admin.org ?? org,
    session,
    status,
    failed: query.flag('failed') || undefined,
    ...query.range(),
    minCostUsd: query.number('min_cost_usd'),
  }
  return admin.org !== undefined && org !== undefined && org !== admin.org ? undefined : filter
}

function filterValue(query: Query, name: RecordFilterName): string | undefined {
  const { choices } = recordFields[recordFilters[name] as keyof typeof recordFields] as Field
  return choices ? query.oneOf(name, choices) : query.text(name)
}

/** How a query sorts and narrows by numbers. Undefined for the newest first without bounds. Throws a 400. */
export function rankingIn(query: Query): Ranking | undefined {
  const sort = query.oneOf('sort', sorts) ?? byTime
  const ascending = query.oneOf('order', orders) === 'asc'
  const ranges = Object.fromEntries([...measures].flatMap(([name, measure]) => rangeIn(query, name, measure)))
  if (sort === byTime && !ascending && Object.keys(ranges).length === 0) return undefined
  return { sort, by: measures.get(sort) ?? 'at', ascending, ranges, among: mostRanked }
}

function rangeIn(query: Query, name: string, measure: RecordMeasure): readonly (readonly [RecordMeasure, object])[] {
  // An index of its own finds records that cost much.
  const least = measure === 'costUsd' ? undefined : query.number(`min_${name}`)
  const most = query.number(`max_${name}`)
  const lower = query.number(`min_${name}`)
  if (lower !== undefined && most !== undefined && lower > most)
    throw invalidRequest(`Invalid value for 'min_${name}': expected at most the value of max_${name}.`, `min_${name}`)
  if (least === undefined && most === undefined) return []
  return [[measure, { ...(least !== undefined && { least }), ...(most !== undefined && { most }) }]]
}

/** Where a ranked list goes on. The cursor also has the period of the first page, so that new records do not move the list. */
export function placeIn(cursor: string, { sort, ascending }: Ranking): RankedPlace {
  return rankedPlaceIn(cursor, sort, ascending)
}

/** The cursor after a record. */
export function cursorAfter(
  last: RecordFacts,
  { sort, by, ascending }: Ranking,
  period: Pick<RankedPlace, 'from' | 'to' | 'searched'>,
): string {
  return rankedCursorAt({ sort, ascending, value: measureOf(last, by)!, at: last.at, id: last.id, ...period })
}
