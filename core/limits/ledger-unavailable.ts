import { GatewayError } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'

const retryAfterMs = 1_000

/** Fails closed: without the ledger, nobody knows what is left. */
export function ledgerUnavailable(cause: unknown): GatewayError {
  const message = wording`The spend caps and credit for this request cannot be read right now. Try again.`
  return new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause, retryAfterMs, transient: true })
}
