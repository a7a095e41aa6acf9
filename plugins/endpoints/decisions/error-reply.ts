import type { GatewayError, Reply } from '../../../core/index.ts'
import { retryHeaders } from '../../../core/kit.ts'

/** The error body of `/v1/systemone`: docs/protocol/decisions.md#errors. */
export function systemOneError(error: GatewayError): Reply {
  const { code, message } = error
  return replyTo(error, { detail: { error_type: code, message } })
}

/** The error body of the public format. */
export function publicError(error: GatewayError): Reply {
  const { type, code, message, param } = error
  return replyTo(error, { error: { message, type, param: param ?? null, code } })
}

function replyTo(error: GatewayError, body: object): Reply {
  return {
    status: error.status,
    headers: { 'content-type': 'application/json', ...retryHeaders(error) },
    body: JSON.stringify(body),
  }
}
