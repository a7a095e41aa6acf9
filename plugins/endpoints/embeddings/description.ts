import type { JsonObject } from '../../../core/index.ts'
import { describeRateLimits, type ReplyDescription, type RouteDescription } from '../../../core/kit.ts'
import { embeddingsSchema, inputSchema } from './request-body.ts'

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }

const schemas: Readonly<Record<string, JsonObject>> = {
  CreateEmbeddings: { ...embeddingsSchema, properties: { ...embeddingsSchema.properties, input: inputSchema } },
  Embeddings: {
    type: 'object',
    required: ['object', 'data', 'model', 'usage'],
    properties: {
      object: { const: 'list' },
      data: {
        type: 'array',
        items: {
          type: 'object',
          required: ['object', 'index', 'embedding'],
          properties: {
            object: { const: 'embedding' },
            index: count,
            embedding: {
              anyOf: [{ type: 'array', items: { type: ['number', 'null'] } }, text],
              description: 'Numbers, or with `encoding_format: "base64"` little-endian 32-bit floats in base64.',
            },
          },
        },
      },
      model: { ...text, description: 'The model that answered, as <provider>/<model>.' },
      usage: {
        type: 'object',
        required: ['prompt_tokens', 'total_tokens', 'cost_usd'],
        properties: {
          prompt_tokens: count,
          total_tokens: count,
          cost_usd: { type: ['number', 'null'], minimum: 0, description: 'The charge in US dollars. Null if the price is unknown.' },
        },
      },
    },
  },
}

const requestId = { 'x-request-id': { description: 'The id of the request, as in the records.', schema: text } }

export function describeEmbeddings(): RouteDescription {
  return {
    summary: 'Make the vectors of texts',
    request: { $ref: '#/components/schemas/CreateEmbeddings' },
    replies: {
      200: {
        ...reply('The vectors, in the order of the inputs.', 'Embeddings'),
        headers: {
          ...requestId,
          ...describeRateLimits(),
          'x-gateway-provider': { description: 'The provider that answered or, with an error, the last one asked.', schema: text },
          'x-gateway-attempts': { description: 'The number of attempts.', schema: text },
        },
      },
      400: failure('The request is at fault, has too many tokens, or names no embedding model.'),
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
