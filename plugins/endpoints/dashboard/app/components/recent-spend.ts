import { useData } from '../data.ts'
import { none, usd } from '../format.ts'
import type { Parameters } from '../place.ts'
import { ranges, spanOf } from '../ranges.ts'

/** What was spent in the last 30 days, as text: for accounts without a cap, for which no spend is kept. */
export function RecentSpend({ filter }: { readonly filter: Parameters }): string {
  return useRecentSpend(filter)
}

/** `undefined` asks nothing. */
export function useRecentSpend(filter: Parameters | undefined): string {
  const from = new Date(spanOf(ranges['30d'], Date.now()).from).toISOString()
  const { data } = useData<{ readonly data: readonly { readonly cost_usd: number }[] }>(
    filter && '/usage',
    filter && { ...filter, from, bucket: 'total' },
  )
  return data ? usd(data.data[0]?.cost_usd ?? 0) : none
}
