import type { LogSink, RequestRecord } from '../../../core/index.ts'
import {
  isBySession,
  measureOf,
  NamedModels,
  recordFilters,
  type KeyUse,
  type PageQuery,
  type Position,
  type RankedPage,
  type RankedQuery,
  type RecordFacts,
  type RecordFilter,
  type RecordMeasure,
  type RecordStore,
  type UsageQuery,
  type UsageRow,
} from '../../../core/stores.ts'
import { compared, pageOf } from './page.ts'
import { usageOf } from './usage.ts'

/** Keeps the newest records, without content: at least `most`, and at most a quarter more. */
export class MemoryRecords implements RecordStore, LogSink {
  readonly name = 'memory-records'
  readonly accepts = 'metadata'
  readonly #most: number
  readonly #records: RecordFacts[] = []
  /** Of all records since the start. */
  readonly #keyUse = new Map<string, KeyUse>()
  readonly #named = new NamedModels()

  constructor(most: number) {
    this.#most = most
  }

  async write(batch: readonly RequestRecord[]): Promise<void> {
    for (const model of this.#named.wantedBy(batch)) this.#named.add(model)
    for (const record of batch) {
      // A sink of metadata gets records without content, so they need no copy.
      this.#insert(record)
      this.#use(record)
    }
    // Not at each batch: it moves every record.
    if (this.#records.length > this.#most * 1.25) this.#records.splice(0, this.#records.length - this.#most)
  }

  page(filter: RecordFilter, query: PageQuery): readonly RecordFacts[] {
    return pageOf(this.#records.filter(wantedBy(filter)), record => record, query, true)
  }

  ranked(filter: RecordFilter, { by, ascending, ranges, among, limit, after }: RankedQuery): RankedPage {
    const found = this.#records.filter(wantedBy(filter))
    const seen = found.slice(-among - 1)
    const isInRange = ([measure, { least = -Infinity, most = Infinity }]: Range, record: RecordFacts): boolean => {
      const value = measureOf(record, measure)
      return value !== null && value >= least && value <= most
    }
    const bounds = Object.entries(ranges) as readonly Range[]
    const sign = ascending ? 1 : -1
    const places = seen.flatMap(record => {
      const value = measureOf(record, by)
      return value !== null && bounds.every(range => isInRange(range, record)) ? [{ value, at: record.at, id: record.id, record }] : []
    })
    const left = after ? places.filter(place => sign * comparedByValue(place, after) > 0) : places
    return {
      records: left
        .toSorted((a, b) => sign * comparedByValue(a, b))
        .slice(0, limit)
        .map(({ record }) => record),
      searchedFrom: seen.length > among ? seen[0]!.at : null,
    }
  }

  find(id: string): RecordFacts | undefined {
    return this.#records.findLast(record => record.id === id || record.answerId === id)
  }

  /** Content is not kept. */
  content(): undefined {
    return undefined
  }

  usage(query: UsageQuery): readonly UsageRow[] {
    const { from, to, org, team, user, key, session } = query
    const wanted = this.#records.filter(wantedBy({ from, to, org, team, user, key, session }))
    return usageOf(isBySession(query) ? wanted.filter(record => record.session !== null) : wanted, this.#named, query)
  }

  /** No content is kept. */
  eraseContent(): void {}

  keyUse(keys: readonly string[]): ReadonlyMap<string, KeyUse> {
    return new Map(
      keys.flatMap(key => {
        const use = this.#keyUse.get(key)
        return use ? [[key, use]] : []
      }),
    )
  }

  usedKeys(since: number, query: PageQuery): readonly Position[] {
    const used = Array.from(this.#keyUse, ([id, { lastUsedAt }]): Position => ({ at: lastUsedAt, id })).filter(({ at }) => at >= since)
    return pageOf(used.toSorted(compared), position => position, query)
  }

  /** Records are closed when their request ends, but are ordered by when it arrived: nearly the same. */
  #insert(record: RecordFacts): void {
    const records = this.#records
    let index = records.length
    while (index > 0 && compared(records[index - 1]!, record) > 0) index--
    if (index === records.length) records.push(record)
    else records.splice(index, 0, record)
  }

  #use({ keyId, at, costUsd }: RecordFacts): void {
    if (keyId === null) return
    const { requests, costUsd: before, lastUsedAt } = this.#keyUse.get(keyId) ?? { requests: 0, costUsd: 0, lastUsedAt: 0 }
    this.#keyUse.set(keyId, { requests: requests + 1, costUsd: before + (costUsd ?? 0), lastUsedAt: Math.max(lastUsedAt, at) })
  }
}

type Range = readonly [measure: RecordMeasure, range: NonNullable<RankedQuery['ranges'][RecordMeasure]>]
type Place = NonNullable<RankedQuery['after']>

function comparedByValue(a: Place, b: Place): number {
  return a.value === b.value ? compared(a, b) : a.value - b.value
}

function wantedBy(filter: RecordFilter): (record: RecordFacts) => boolean {
  const { id, model, provider, status, from = -Infinity, to = Infinity, minCostUsd, failed, ...equal } = filter
  const members = Object.entries(equal).flatMap(([name, value]) =>
    value === undefined ? [] : [[recordFilters[name as keyof typeof equal], value] as const],
  )
  return record =>
    (id === undefined || record.id === id || record.answerId === id) &&
    members.every(([member, value]) => record[member] === value) &&
    isAsked(record, model, provider) &&
    (status === undefined || (status === 'error' ? record.status >= 400 : record.status === status)) &&
    (failed === undefined || record.status >= 400 || record.reason !== null) &&
    record.at >= from &&
    record.at < to &&
    (minCostUsd === undefined || (record.costUsd ?? 0) >= minCostUsd)
}

/** True if an attempt of the request asked the model at the provider. Undefined: any. */
function isAsked(record: RecordFacts, model: string | undefined, provider: string | undefined): boolean {
  const isWanted = (each: Pick<RecordFacts, 'model' | 'provider'>): boolean =>
    (model === undefined || each.model === model) && (provider === undefined || each.provider === provider)
  return isWanted(record) || record.attempts.some(isWanted)
}
