import { GatewayError, invalidRequest, type Caller } from '../../../core/index.ts'
import { wording, own } from '../../../core/kit.ts'

export function notFound(id: string): GatewayError {
  return new GatewayError({
    status: 404,
    type: 'invalid_request_error',
    code: 'not_found',
    message: wording`Conversation with id '${id}' not found.`,
    param: 'conversation',
  })
}

/** SDKs of the public protocol try again after a 409. */
export function locked(id: string): GatewayError {
  return new GatewayError({
    status: 409,
    type: 'invalid_request_error',
    code: 'conversation_locked',
    message: wording`Conversation '${id}' is in use by another response. Wait until that has ended, and try again.`,
    param: 'conversation',
    transient: true,
    retryAfterMs: 1_000,
  })
}

export function lost(id: string): GatewayError {
  return new GatewayError({
    status: 409,
    type: 'invalid_request_error',
    code: 'conversation_locked',
    message: wording`Conversation '${id}' was changed while this response had lost hold of it. Nothing was added to it. Try again.`,
    param: 'conversation',
  })
}

/** Whatever writes needs request logging: docs/protocol/conversations.md. */
export function checkLogging({ policy }: Caller): void {
  if (policy.logging.value) return
  throw invalidRequest(
    wording`Conversations need request logging, which is off for this API key. Turn it on, or send the whole conversation as input.`,
  )
}

const maxIdLength = 128
/** The schema of a conversation's id, also for the OpenAPI document. */
export const idSchema = { type: 'string', minLength: 1, maxLength: maxIdLength, pattern: '^[a-zA-Z0-9_.:-]+$' } as const
const idPattern = new RegExp(idSchema.pattern)

/** Throws a 400 for an id that cannot exist. */
export function checkedId(id: string, param: string): string {
  if (id.length <= maxIdLength && idPattern.test(id)) return id
  throw invalidRequest(
    wording`A conversation id has 1 to ${own(maxIdLength)} letters, digits, "_", "-", "." and ":", such as conv_0123. Send the id that POST /v1/conversations returned.`,
    param,
  )
}
