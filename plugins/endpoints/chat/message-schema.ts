import { cacheControlSchema, maxCallIdLength } from '../../../core/kit.ts'
import { byValueOf, optionalString, string, text } from './schema-rules.ts'

const callId = { type: 'string', minLength: 1, maxLength: maxCallIdLength } as const
const name = { type: 'string', minLength: 1, maxLength: 128 } as const
export const cacheControl = { ...cacheControlSchema, type: ['object', 'null'] } as const

const part = {
  type: 'object',
  required: ['type'],
  properties: { type: string, cache_control: cacheControl },
  allOf: byValueOf('type', {
    text: { required: ['text'], properties: { text } },
    refusal: { required: ['refusal'], properties: { refusal: text } },
    image_url: {
      required: ['image_url'],
      properties: {
        image_url: {
          anyOf: [
            { type: 'string', minLength: 1 },
            {
              type: 'object',
              required: ['url'],
              properties: { url: { type: 'string', minLength: 1 }, detail: { enum: ['auto', 'low', 'high', 'original', null] } },
            },
          ],
        },
      },
    },
    input_audio: {
      required: ['input_audio'],
      properties: { input_audio: { type: 'object', required: ['data', 'format'], properties: { data: string, format: string } } },
    },
    file: {
      required: ['file'],
      properties: {
        file: { type: 'object', properties: { file_data: optionalString, file_id: optionalString, filename: optionalString } },
      },
    },
  }),
} as const

const content = { anyOf: [text, { type: 'array', maxItems: 10_000, items: part }] } as const
const optionalContent = { anyOf: [...content.anyOf, { type: 'null' }] } as const

const call = {
  type: 'object',
  required: ['id'],
  properties: { id: callId, type: { enum: ['function', 'custom', null] } },
  anyOf: [
    {
      required: ['function'],
      properties: { function: { type: 'object', required: ['name'], properties: { name, arguments: optionalString } } },
    },
    { required: ['custom'], properties: { custom: { type: 'object', required: ['name'], properties: { name, input: optionalString } } } },
  ],
} as const

/** An entry of `messages`. */
export const message = {
  type: 'object',
  required: ['role'],
  properties: {
    role: { enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] },
    name: optionalString,
    cache_control: cacheControl,
  },
  allOf: byValueOf('role', {
    system: { required: ['content'], properties: { content } },
    developer: { required: ['content'], properties: { content } },
    user: { required: ['content'], properties: { content } },
    assistant: {
      properties: {
        content: optionalContent,
        refusal: optionalString,
        reasoning: optionalString,
        reasoning_content: optionalString,
        reasoning_details: { type: ['array', 'null'], items: { type: 'object' } },
        tool_calls: { type: ['array', 'null'], items: call },
        function_call: { type: ['object', 'null'], required: ['name'], properties: { name, arguments: optionalString } },
      },
    },
    tool: { required: ['content', 'tool_call_id'], properties: { content: optionalContent, tool_call_id: callId } },
    function: { required: ['content', 'name'], properties: { content: { type: ['string', 'null'] }, name } },
  }),
} as const
