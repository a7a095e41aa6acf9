import { dayStarts, isBySession, type UsageQuery } from '../../../../core/stores.ts'
import { rollUpMs } from './added.ts'
import type { UsageTable } from './tables.ts'

/** Sums of one length that count, or with the sign -1 are taken away again, in the bucket that begins at `start`. */
export interface Span {
  readonly stored: UsageTable['bucket']
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly sign: 1 | -1
  readonly start: number
}

/** From the longest to the shortest. */
const lengths = ['day', 'hour', 'quarter', 'minute'] as const

/**
 * The fewest sums that add up to the buckets of a query. Between two bounds lie whole days. Where a bound is not midnight in UTC, the hours
 * up to the nearest midnight are added or taken away, then likewise the quarters of an hour and the minutes.
 */
export function spansOf(query: UsageQuery): readonly Span[] {
  const { bucket, from, to } = query
  if (isBySession(query)) return sessionSpans(query)
  if (bucket === 'minute' || bucket === 'hour') return [{ stored: bucket, from: floor(from, rollUpMs[bucket]), to, sign: 1, start: from }]
  const first = floor(from, rollUpMs.minute)
  const end = Math.ceil(to / rollUpMs.minute) * rollUpMs.minute
  const starts = bucket === 'day' && query.timeZone !== undefined ? dayStarts(from, to, query.timeZone) : [from]
  return starts.flatMap((start, index) => between(index === 0 ? first : start, starts[index + 1] ?? end, start, dayFor(query)))
}

/** Days and quarters of an hour: the rest is not kept by session. */
function sessionSpans({ bucket, from, to, timeZone }: UsageQuery): readonly Span[] {
  const first = floor(from, rollUpMs.quarter)
  const end = Math.ceil(to / rollUpMs.quarter) * rollUpMs.quarter
  if (bucket === 'minute' || bucket === 'hour') return [{ stored: 'quarter', from: first, to: end, sign: 1, start: from }]
  const starts = bucket === 'day' && timeZone !== undefined ? dayStarts(from, to, timeZone) : [from]
  return starts.flatMap((start, index) => {
    const [begin, over] = [index === 0 ? first : start, starts[index + 1] ?? end]
    const [firstDay, lastDay] = [begin, over].map(bound => Math.round(bound / rollUpMs.day) * rollUpMs.day) as [number, number]
    if (firstDay === lastDay) return directed(begin, over, 1, start, 'quarter')
    return [
      ...directed(begin, firstDay, 1, start, 'quarter'),
      ...directed(firstDay, lastDay, 1, start, 'day'),
      ...directed(lastDay, over, 1, start, 'quarter'),
    ]
  })
}

function between(from: number, to: number, start: number, day: UsageTable['bucket']): readonly Span[] {
  const [begin, end] = [stepsTo(from), stepsTo(to)]
  return lengths.flatMap((length, index) => {
    if (length === 'day') return directed(begin[0]!, end[0]!, 1, start, day)
    // Both bounds are near the same midnight or hour: what they have in common is not read.
    if (begin[index - 1] === end[index - 1]) return directed(begin[index]!, end[index]!, 1, start, length)
    return [...directed(begin[index - 1]!, begin[index]!, -1, start, length), ...directed(end[index - 1]!, end[index]!, 1, start, length)]
  })
}

/** The day that is nearest to a bound, the hour nearest to it, and so on. */
function stepsTo(bound: number): readonly number[] {
  return lengths.map(length => Math.round(bound / rollUpMs[length]) * rollUpMs[length])
}

/** Backwards, a span has the other sign. */
function directed(from: number, to: number, sign: 1 | -1, start: number, stored: UsageTable['bucket']): readonly Span[] {
  if (from === to) return []
  return [from < to ? { stored, from, to, sign, start } : { stored, from: to, to: from, sign: sign === 1 ? -1 : 1, start }]
}

function floor(at: number, ms: number): number {
  return at - (at % ms)
}

/** The fewest rows that can answer the query. */
function dayFor({ groupBy, org, team, user, key }: UsageQuery): UsageTable['bucket'] {
  if (!groupBy.includes('model') && !groupBy.includes('provider')) return 'day-keys'
  const isOfKeys = groupBy.some(group => group === 'key' || group === 'team' || group === 'org')
  return isOfKeys || [org, team, user, key].some(only => only !== undefined) ? 'day' : 'day-models'
}
