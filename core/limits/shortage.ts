import type { CreditShortage, SpendCap } from '../contracts/ledger.ts'
import { GatewayError } from '../foundation/errors.ts'
import { own, wording, type Wording } from '../foundation/wording.ts'
import type { JsonObject } from '../foundation/json.ts'
import { periodEnd } from './spend-period.ts'

/** The 402 for a request that a cap or a credit does not cover. `now` in milliseconds since the epoch. */
export function insufficientCredits({ short, heldUsd }: CreditShortage, now: number): GatewayError {
  return new GatewayError({
    status: 402,
    type: 'insufficient_credits',
    code: 'insufficient_credits',
    message: short === 'credit' ? creditSpent(heldUsd) : capReached(short, heldUsd, now),
    reason: short === 'credit' ? { kind: 'credit', level: 'org' } : { kind: 'cap', level: short.level },
  })
}

/** For the record of a request that a shortage refused or ended. */
export function shortageNote({ short, heldUsd }: CreditShortage): JsonObject {
  return { level: short === 'credit' ? short : short.level, held_usd: heldUsd }
}

function creditSpent(heldUsd: number): Wording {
  return wording`The credit of the organization leaves no room for this request. ${own(wayOut(heldUsd))} or add credit.`
}

function capReached({ level, capUsd, period }: SpendCap, heldUsd: number, now: number): Wording {
  // Not everyone with a key may know the budget of a team or an organization.
  const cap =
    level === 'key'
      ? `The spend cap of this API key, ${capUsd} USD${period ? ` a ${period}` : ''},`
      : `The spend cap of the ${names[level]}`
  const renewal = period ? ` It starts again at ${new Date(periodEnd(period, now)).toISOString()}.` : ''
  return wording`${own(cap)} leaves no room for this request. ${own(wayOut(heldUsd))} or raise the cap.${own(renewal)}`
}

function wayOut(heldUsd: number): string {
  if (heldUsd <= 0) return 'Send less, use a cheaper model,'
  return `Requests under way hold ${Number(heldUsd.toFixed(6))} USD of it. Wait for them to end, send less, use a cheaper model,`
}

const names = { org: 'organization', team: 'team', user: 'user' } as const
