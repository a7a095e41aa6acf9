import type { JsonObject } from '../../../core/index.ts'
import { describeRateLimits, type ReplyDescription, type RouteDescription } from '../../../core/kit.ts'
import { batchSchema, embedSchema } from './embed-body.ts'
import { contentBodySchema } from './request-body.ts'

// The OpenAPI description of the methods. They share a path, because the model before the colon may have slashes.

const string = { type: 'string' }
const count = { type: 'integer', minimum: 0 }
const object = { type: 'object' }
const cost = { type: ['number', 'null'], description: 'US dollars that the request is charged. Null if unknown.' }

const schemas: Readonly<Record<string, JsonObject>> = {
  GenerateContent: { type: 'object', description: 'Members may be in camelCase or in snake_case, and null.' },
  GenerateContentMembers: contentBodySchema,
  EmbedContent: embedSchema,
  BatchEmbedContents: batchSchema,
  GeminiContent: {
    type: 'object',
    properties: { role: string, parts: { type: 'array', items: object } },
  },
  GenerateContentResponse: {
    type: 'object',
    required: ['usageMetadata', 'modelVersion', 'responseId'],
    properties: {
      candidates: {
        type: 'array',
        items: {
          type: 'object',
          properties: { content: ref('GeminiContent'), finishReason: string, index: count, groundingMetadata: object },
        },
      },
      promptFeedback: object,
      usageMetadata: {
        type: 'object',
        properties: {
          promptTokenCount: count,
          cachedContentTokenCount: count,
          candidatesTokenCount: count,
          thoughtsTokenCount: count,
          toolUsePromptTokenCount: count,
          totalTokenCount: count,
          costUsd: cost,
        },
      },
      modelVersion: string,
      responseId: string,
    },
  },
  GenerateContentChunk: {
    anyOf: [
      { type: 'object', required: ['modelVersion', 'responseId'], properties: { candidates: { type: 'array' } } },
      ref('GeminiError'),
    ],
  },
  GeminiTokenCount: { type: 'object', required: ['totalTokens'], properties: { totalTokens: count } },
  GeminiEmbedding: {
    type: 'object',
    required: ['embedding', 'usageMetadata'],
    properties: { embedding: vector(), usageMetadata: usage() },
  },
  GeminiEmbeddings: {
    type: 'object',
    required: ['embeddings', 'usageMetadata'],
    properties: { embeddings: { type: 'array', items: vector() }, usageMetadata: usage() },
  },
  GeminiError: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'status'],
        properties: { code: { type: 'integer' }, message: string, status: string, details: { type: 'array', items: object } },
      },
    },
  },
}

const requestId = { 'x-request-id': { description: 'The id of the request, as in the records.', schema: string } }
const routed = {
  'x-gateway-provider': { description: 'The provider that answered or, with an error, the last one asked.', schema: string },
  'x-gateway-attempts': { description: 'The number of attempts.', schema: string },
  'x-gateway-warnings': { description: 'The members that were dropped, lowered or estimated.', schema: string },
}

export function describeMethods(): RouteDescription {
  return {
    summary: "Google's Gemini API: generate content, count tokens, make vectors",
    path: {
      id: {
        description:
          'The model, a colon, and the method: `generateContent`, `streamGenerateContent`, `countTokens`, `embedContent` or `batchEmbedContents`.',
        schema: string,
      },
    },
    query: {
      alt: { description: '`sse`: the method `streamGenerateContent` sends events, not a JSON array.', schema: string },
      key: { description: 'The API key, if no header has it.', schema: string },
    },
    request: { anyOf: [ref('GenerateContent'), ref('EmbedContent'), ref('BatchEmbedContents')] },
    replies: {
      200: {
        description: 'The response of the method.',
        headers: { ...requestId, ...describeRateLimits(), ...routed },
        content: {
          'application/json': {
            anyOf: [
              ref('GenerateContentResponse'),
              { type: 'array', items: ref('GenerateContentChunk') },
              ref('GeminiTokenCount'),
              ref('GeminiEmbedding'),
              ref('GeminiEmbeddings'),
            ],
          },
          'text/event-stream': ref('GenerateContentChunk'),
        },
      },
      400: failure('The request is at fault: the message names the field.'),
      401: failure('The API key is missing or unknown.'),
      402: failure('The spend cap of the key is reached.'),
      403: failure('The key does not allow this model or provider.'),
      404: failure('The path names no method.'),
      413: failure('The body is too large.'),
      415: failure('The body is not JSON.'),
      422: failure('A policy of the key leaves no provider.'),
      429: {
        ...failure('A limit of the key or of the provider is reached.'),
        headers: { ...requestId, 'retry-after': { description: 'Seconds to wait, if waiting helps.', schema: count } },
      },
      500: failure('The gateway failed.'),
      424: failure('Every provider that was asked has failed.'),
      503: failure('The gateway cannot serve the request at the moment.'),
      504: failure('The provider did not answer in time.'),
    },
    schemas,
  }
}

function vector(): JsonObject {
  return { type: 'object', required: ['values'], properties: { values: { type: 'array', items: { type: ['number', 'null'] } } } }
}

function usage(): JsonObject {
  return { type: 'object', required: ['promptTokenCount', 'costUsd'], properties: { promptTokenCount: count, costUsd: cost } }
}

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

function failure(description: string): ReplyDescription {
  return { description, headers: requestId, content: { 'application/json': ref('GeminiError') } }
}
