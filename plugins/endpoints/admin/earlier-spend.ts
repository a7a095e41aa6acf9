import type { AdminServices } from '../../../core/admin.ts'
import { periodStart, type SpendCap } from '../../../core/stores.ts'
import type { Stores } from './stores.ts'

interface Spender extends Pick<SpendCap, 'account' | 'period'> {
  readonly org?: string
  readonly team?: string
  readonly user?: string
  readonly key?: string
}

/** Call before a cap is set, or its period changes: what was spent in the period so far counts, as far as records tell. */
export async function countEarlierSpend(
  { ledger, records }: Stores,
  { clock }: AdminServices,
  { account, period, ...filter }: Spender,
): Promise<void> {
  const now = ledger.now?.() ?? clock.now()
  const query = { ...filter, from: periodStart(period, now), to: now + 1, bucket: 'total', groupBy: [], limit: 1 } as const
  const [total] = await records.usage(query)
  if (total && total.costUsd > 0) await ledger.raiseSpent({ account, period }, total.costUsd)
}
