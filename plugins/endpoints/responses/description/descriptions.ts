import type { JsonObject } from '../../../../core/index.ts'
import { describeRateLimits, type ReplyDescription, type RouteDescription } from '../../../../core/kit.ts'
import { idSchema } from '../path-id.ts'
import { includables } from '../request-body.ts'
import { eventSchemas } from './event-schema.ts'
import { outputItemSchemas } from './output-item-schema.ts'
import { requestSchemas } from './request-schema.ts'
import { responseSchemas } from './response-schema.ts'
import { boolean, constant, count, list, object, oneOf, orNull, ref, string } from './terms.ts'

// The OpenAPI description of each route.

type Schemas = Readonly<Record<string, JsonObject>>

/** Shared by all descriptions. `sort`: the schema of the sorts that are loaded. */
export function schemasWith(sort: JsonObject): Schemas {
  return {
    ...outputItemSchemas,
    ...requestSchemas(sort),
    ...responseSchemas,
    ...eventSchemas,
    DeletedResponse: object({ id: string, object: constant('response'), deleted: { const: true } }),
    InputItemList: object({
      object: constant('list'),
      data: list(ref('ListedItem')),
      first_id: orNull(string),
      last_id: orNull(string),
      has_more: boolean,
    }),
    ListedItem: {
      ...object({ type: string, id: string }, { status: string }),
      description: 'An item of the input, as an InputItem with its id. It has image URLs only if you included them.',
    },
    CompactedResponse: {
      ...object({
        id: string,
        object: constant('response.compaction'),
        created_at: count,
        output: list({ anyOf: [ref('ListedItem'), ref('Compaction')] }),
        usage: ref('Usage'),
      }),
      description: 'The newest messages of the user, then the compaction. Send all of it as the beginning of the next input.',
    },
    InputTokens: object({ object: constant('response.input_tokens'), input_tokens: count }),
  }
}

const requestId = { 'x-request-id': { description: 'The id of the request, as in the records.', schema: string } }
const warnings = { 'x-gateway-warnings': { description: 'The members that were dropped, lowered or estimated.', schema: string } }
const routed = {
  'x-gateway-provider': { description: 'The provider that answered or, with an error, the last one asked.', schema: string },
  'x-gateway-attempts': { description: 'The number of attempts.', schema: string },
  ...warnings,
}

const path = { id: { description: 'The id of the response.', schema: idSchema } }

/** A parameter of the query. */
export const include = {
  'include[]': {
    description: 'Additional members to return. Repeat the parameter for each value. `include` works too.',
    schema: { type: 'array', maxItems: 8, items: oneOf(...includables) },
  },
}

const badRequest = failure('The request is at fault: `param` names the field.')
const unauthorized = failure('The API key is missing or unknown.')
const unknown = failure('The owner of the key has no response with this id.')
const running = failure('A background response is in progress.')
const unavailable = failure('A part that the gateway needs does not answer, or the gateway is shutting down.')
const internal = failure('The gateway failed.')
const stored = { 400: badRequest, 401: unauthorized, 404: unknown, 500: internal, 503: unavailable }
const body = {
  400: badRequest,
  401: unauthorized,
  403: failure('The key does not allow this model or provider.'),
  413: failure('The body is too large.'),
  415: failure('The body is not JSON.'),
  422: reply('A policy of the key leaves no provider.', 'PolicyRefusal'),
  500: internal,
  503: unavailable,
}

const noConversation = failure('There is no such conversation.')

export function describeCreate(schemas: Schemas): RouteDescription {
  const limits = describeRateLimits()
  const ok = reply('The response; with `stream`, its events.', 'Response', { ...routed, ...limits })
  return {
    summary: 'Generate a response',
    request: ref('CreateResponse'),
    replies: {
      200: { ...ok, content: { ...ok.content, 'text/event-stream': ref('ResponseStreamEvent') } },
      ...body,
      402: failure('The spend cap of the key is reached.'),
      404: noConversation,
      409: failure('The response to continue, or another one of the conversation, is in progress.'),
      424: failure('Every provider that was asked has failed.'),
      429: {
        ...failure('A limit of the key or of the provider is reached.'),
        headers: { ...requestId, ...limits, 'retry-after': { description: 'Seconds to wait, if waiting helps.', schema: count } },
      },
      504: failure('The provider did not answer in time.'),
    },
    schemas,
  }
}

export function describeCompact(schemas: Schemas): RouteDescription {
  const { replies } = describeCreate(schemas)
  const ok = reply('The compacted conversation.', 'CompactedResponse', { ...routed, ...describeRateLimits() })
  return { summary: 'Compact a conversation', request: ref('CompactResponse'), replies: { ...replies, 200: ok }, schemas }
}

export function describeInputTokens(schemas: Schemas): RouteDescription {
  return {
    summary: 'Count the tokens of an input',
    request: ref('CreateResponse'),
    replies: { 200: reply('The count.', 'InputTokens', warnings), ...body, 404: noConversation },
    schemas,
  }
}

export function describeRetrieve(schemas: Schemas): RouteDescription {
  const ok = reply('The response; with `stream`, its events.', 'Response')
  return {
    summary: 'Read a stored or background response',
    path,
    query: {
      ...include,
      stream: { description: 'true: the events of a background response, from the one after `starting_after` on.', schema: boolean },
      starting_after: { description: 'The sequence number of the last event that the client has.', schema: count },
    },
    replies: { 200: { ...ok, content: { ...ok.content, 'text/event-stream': ref('ResponseStreamEvent') } }, ...stored },
    schemas,
  }
}

export function describeDelete(schemas: Schemas): RouteDescription {
  return {
    summary: 'Delete a stored response',
    path,
    replies: { 200: reply('The response is deleted.', 'DeletedResponse'), ...stored, 409: running },
    schemas,
  }
}

export function describeInputItems(schemas: Schemas): RouteDescription {
  return {
    summary: 'List the input items of a request',
    path,
    query: {
      limit: { description: 'The number of items.', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
      order: { description: 'Newest first, or oldest first.', schema: { type: 'string', enum: ['desc', 'asc'], default: 'desc' } },
      after: { description: 'The id of the item before the page.', schema: string },
      before: { description: 'The id of the item after the page.', schema: string },
      ...include,
    },
    replies: { 200: reply('A page of the list.', 'InputItemList'), ...stored },
    schemas,
  }
}

export function describeCancel(schemas: Schemas): RouteDescription {
  return {
    summary: 'Cancel a background response',
    path,
    replies: {
      ...stored,
      200: reply('The response as it is now.', 'Response'),
      400: failure('The response did not run in the background.'),
    },
    schemas,
  }
}

export function reply(description: string, schema: string, headers: ReplyDescription['headers'] = {}): ReplyDescription {
  return { description, headers: { ...requestId, ...headers }, content: { 'application/json': ref(schema) } }
}

export function failure(description: string): ReplyDescription {
  return reply(description, 'Error')
}
