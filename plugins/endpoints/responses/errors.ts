import { errorCodes, type ErrorCode, type GatewayError } from '../../../core/index.ts'

const codes: ReadonlySet<string> = new Set(errorCodes)

/** One of the 25 codes that `response.error` may hold. */
export function publicCode({ code, status }: GatewayError): ErrorCode {
  // spec.md, Errors: inside a response the rate limit has a code of its own.
  if (status === 429) return 'rate_limit_error'
  if (codes.has(code)) return code as ErrorCode
  if (status === 402) return 'insufficient_credits'
  return status >= 500 ? 'server_error' : 'provider_error'
}

/** The `error` event: flat for the documented protocol, and the same nested for the clients that read it there. */
export function errorEvent(error: GatewayError): object {
  const fields = { code: publicCode(error), message: error.message, param: error.param ?? null }
  return { ...fields, error: { type: error.type, ...fields } }
}
