import type { JsonObject } from '../../foundation/json.ts'

const text = { type: 'string' }

/** The default error bodies, for routes without their own: docs/protocol/errors.md#http-errors. */
export const errorSchemas: Readonly<Record<string, JsonObject>> = {
  Error: body({
    required: ['message', 'type', 'param', 'code'],
    properties: { message: text, type: text, param: { type: ['string', 'null'] }, code: text, upstream_error: text },
  }),
  PolicyRefusal: body({
    required: ['type', 'message'],
    properties: { type: { const: 'invalid_request_error' }, message: text },
    additionalProperties: false,
  }),
}

function body(error: JsonObject): JsonObject {
  return { type: 'object', required: ['error'], properties: { error: { type: 'object', ...error } } }
}
