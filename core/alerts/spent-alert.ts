import type { SpendCap } from '../contracts/ledger.ts'
import { periodEnd } from '../limits/spend-period.ts'
import type { AlertDraft } from './announcer.ts'
import { usdText } from './words.ts'

/** Whose cap it is. */
export interface CapOwner {
  readonly org: string
  readonly id: string
  readonly name?: string | undefined
}

/** A part of a cap is spent. `now`: by the clock of the ledger. */
export function capAlert(cap: SpendCap, { org, id, name }: CapOwner, percent: number, spentUsd: number, now: number): AlertDraft {
  const { account, level, capUsd, period } = cap
  const owner = name === undefined ? `${nouns[level]} ${id}` : `${nouns[level]} "${name}" (${id})`
  const endsAt = period && new Date(periodEnd(period, now)).toISOString()
  const isFull = percent >= 100
  const consequence = isFull ? ' Requests that do not fit get a 402 until the cap is raised' : ''
  const renewal =
    endsAt === undefined ? '' : isFull ? ` or the next ${period} begins, at ${endsAt}` : ` The next ${period} begins at ${endsAt}`
  return {
    kind: 'cap',
    subject: account,
    org,
    severity: isFull ? 'critical' : 'warning',
    title: `${owner} has used ${percent}% of its spend cap`,
    message: `${usdText(spentUsd)} of ${usdText(capUsd)} USD${period ? ` ${spans[period]}` : ''} are spent.${sentence(consequence + renewal)}`,
    facts: {
      level,
      id,
      ...(name !== undefined && { name }),
      percent,
      spent_usd: spentUsd,
      cap_usd: capUsd,
      period: period ?? null,
      period_ends_at: endsAt ?? null,
    },
  }
}

/** A part of the credit since it was last added to is spent. */
export function creditAlert(org: string, percent: number, balanceUsd: number, fullUsd: number): AlertDraft {
  const isFull = percent >= 100
  return {
    kind: 'credit',
    subject: `org:${encodeURIComponent(org)}`,
    org,
    severity: isFull ? 'critical' : 'warning',
    title: `Organization ${org} has used ${percent}% of its credit`,
    message: `${usdText(balanceUsd)} of ${usdText(fullUsd)} USD are left.${isFull ? ' Requests that do not fit get a 402 until credit is added.' : ''}`,
    facts: { percent, balance_usd: balanceUsd, full_usd: fullUsd },
  }
}

const spans = { day: 'today', week: 'this week', month: 'this month' } as const
const nouns = { key: 'API key', user: 'User', team: 'Team', org: 'Organization' } as const

function sentence(text: string): string {
  return text === '' ? '' : `${text}.`
}
