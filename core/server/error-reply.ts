import type { Reply } from '../contracts/route.ts'
import { GatewayError } from '../foundation/errors.ts'

/** The default error body, for surfaces without their own: docs/protocol/errors.md#http-errors. */
export function errorReply(error: GatewayError): Reply {
  const { status, type, code, message, param, upstreamError, bare } = error
  const body = bare
    ? { type, message }
    : { message, type, param: param ?? null, code, ...(upstreamError !== undefined && { upstream_error: upstreamError }) }
  return { status, headers: { 'content-type': 'application/json', ...retryHeaders(error) }, body: JSON.stringify({ error: body }) }
}

/** For surfaces whose clients do not retry a 424: a spent chain of providers has another status. */
export function withFailureStatus(error: GatewayError, status: number): GatewayError {
  if (error.status !== 424) return error
  const { message, cause } = error
  return new GatewayError({ ...error, message, cause, status })
}

/** For surfaces that have another name for the field at fault, also in the message. */
export function withParam(error: GatewayError, param: string): GatewayError {
  const { message, cause, unquotedMessage } = error
  const told = (words: string): string => (error.param === undefined ? words : words.replaceAll(error.param, () => param))
  return new GatewayError({ ...error, message: told(message), unquotedMessage: unquotedMessage && told(unquotedMessage), cause, param })
}

/** docs/protocol/http.md#response-headers: the SDKs of the public protocol obey `retry-after-ms` and `x-should-retry`. */
export function retryHeaders({ status, retryAfterMs, final, transient }: GatewayError): Readonly<Record<string, string>> {
  if (final) return { 'x-should-retry': 'false' }
  const advice = transient ? { 'x-should-retry': 'true' } : {}
  if ((status !== 429 && !transient) || retryAfterMs === undefined) return advice
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return { ...advice, 'retry-after': String(seconds), 'retry-after-ms': String(Math.ceil(retryAfterMs)) }
}
