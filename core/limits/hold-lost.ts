import { GatewayError } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'

const retryAfterMs = 1_000

/** The end of an answer whose hold may be given to other requests, because the gateway was cut off from the ledger or stood still. */
export function holdLost(): GatewayError {
  const message = wording`The gateway has lost touch with its store of spend caps and credit, or was stopped for a while, so it ended this answer. Try again.`
  return new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, retryAfterMs, transient: true })
}
