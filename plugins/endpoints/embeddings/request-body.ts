import type { Schema } from '../../../core/kit.ts'

export const maxInputs = 2_048
const maxTokens = 50_000
const largestToken = 2_147_483_647

const text = { type: 'string', minLength: 1 } as const
const tokens = { type: 'array', minItems: 1, maxItems: maxTokens, items: { type: 'integer', minimum: 0, maximum: largestToken } } as const

/** For the description. `parseEmbeddings` checks the input itself, because a schema with so many alternatives gives errors that help nobody. */
export const inputSchema = {
  anyOf: [
    text,
    { type: 'array', minItems: 1, maxItems: maxInputs, items: text },
    tokens,
    { type: 'array', minItems: 1, maxItems: maxInputs, items: tokens },
  ],
  description: 'A text or a list of tokens, or up to 2,048 of either.',
} as const

/** All members except `input`. */
export const embeddingsSchema = {
  type: 'object',
  required: ['model', 'input'],
  properties: {
    model: { type: 'string', minLength: 1, maxLength: 256 },
    dimensions: { type: ['integer', 'null'], minimum: 1, maximum: 65_536 },
    encoding_format: { enum: ['float', 'base64', null] },
    user: { type: ['string', 'null'] },
    input_type: { type: ['string', 'null'], maxLength: 64 },
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
