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

/** The filters of the list of fields, without those that have their own control. */
export const moreFilters = Object.keys(recordFilters).filter(name => !['key', 'model', 'provider', 'org', 'team', 'user'].includes(name))

/** The filters as the admin API takes them. A time that ends now begins with a bucket of the overview, so that the query stays the same for a while. */
export function queryOf(
  { time, from, to, id, key, model, provider, status, org, team, user, min_cost_usd: cost, ...others }: LogFilters,
  now: number,
): Parameters {
  const begin = time === '15m' ? now - (now % minuteMs) - shortMs : isRange(time) ? spanOf(ranges[time], now).from : undefined
  return {
    ...Object.fromEntries(moreFilters.map(name => [name, others[name]])),
    id,
    key,
    model,
    provider,
    status,
    org,
    team,
    user,
    min_cost_usd: cost,
    from: begin === undefined ? (time === 'custom' ? from : undefined) : new Date(begin).toISOString(),
    to: time === 'custom' ? to : undefined,
  }
}
