import { ProviderFailure, type GatewayError, type Reply } from '../../../core/index.ts'
import { retryHeaders, withFailureStatus } from '../../../core/kit.ts'
import { detailsOf } from './thread.ts'
import { inCallersWords } from './warnings.ts'

/** docs/protocol/messages.md#errors */
const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  424: 'api_error',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

const overloaded = 529

/** The error under the status that callers of this surface get. `failed`: the status of a request that every endpoint failed. */
export function publicError(error: GatewayError, failed: number): GatewayError {
  const isOverloaded = ProviderFailure.is(error.cause) && error.cause.kind === 'overloaded'
  return withFailureStatus(inCallersWords(error), failed === usual && isOverloaded ? overloaded : failed)
}

/** The default of the option. Only in its place, callers hear of overload. */
export const usual = 503

/** The body of an error, and the data of the event `error`. */
export function errorBody(error: GatewayError, requestId: string): object {
  const { status, message } = error
  const details = detailsOf(error)
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return { type: 'error', error: { type, message, ...(details && { details }) }, request_id: requestId }
}

export function errorReply(thrown: GatewayError, requestId: string, failed: number): Reply {
  const error = publicError(thrown, failed)
  return {
    status: error.status,
    headers: { 'content-type': 'application/json', 'request-id': requestId, ...retryHeaders(error) },
    body: JSON.stringify(errorBody(error, requestId)),
  }
}
