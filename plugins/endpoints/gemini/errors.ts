import type { GatewayError, JsonObject, Reply } from '../../../core/index.ts'
import { retryHeaders, withFailureStatus } from '../../../core/kit.ts'
import { publicParam } from './warnings.ts'

/** docs/protocol/gemini.md#errors */
const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  422: 'FAILED_PRECONDITION',
  424: 'UNAVAILABLE',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  504: 'DEADLINE_EXCEEDED',
}

/** The error under the status that callers of this surface get. `failed`: the status of a request that every endpoint failed. */
export function publicError(error: GatewayError, failed: number): GatewayError {
  return withFailureStatus(error, failed)
}

/** The body of an error, and what ends a stream that failed. */
export function errorBody({ status: code, message, param, retryAfterMs, final }: GatewayError): JsonObject {
  const status = statuses[code] ?? (code < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE')
  const details: JsonObject[] = []
  if (param !== undefined) {
    const violation = { field: publicParam(param), description: message }
    details.push({ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [violation] })
  }
  // Clients of this API read it here and not in the header.
  if (retryAfterMs !== undefined && !final)
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${Math.max(1, Math.ceil(retryAfterMs / 1000))}s` })
  return { error: { code, message, status, ...(details.length > 0 && { details }) } }
}

export function errorReply(thrown: GatewayError, failed: number): Reply {
  const error = publicError(thrown, failed)
  return {
    status: error.status,
    headers: { 'content-type': 'application/json', ...retryHeaders(error) },
    body: JSON.stringify(errorBody(error)),
  }
}
