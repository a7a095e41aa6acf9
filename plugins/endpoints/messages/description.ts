import type { JsonObject } from '../../../core/index.ts'
import type { ReplyDescription, RouteDescription } from '../../../core/kit.ts'
import { countBodySchema, requestBodySchema } from './request-body.ts'

// The OpenAPI descriptions of the two routes.

const string = { type: 'string' }
const count = { type: 'integer', minimum: 0 }
const nullableString = { type: ['string', 'null'] }
const nullableObject = { type: ['object', 'null'] }

const usage = {
  type: 'object',
  required: ['output_tokens'],
  properties: {
    input_tokens: { ...count, description: 'Without those that a cache read or wrote.' },
    cache_creation_input_tokens: count,
    cache_read_input_tokens: count,
    cache_creation: nullableObject,
    output_tokens: count,
    output_tokens_details: nullableObject,
    server_tool_use: nullableObject,
    service_tier: nullableString,
    cost_usd: { type: ['number', 'null'], description: 'US dollars that the request is charged. Null if unknown.' },
  },
}

const stop = { stop_reason: nullableString, stop_sequence: nullableString, stop_details: nullableObject }

const schemas: Readonly<Record<string, JsonObject>> = {
  CreateMessage: requestBodySchema,
  CountMessageTokens: countBodySchema,
  ContentBlock: {
    type: 'object',
    required: ['type'],
    properties: {
      type: { ...string, description: 'text, thinking, redacted_thinking, tool_use, server_tool_use, or a type of the vendor.' },
    },
  },
  Message: {
    type: 'object',
    required: ['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage'],
    properties: {
      id: string,
      type: { const: 'message' },
      role: { const: 'assistant' },
      model: { ...string, description: 'The model that answered, as <provider>/<model>.' },
      content: { type: 'array', items: ref('ContentBlock') },
      ...stop,
      usage: ref('MessageUsage'),
    },
  },
  MessageUsage: usage,
  MessageTokens: { type: 'object', required: ['input_tokens'], properties: { input_tokens: count } },
  MessageStreamEvent: {
    anyOf: [
      event('message_start', { message: { type: 'object' } }),
      event('content_block_start', { index: count, content_block: ref('ContentBlock') }),
      event('content_block_delta', { index: count, delta: { type: 'object', required: ['type'], properties: { type: string } } }),
      event('content_block_stop', { index: count }),
      event('message_delta', { delta: { type: 'object', properties: stop }, usage: ref('MessageUsage') }),
      event('message_stop', {}),
      event('ping', {}),
      ref('MessageError'),
    ],
  },
  MessageError: {
    type: 'object',
    required: ['type', 'error', 'request_id'],
    properties: {
      type: { const: 'error' },
      error: { type: 'object', required: ['type', 'message'], properties: { type: string, message: string } },
      request_id: string,
    },
  },
}

const requestId = {
  'x-request-id': { description: 'The id of the request, as in the records.', schema: string },
  'request-id': { description: 'The same, where the SDKs of this API look for it.', schema: string },
}
const warnings = { 'x-gateway-warnings': { description: 'The members that were dropped, lowered or estimated.', schema: string } }
const routed = {
  'x-gateway-provider': { description: 'The provider that answered or, with an error, the last one asked.', schema: string },
  'x-gateway-attempts': { description: 'The number of attempts.', schema: string },
  ...warnings,
}

const failures: Readonly<Record<number, ReplyDescription>> = {
  400: failure('The request is at fault: the message names the field.'),
  401: failure('The API key is missing or unknown.'),
  403: failure('The key does not allow this model or provider.'),
  413: failure('The body is too large.'),
  415: failure('The body is not JSON.'),
  422: failure('A policy of the key leaves no provider.'),
  500: failure('The gateway failed.'),
  503: failure('The gateway cannot serve the request at the moment.'),
}

/** `isUsual`: the statuses are those of this API. */
export function describeCreate(isUsual: boolean): RouteDescription {
  const ok = reply('The message; with `stream`, its events.', 'Message', routed)
  return {
    summary: 'Generate a message',
    request: ref('CreateMessage'),
    replies: {
      200: { ...ok, content: { ...ok.content, 'text/event-stream': ref('MessageStreamEvent') } },
      ...failures,
      402: failure('The spend cap of the key is reached.'),
      429: {
        ...failure('A limit of the key or of the provider is reached.'),
        headers: { ...requestId, 'retry-after': { description: 'Seconds to wait, if waiting helps.', schema: count } },
      },
      424: failure('Every provider that was asked has failed.'),
      504: failure('The provider did not answer in time.'),
      ...(isUsual && { 529: failure('The provider is overloaded.') }),
    },
    schemas,
  }
}

export function describeCount(): RouteDescription {
  return {
    summary: 'Count the tokens of messages',
    request: ref('CountMessageTokens'),
    replies: { 200: reply('The count.', 'MessageTokens', warnings), ...failures },
    schemas,
  }
}

function event(type: string, members: Readonly<Record<string, JsonObject>>): JsonObject {
  return { type: 'object', required: ['type', ...Object.keys(members)], properties: { type: { const: type }, ...members } }
}

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

function reply(description: string, schema: string, headers: ReplyDescription['headers'] = {}): ReplyDescription {
  return { description, headers: { ...requestId, ...headers }, content: { 'application/json': ref(schema) } }
}

function failure(description: string): ReplyDescription {
  return reply(description, 'MessageError')
}
