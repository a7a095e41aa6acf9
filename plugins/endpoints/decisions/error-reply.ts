import type { GatewayError, Reply } from '../../../core/index.ts'
import { retryHeaders } from '../../../core/kit.ts'

/** The error body of this surface: docs/protocol/decisions.md#errors. */
export function errorReply(error: GatewayError): Reply {
  const { status, code, message } = error
  return {
    status,
    headers: { 'content-type': 'application/json', ...retryHeaders(error) },
    body: JSON.stringify({ detail: { error_type: code, message } }),
  }
}
