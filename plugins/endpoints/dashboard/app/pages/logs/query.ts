import type { Parameters } from '../../place.ts'

/** The filters as they stand in the address. */
export type LogFilters = Readonly<Record<string, string | undefined>>

export const times = {
  '': { label: 'Any time', lengthMs: undefined },
  '15m': { label: 'Last 15 minutes', lengthMs: 900_000 },
  '1h': { label: 'Last hour', lengthMs: 3_600_000 },
  '24h': { label: 'Last 24 hours', lengthMs: 86_400_000 },
  '7d': { label: 'Last 7 days', lengthMs: 7 * 86_400_000 },
  '30d': { label: 'Last 30 days', lengthMs: 30 * 86_400_000 },
  custom: { label: 'From … to …', lengthMs: undefined },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly lengthMs: number | undefined }>>

const minuteMs = 60_000

/** The filters as the admin API takes them. A time that ends now begins at a full minute, so that the query stays the same for a while. */
export function queryOf(
  { time, from, to, id, key, model, provider, status, org, team, user, min_cost_usd: cost }: LogFilters,
  now: number,
): Parameters {
  const lengthMs = Object.entries(times).find(([name]) => name === time)?.[1].lengthMs
  const begin = lengthMs === undefined ? undefined : new Date(now - (now % minuteMs) - lengthMs).toISOString()
  return {
    id,
    key,
    model,
    provider,
    status,
    org,
    team,
    user,
    min_cost_usd: cost,
    from: begin ?? (time === 'custom' ? from : undefined),
    to: time === 'custom' ? to : undefined,
  }
}
