import type { Schema } from '../../../core/kit.ts'

export const maxDocuments = 2_048

const text = { type: 'string', minLength: 1 } as const

export const rerankSchema = {
  type: 'object',
  required: ['model', 'query', 'documents'],
  properties: {
    model: { type: 'string', minLength: 1, maxLength: 256 },
    query: text,
    documents: {
      type: 'array',
      minItems: 1,
      maxItems: maxDocuments,
      items: { anyOf: [text, { type: 'object', required: ['text'], properties: { text } }] },
    },
    top_n: { type: ['integer', 'null'], minimum: 1 },
    top_k: { type: ['integer', 'null'], minimum: 1 },
    return_documents: { type: ['boolean', 'null'] },
    max_tokens_per_doc: { type: ['integer', 'null'], minimum: 1 },
    user: { type: ['string', 'null'] },
    routing: {
      type: 'object',
      properties: {
        provider: {
          type: 'object',
          properties: {
            fallbacks: { type: 'array', maxItems: 64, items: { type: 'string', minLength: 1, maxLength: 256 } },
            sort: { type: 'string', minLength: 1, maxLength: 256 },
            interval: { type: 'string', maxLength: 16 },
          },
        },
        model: false,
      },
    },
  },
} as const satisfies Schema
