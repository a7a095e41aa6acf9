import type { JsonObject } from '../../../core/index.ts'
import type { ReplyDescription, RouteDescription } from '../../../core/kit.ts'
import { requestBodySchema } from './request-body.ts'

// The OpenAPI description of the route.

const string = { type: 'string' }
const count = { type: 'integer', minimum: 0 }
const nullableString = { type: ['string', 'null'] }
const nullableObject = { type: ['object', 'null'] }
const finishReason = { enum: ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'] }

const calls = {
  type: 'array',
  items: {
    type: 'object',
    required: ['id', 'type'],
    properties: { id: string, type: { enum: ['function', 'custom'] }, function: { type: 'object' }, custom: { type: 'object' } },
  },
}

const reasoning = {
  reasoning_content: { ...string, description: 'What the model thought, or a summary of it.' },
  reasoning: { ...string, description: 'The same, under the name that other clients read.' },
  reasoning_details: { type: 'array', items: { type: 'object' }, description: 'The state of the model, sealed. Send it back unchanged.' },
}

const schemas: Readonly<Record<string, JsonObject>> = {
  CreateCompletion: requestBodySchema,
  CompletionMessage: {
    type: 'object',
    required: ['role', 'content', 'refusal'],
    properties: {
      role: { const: 'assistant' },
      content: nullableString,
      refusal: nullableString,
      ...reasoning,
      annotations: { type: 'array', items: { type: 'object' } },
      tool_calls: calls,
      function_call: { type: 'object' },
    },
  },
  Completion: {
    type: 'object',
    required: ['id', 'object', 'created', 'model', 'choices', 'usage'],
    properties: {
      id: string,
      object: { const: 'chat.completion' },
      created: count,
      model: { ...string, description: 'The model that answered, as <provider>/<model>.' },
      choices: {
        type: 'array',
        items: {
          type: 'object',
          required: ['index', 'message', 'logprobs', 'finish_reason'],
          properties: { index: count, message: ref('CompletionMessage'), logprobs: nullableObject, finish_reason: finishReason },
        },
      },
      usage: ref('CompletionUsage'),
    },
  },
  CompletionUsage: {
    type: 'object',
    required: ['prompt_tokens', 'completion_tokens', 'total_tokens'],
    properties: {
      prompt_tokens: { ...count, description: 'With those that a cache read or wrote.' },
      completion_tokens: count,
      total_tokens: count,
      prompt_tokens_details: { type: 'object' },
      completion_tokens_details: { type: 'object' },
      cost_usd: { type: ['number', 'null'], description: 'US dollars that the request is charged. Null if unknown.' },
    },
  },
  CompletionChunk: {
    anyOf: [
      {
        type: 'object',
        required: ['id', 'object', 'created', 'model', 'choices'],
        properties: {
          id: string,
          object: { const: 'chat.completion.chunk' },
          created: count,
          model: string,
          choices: {
            type: 'array',
            items: {
              type: 'object',
              required: ['index', 'delta', 'finish_reason'],
              properties: { index: count, delta: { type: 'object' }, finish_reason: { enum: [...finishReason.enum, null] } },
            },
          },
          usage: { anyOf: [ref('CompletionUsage'), { type: 'null' }] },
        },
      },
      ref('Error'),
    ],
  },
}

const headers = { 'x-request-id': { description: 'The id of the request, as in the records.', schema: string } }
const routed = {
  ...headers,
  'x-gateway-provider': { description: 'The provider that answered or, with an error, the last one asked.', schema: string },
  'x-gateway-attempts': { description: 'The number of attempts.', schema: string },
  'x-gateway-warnings': { description: 'The members that were dropped, lowered or estimated.', schema: string },
}

export function describeCreate(): RouteDescription {
  return {
    summary: 'Complete a chat',
    request: ref('CreateCompletion'),
    replies: {
      200: {
        description: 'The completion; with `stream`, its chunks.',
        headers: routed,
        content: { 'application/json': ref('Completion'), 'text/event-stream': ref('CompletionChunk') },
      },
      400: failure('The request is at fault: the message names the member.'),
      401: failure('The API key is missing or unknown.'),
      402: failure('The spend cap of the key is reached.'),
      403: failure('The key does not allow this model or provider.'),
      413: failure('The body is too large.'),
      415: failure('The body is not JSON.'),
      422: { ...failure('A policy of the key leaves no provider.'), content: { 'application/json': ref('PolicyRefusal') } },
      429: {
        ...failure('A limit of the key or of the provider is reached.'),
        headers: { ...headers, 'retry-after': { description: 'Seconds to wait, if waiting helps.', schema: count } },
      },
      500: failure('The gateway failed.'),
      424: failure('Every provider that was asked has failed.'),
      503: failure('The gateway cannot serve the request at the moment.'),
      504: failure('The provider did not answer in time.'),
    },
    schemas,
  }
}

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

function failure(description: string): ReplyDescription {
  return { description, headers, content: { 'application/json': ref('Error') } }
}
