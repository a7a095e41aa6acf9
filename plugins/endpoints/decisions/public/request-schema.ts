import { bodyValidator, maxItemLevels, maxOptions, maxTextLength, type Schema } from '../../../../core/kit.ts'

// The body of the public Decisions API: docs/protocol/decisions.md#the-public-format.

export const maxQuestions = 400
const maxItems = 10_000

const string = { type: 'string' } as const
const text = { type: 'string', maxLength: maxTextLength } as const
const nullable = { type: ['string', 'null'] } as const
const status = { enum: ['in_progress', 'completed', 'incomplete', null] } as const

const breakpoint = {
  type: ['object', 'null'],
  required: ['mode'],
  properties: { mode: { const: 'explicit' } },
} as const satisfies Schema

const inputText = {
  type: 'object',
  required: ['type', 'text'],
  properties: { type: { const: 'input_text' }, text, prompt_cache_breakpoint: breakpoint },
} as const satisfies Schema

const inputImage = {
  type: 'object',
  required: ['type', 'image_url'],
  properties: {
    type: { const: 'input_image' },
    image_url: { type: 'string', minLength: 1, maxLength: 20_971_520 },
    detail: { enum: ['low', 'high', 'auto', 'original', null] },
    prompt_cache_breakpoint: breakpoint,
  },
} as const satisfies Schema

const inputJson = {
  type: 'object',
  required: ['type', 'data'],
  properties: { type: { const: 'input_json' }, data: { type: ['object', 'array'], items: { type: 'object' } } },
} as const satisfies Schema

const outputText = {
  type: 'object',
  required: ['type', 'text'],
  properties: { type: { const: 'output_text' }, text },
} as const satisfies Schema

const refusal = {
  type: 'object',
  required: ['type', 'refusal'],
  properties: { type: { const: 'refusal' }, refusal: text },
} as const satisfies Schema

const byType = { type: 'object', required: ['type'], discriminator: { propertyName: 'type' } } as const
const anyPart = { ...byType, oneOf: [inputText, inputImage, inputJson, outputText, refusal] } as const
const toolPart = { ...byType, oneOf: [inputText, inputImage] } as const
const questionPart = { ...byType, oneOf: [inputText, inputImage, inputJson] } as const

const message = {
  type: 'object',
  required: ['type', 'role', 'content'],
  properties: {
    type: { const: 'message' },
    role: { enum: ['user', 'developer', 'system', 'assistant'] },
    content: { anyOf: [text, { type: 'array', items: anyPart }] },
    phase: { enum: ['commentary', 'final_answer', null] },
  },
} as const satisfies Schema

const callId = { type: 'string', minLength: 1 } as const
const name = { type: 'string', minLength: 1 } as const
const output = { anyOf: [text, { type: 'array', items: toolPart }] } as const

const functionCall = {
  type: 'object',
  required: ['type', 'call_id', 'name', 'arguments'],
  properties: { type: { const: 'function_call' }, call_id: callId, name, arguments: text, id: nullable, namespace: nullable, status },
} as const satisfies Schema

const functionCallOutput = {
  type: 'object',
  required: ['type', 'call_id', 'output'],
  properties: { type: { const: 'function_call_output' }, call_id: callId, output, id: nullable, status },
} as const satisfies Schema

const customToolCall = {
  type: 'object',
  required: ['type', 'call_id', 'name', 'input'],
  properties: { type: { const: 'custom_tool_call' }, call_id: callId, name, input: text, id: nullable, namespace: nullable, status },
} as const satisfies Schema

const customToolCallOutput = {
  type: 'object',
  required: ['type', 'call_id', 'output'],
  properties: { type: { const: 'custom_tool_call_output' }, call_id: callId, output, id: nullable, status },
} as const satisfies Schema

const items = {
  type: 'array',
  minItems: 1,
  maxItems,
  items: { ...byType, oneOf: [message, functionCall, functionCallOutput, customToolCall, customToolCallOutput] },
} as const satisfies Schema

const instructions = { anyOf: [text, { type: 'array', minItems: 1, items: questionPart }] } as const
const optionalInstructions = { anyOf: [{ type: ['string', 'null'], maxLength: maxTextLength }, instructions.anyOf[1]] } as const

const predicate = {
  type: 'object',
  required: ['type', 'instructions'],
  properties: { type: { const: 'predicate' }, name: nullable, instructions },
} as const satisfies Schema

const choice = {
  type: 'object',
  required: ['type', 'choices'],
  properties: {
    type: { const: 'choice' },
    name: nullable,
    instructions: optionalInstructions,
    choices: {
      type: 'array',
      minItems: 2,
      maxItems: maxOptions,
      items: {
        type: 'object',
        required: ['value'],
        properties: { value: { type: ['string', 'boolean'] }, description: nullable },
      },
    },
  },
} as const satisfies Schema

const score = {
  type: 'object',
  required: ['type', 'levels'],
  properties: {
    type: { const: 'score' },
    name: nullable,
    instructions: optionalInstructions,
    levels: {
      type: 'array',
      minItems: 1,
      maxItems: maxItemLevels,
      items: { type: 'object', required: ['label'], properties: { label: string, description: nullable } },
    },
  },
} as const satisfies Schema

export const publicQuestionSchema = { ...byType, oneOf: [predicate, choice, score] } as const satisfies Schema

export const publicDecisionSchema = {
  type: 'object',
  required: ['model', 'input', 'questions'],
  properties: {
    model: { type: 'string', minLength: 1, maxLength: 256 },
    input: { anyOf: [text, items] },
    questions: { type: 'array', minItems: 1, maxItems: maxQuestions, items: publicQuestionSchema },
    prompt_cache_key: nullable,
    prompt_cache_options: {
      type: ['object', 'null'],
      properties: { mode: { enum: ['implicit', 'explicit', null] }, ttl: nullable },
    },
    safety_identifier: { type: ['string', 'null'], maxLength: 128 },
    stream: { enum: [false, null] },
  },
} as const satisfies Schema

/** Throws a 400. Here, because the build knows only the validators of modules that a plugin loads at once. */
export const validatePublicDecision = bodyValidator(publicDecisionSchema)
