import { useLayoutEffect } from 'preact/hooks'
import type { ApiError } from '../api.ts'
import { useData, type Loaded } from '../data.ts'
import { none, usd } from '../format.ts'
import type { Parameters } from '../place.ts'
import { ranges, spanOf } from '../ranges.ts'

interface Usage {
  readonly data: readonly { readonly cost_usd: number }[]
}

/** The spend of the last 30 days, as text: for accounts without a cap, for which no spend is kept. */
export function RecentSpend({
  filter,
  version,
  failing,
}: {
  readonly filter: Parameters
  /** Reads again whenever it changes. */
  readonly version: unknown
  /** Called with a failure. What it returns is called as soon as the failure is over. */
  readonly failing: (error: ApiError) => () => void
}): string {
  const { text, error } = useRecentSpend(filter, version)
  useLayoutEffect(() => error && failing(error), [error])
  return text
}

/** `undefined` asks nothing. */
export function useRecentSpend(filter: Parameters | undefined, version?: unknown): Loaded<Usage> & { readonly text: string } {
  const from = new Date(spanOf(ranges['30d'], Date.now()).from).toISOString()
  const loaded = useData<Usage>(filter && '/usage', filter && { ...filter, from, bucket: 'total' }, { version })
  return { ...loaded, text: loaded.data ? usd(loaded.data.data[0]?.cost_usd ?? 0) : none }
}
