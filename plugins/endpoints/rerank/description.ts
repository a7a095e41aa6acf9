import type { JsonObject } from '../../../core/index.ts'
import { describeRateLimits, type ReplyDescription, type RouteDescription } from '../../../core/kit.ts'
import { rerankSchema } from './request-body.ts'

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }

const schemas: Readonly<Record<string, JsonObject>> = {
  CreateRanking: rerankSchema,
  Ranking: {
    type: 'object',
    required: ['id', 'object', 'model', 'results', 'usage', 'meta'],
    properties: {
      id: text,
      object: { const: 'list' },
      model: { ...text, description: 'The model that answered, as <provider>/<model>.' },
      results: {
        type: 'array',
        description: 'The best first.',
        items: {
          type: 'object',
          required: ['index', 'relevance_score'],
          properties: {
            index: { ...count, description: 'The place of the document in the request.' },
            relevance_score: { type: 'number' },
            document: { type: 'object', required: ['text'], properties: { text }, description: 'With `return_documents`.' },
          },
        },
      },
      usage: {
        type: 'object',
        required: ['prompt_tokens', 'total_tokens', 'cost_usd'],
        properties: {
          prompt_tokens: count,
          total_tokens: count,
          cost_usd: { type: ['number', 'null'], minimum: 0, description: 'The charge in US dollars. Null if the price is unknown.' },
        },
      },
      meta: {
        type: 'object',
        properties: {
          api_version: { type: 'object', properties: { version: text } },
          billed_units: { type: 'object', properties: { search_units: count, input_tokens: count } },
        },
      },
    },
  },
}

const requestId = { 'x-request-id': { description: 'The id of the request, as in the records.', schema: text } }

export function describeRanking(): RouteDescription {
  return {
    summary: 'Rank documents by their relevance to a query',
    request: { $ref: '#/components/schemas/CreateRanking' },
    replies: {
      200: {
        ...reply('The ranking.', 'Ranking'),
        headers: {
          ...requestId,
          ...describeRateLimits(),
          'x-gateway-provider': { description: 'The provider that answered or, with an error, the last one asked.', schema: text },
          'x-gateway-attempts': { description: 'The number of attempts.', schema: text },
        },
      },
      400: failure('The request is at fault, has too many tokens, or names no reranking model.'),
      401: failure('The API key is missing or unknown.'),
      402: failure('The spend cap of the key is reached.'),
      403: failure('The key does not allow this model or provider.'),
      413: failure('The body is too large.'),
      415: failure('The body is not JSON.'),
      422: {
        description: "The key's policy leaves no endpoint.",
        headers: requestId,
        content: { 'application/json': { $ref: '#/components/schemas/PolicyRefusal' } },
      },
      429: failure('A limit of the key or of the vendor is reached.'),
      500: failure('The gateway failed.'),
      424: failure('Every provider failed.'),
      503: failure('A part that the gateway needs does not answer, or the gateway is shutting down.'),
      504: failure('The vendor did not answer in time.'),
    },
    schemas,
  }
}

function reply(description: string, schema: string): ReplyDescription {
  return { description, headers: requestId, content: { 'application/json': { $ref: `#/components/schemas/${schema}` } } }
}

function failure(description: string): ReplyDescription {
  return reply(description, 'Error')
}
