import type { ErrorCode, GatewayError } from '../../../core/index.ts'
import { errorCodes } from '../../../core/kit.ts'

const codes: ReadonlySet<string> = new Set(errorCodes)

/** Of the error that ends an answer because its caller cancelled it. */
export const cancelledCode = 'response_cancelled'

/** One of the 25 codes allowed in `response.error`. */
export function publicCode({ code, status }: GatewayError): ErrorCode {
  if (codes.has(code)) return code as ErrorCode
  if (status === 402) return 'insufficient_credits'
  if (status === 429) return 'rate_limit_exceeded'
  // A conversation that was lost is nobody's fault but the gateway's.
  return status >= 500 || status === 409 ? 'server_error' : 'provider_error'
}

/** The `error` event: flat as documented, and also nested for clients that read it there. */
export function errorEvent(error: GatewayError): object {
  // docs/protocol/errors.md#error-codes: the event has its own code for rate limits. Clients wait for the other one, which is in the
  // response.
  const code = error.status === 429 ? 'rate_limit_error' : publicCode(error)
  const fields = { code, message: error.message, param: error.param ?? null }
  return { ...fields, error: { type: error.type, ...fields } }
}
