import { invalidRequest, type JsonObject } from '../../../core/index.ts'
import {
  measureOf,
  mostRanked,
  type RankedPage,
  type RankedQuery,
  type RecordFacts,
  type RecordFilter,
  type RecordStore,
} from '../../../core/stores.ts'
import { recordObject } from './record-object.ts'
import { cursorAfter, placeIn, type Ranking } from './record-query.ts'
import { time } from './replies.ts'

const exportedAtOnce = 5_000

/** A page of records that is sorted or narrowed by numbers. `filter` is undefined if the token may see none. */
export async function rankedList(
  store: RecordStore,
  filter: RecordFilter | undefined,
  ranking: Ranking,
  cursor: string | undefined,
  pageLimit: number,
  now: number,
): Promise<JsonObject> {
  const place = cursor === undefined ? undefined : placeIn(cursor, ranking)
  const { from = null, to = now + 1 } = place ?? { from: filter?.from, to: filter?.to }
  const after = place && { value: place.value, at: place.at, id: place.id }
  // What arrives between two pages must not push the last records out of the period.
  const among = place ? 2 * ranking.among : ranking.among
  const asked = filter && { ...filter, from: from ?? undefined, to }
  const found = asked ? await read(store, asked, { ...ranking, among, limit: pageLimit + 1, after }) : nothing
  const searchedFrom = found.searchedFrom ?? place?.searched ?? null
  const shown = found.records.slice(0, pageLimit)
  const hasMore = found.records.length > pageLimit
  const period = { from: found.searchedFrom ?? from, to, searched: searchedFrom }
  return {
    data: shown.map(recordObject),
    has_more: hasMore,
    next_cursor: hasMore ? cursorAfter(shown.at(-1)!, ranking, period) : null,
    searched_from: searchedFrom === null ? null : time(searchedFrom),
  }
}

const nothing: RankedPage = { records: [], searchedFrom: null }

/**
 * All records that match. In the order of time, it looks at one period after the other. Throws a 400 if more have to be sorted than a list may
 * have.
 */
export async function rankedPages(
  store: RecordStore,
  filter: RecordFilter,
  ranking: Ranking,
): Promise<AsyncGenerator<readonly RecordFacts[], undefined>> {
  const first = await read(store, filter, { ...ranking, limit: exportedAtOnce })
  const isNewestFirst = ranking.by === 'at' && !ranking.ascending
  if (first.searchedFrom !== null && !isNewestFirst)
    throw invalidRequest(
      `Only the newest ${mostRanked} records of a filter can be sorted, and there are more. Set 'from' to ${time(first.searchedFrom)} or later, or leave out 'sort' and 'order'.`,
      'from',
    )
  return pagesFrom(store, filter, ranking, first)
}

async function* pagesFrom(
  store: RecordStore,
  filter: RecordFilter,
  ranking: Ranking,
  first: RankedPage,
): AsyncGenerator<readonly RecordFacts[], undefined> {
  let page = first
  let period = filter
  let shown = new Set<string>()
  for (;;) {
    const { records, searchedFrom } = page
    const fresh = records.filter(({ id }) => !shown.has(id))
    if (fresh.length > 0) yield fresh
    const last = records.at(-1)
    if (last && records.length === exportedAtOnce) {
      const after = { value: measureOf(last, ranking.by)!, at: last.at, id: last.id }
      page = await read(store, period, { ...ranking, limit: exportedAtOnce, after })
    } else {
      if (searchedFrom === null || searchedFrom + 1 >= (period.to ?? Infinity)) return undefined
      // Others may have arrived in the last millisecond of the period.
      shown = new Set(records.filter(({ at }) => at === searchedFrom).map(({ id }) => id))
      period = { ...period, to: searchedFrom + 1 }
      page = await read(store, period, { ...ranking, limit: exportedAtOnce })
    }
  }
}

async function read(store: RecordStore, filter: RecordFilter, query: RankedQuery): Promise<RankedPage> {
  if (!store.ranked)
    throw invalidRequest(
      "The record store of this gateway cannot sort records, nor compare their numbers. Leave out 'sort', 'order', and what begins with min_ or max_.",
      'sort',
      'unsupported_parameter',
    )
  return await store.ranked(filter, query)
}
