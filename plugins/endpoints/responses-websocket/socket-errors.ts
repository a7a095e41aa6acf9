import { GatewayError, invalidRequest } from '../../../core/index.ts'
import { wording, own } from '../../../core/kit.ts'
import { cancelledCode } from '../responses/errors.ts'

// The errors that only a WebSocket has. Clients match on some of the codes: docs/protocol/websocket.md#errors.

/** Clients take this code as advice to connect again. */
const connectAgain = 'websocket_connection_limit_reached'

/** One more than this many names is refused. */
export const maxNamedLanes = 32

export function lifeIsOver(maxLifeMs: number): GatewayError {
  const life = maxLifeMs < 120_000 ? `${maxLifeMs / 1_000} seconds` : `${Math.round(maxLifeMs / 60_000)} minutes`
  return invalidRequest(
    wording`A connection lives ${own(life)} at most, and this one is at its end. Connect again.`,
    undefined,
    connectAgain,
  )
}

/** The same code, so that clients go elsewhere. */
export function shuttingDown(): GatewayError {
  return invalidRequest(wording`The gateway is shutting down and takes no new messages. Connect again.`, undefined, connectAgain)
}

export function tooManyLanes(): GatewayError {
  return invalidRequest(
    wording`A connection has at most ${own(maxNamedLanes)} different values of stream_id. Use one of them again, or open another connection.`,
    'stream_id',
    'websocket_stream_limit_reached',
  )
}

export function badStreamId(): GatewayError {
  return invalidRequest(
    wording`stream_id must have 1 to 256 letters, digits, underscores, hyphens or periods. Leave it out for the default lane.`,
    'stream_id',
    'invalid_stream_id',
  )
}

export function unknownMessage(type: unknown): GatewayError {
  const got = typeof type === 'string' ? `"${type.slice(0, 100)}"` : type === undefined ? 'none' : 'another type'
  return invalidRequest(wording`Expected a message of the type "response.create" or "response.cancel", but got ${got}.`, 'type')
}

export function binaryMessage(): GatewayError {
  return invalidRequest(
    wording`Expected a text message with JSON, but got a binary one. Send the same bytes as text.`,
    undefined,
    'invalid_json',
  )
}

export function noBackground(): GatewayError {
  return invalidRequest(
    wording`background is not possible over WebSocket. Leave it out, or use POST /v1/responses.`,
    'background',
    'unsupported_parameter',
  )
}

/** Taken for its default, a wrong type would ask a model that must not be asked, or cancel nothing. */
export function wrongType(param: string, expected: string): GatewayError {
  return invalidRequest(
    wording`Invalid type for '${own(param)}': expected ${own(expected)}. Correct it, or leave it out.`,
    param,
    'invalid_type',
  )
}

/** The response to cancel. Undefined: that of the lane. */
export function namedResponse(id: unknown): string | undefined {
  if (id === undefined || id === null) return undefined
  if (typeof id !== 'string') throw wrongType('response_id', 'a string')
  return id
}

export function previousNotFound(id: string): GatewayError {
  return invalidRequest(wording`Previous response with id '${id}' not found.`, 'previous_response_id', 'previous_response_not_found')
}

/** Not a failure of the gateway: recorded as a 499, as a client that leaves. */
export function cancelled(): GatewayError {
  return new GatewayError({
    status: 499,
    type: 'invalid_request_error',
    code: cancelledCode,
    message: wording`The response was cancelled.`,
  })
}

export function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError({
    status: 413,
    type: 'invalid_request_error',
    code: 'request_too_large',
    message: wording`The message has more than ${own(maxBytes)} bytes, which is the most here. Send less, and connect again: the connection closes.`,
  })
}
