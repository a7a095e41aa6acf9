import type { Ledger, SpendCap } from '../../../core/stores.ts'

/** US dollars under the cap of a key or an account. */
export interface CapStanding {
  readonly spentUsd: number
  readonly heldUsd: number | undefined
  readonly leftUsd: number | undefined
}

interface MaybeCapped {
  readonly account: string
  readonly spendCapUsd?: number | undefined
  readonly spendPeriod?: SpendCap['period']
}

const none: { readonly [N in keyof CapStanding]: undefined } = { spentUsd: undefined, heldUsd: undefined, leftUsd: undefined }

/** How the cap of each stands, in their order. */
export async function capStandings(
  ledger: Ledger,
  limited: readonly MaybeCapped[],
): Promise<readonly { readonly [N in keyof CapStanding]: number | undefined }[]> {
  const caps = limited.map(({ account, spendPeriod: period }) => ({ account, period }))
  const [spent, held] = await Promise.all([ledger.spent(caps), ledger.held?.(caps)])
  return limited.map(({ spendCapUsd: cap }, index) => {
    if (cap === undefined) return none
    const [spentUsd, heldUsd] = [spent[index]!, held?.[index]]
    return { spentUsd, heldUsd, leftUsd: Math.max(0, Math.round((cap - spentUsd - (heldUsd ?? 0)) * 1e9) / 1e9) }
  })
}
