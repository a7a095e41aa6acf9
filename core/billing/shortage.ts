import type { CreditShortage, SpendCap } from '../contracts/ledger.ts'
import { GatewayError } from '../foundation/errors.ts'
import { periodEnd } from './spend-period.ts'

/** The 402 for a request that a cap or a credit does not cover. `now` in milliseconds since the epoch. */
export function insufficientCredits({ short }: CreditShortage, now: number): GatewayError {
  return new GatewayError({
    status: 402,
    type: 'insufficient_credits',
    code: 'insufficient_credits',
    message: short === 'credit' ? creditSpent : capReached(short, now),
  })
}

const creditSpent =
  'The credit of the organization leaves no room for this request. ' +
  'Wait for requests under way to end, send less, use a cheaper model, or add credit.'

function capReached({ level, capUsd, period }: SpendCap, now: number): string {
  // What a team or an organization may spend is not the business of everyone with a key.
  const cap =
    level === 'key'
      ? `The spend cap of this API key, ${capUsd} USD${period ? ` a ${period}` : ''},`
      : `The spend cap of the ${names[level]}`
  const renewal = period ? ` It starts again at ${new Date(periodEnd(period, now)).toISOString()}.` : ''
  return `${cap} leaves no room for this request. Wait for requests under way to end, send less, use a cheaper model, or raise the cap.${renewal}`
}

const names = { org: 'organization', team: 'team', user: 'user' } as const
