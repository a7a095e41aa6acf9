import { requestSchema } from '../../../core/kit.ts'
import { boolean, byValueOf, optionalString, string } from './schema-rules.ts'

const { maxItems: maxTools } = requestSchema.properties.tools

const toolName = { type: 'string', minLength: 1, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' } as const

/** An entry of `functions`, and what a tool has inside. */
export const functionDefinition = {
  type: 'object',
  required: ['name'],
  properties: { name: toolName, description: optionalString, parameters: { type: ['object', 'null'] }, strict: boolean },
} as const

/** An entry of `tools`. */
export const tool = {
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string', minLength: 1 } },
  allOf: byValueOf('type', {
    function: { required: ['function'], properties: { function: functionDefinition } },
    custom: {
      required: ['custom'],
      properties: {
        custom: {
          type: 'object',
          required: ['name'],
          properties: {
            name: toolName,
            description: optionalString,
            format: {
              type: ['object', 'null'],
              required: ['type'],
              properties: { type: { enum: ['text', 'grammar'] } },
              if: { properties: { type: { const: 'grammar' } } },
              // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
              then: {
                required: ['grammar'],
                properties: {
                  grammar: {
                    type: 'object',
                    required: ['syntax', 'definition'],
                    properties: { syntax: { enum: ['lark', 'regex'] }, definition: string },
                  },
                },
              },
            },
          },
        },
      },
    },
  }),
} as const

export const named = { type: 'object', required: ['name'], properties: { name: string } } as const

export const toolChoice = {
  anyOf: [
    { enum: ['none', 'auto', 'required', null] },
    {
      type: 'object',
      required: ['type'],
      properties: { type: { type: 'string', minLength: 1 } },
      allOf: byValueOf('type', {
        function: { required: ['function'], properties: { function: named } },
        custom: { required: ['custom'], properties: { custom: named } },
        allowed_tools: {
          required: ['allowed_tools'],
          properties: {
            allowed_tools: {
              type: 'object',
              required: ['tools'],
              properties: {
                mode: { enum: ['auto', 'required', null] },
                tools: { type: 'array', maxItems: maxTools, items: { type: 'object', required: ['type'] } },
              },
            },
          },
        },
      }),
    },
  ],
} as const
