import { recordFilters } from '../../fields.ts'
import type { Parameters } from '../../place.ts'
import { isRange, ranges, spanOf } from '../../ranges.ts'

/** The filters as they stand in the address. */
export type LogFilters = Readonly<Record<string, string | undefined>>

const minuteMs = 60_000
const shortMs = 15 * minuteMs

export const times: Readonly<Record<string, { readonly label: string }>> = {
  '': { label: 'Any time' },
  '15m': { label: 'Last 15 minutes' },
  ...ranges,
  custom: { label: 'From … to …' },
}

/** Filters with a control that everybody sees. */
const ownControl = ['key', 'model', 'provider']
/** The others of the list of fields. */
export const moreFilters = Object.keys(recordFilters).filter(name => !ownControl.includes(name))

/** The numbers of a record by which the list can be narrowed and sorted. */
export const measures: Readonly<
  Record<string, { readonly least: string; readonly unit: string; readonly most: string; readonly few: string }>
> = {
  elapsed_ms: { least: 'Least duration', unit: 'ms', most: 'Slowest', few: 'Fastest' },
  first_event_ms: { least: 'First event after', unit: 'ms', most: 'Latest first event', few: 'Earliest first event' },
  total_tokens: { least: 'Least tokens', unit: '', most: 'Most tokens', few: 'Fewest tokens' },
  cost_usd: { least: 'Least cost', unit: 'USD', most: 'Most expensive', few: 'Cheapest' },
}
const bounds = Object.keys(measures).flatMap(name => [`min_${name}`, `max_${name}`])

export const newestFirst = 'created_at'

/** The order of the list. */
export function orderIn({ sort, order }: LogFilters): { readonly by: string; readonly isAscending: boolean } {
  return { by: sort !== undefined && Object.hasOwn(measures, sort) ? sort : newestFirst, isAscending: order === 'asc' }
}

/** What the address gets for an order. */
export function parametersOf(by: string, isAscending: boolean): Parameters {
  return { sort: by === newestFirst ? undefined : by, order: isAscending ? 'asc' : undefined, cursor: undefined }
}

/** True if records have to be compared to find them, which costs more than reading the newest ones. */
export function isRanked(filters: LogFilters): boolean {
  const { by, isAscending } = orderIn(filters)
  return by !== newestFirst || isAscending || bounds.some(name => name !== 'min_cost_usd' && filters[name] !== undefined)
}

/** The filters as the admin API takes them. A time that ends now begins with a bucket of the overview, so that the query stays the same for a while. */
export function queryOf(filters: LogFilters, now: number): Parameters {
  const { time, from, to, status } = filters
  const begin = time === '15m' ? now - (now % minuteMs) - shortMs : isRange(time) ? spanOf(ranges[time], now).from : undefined
  const { by, isAscending } = orderIn(filters)
  return {
    ...Object.fromEntries(['id', ...ownControl, ...moreFilters, ...bounds].map(name => [name, filters[name]])),
    status: status === 'failed' ? undefined : status,
    failed: status === 'failed' || undefined,
    from: begin === undefined ? (time === 'custom' ? from : undefined) : new Date(begin).toISOString(),
    to: time === 'custom' ? to : undefined,
    sort: by === newestFirst ? undefined : by,
    order: isAscending ? 'asc' : undefined,
  }
}
