import type { JsonObject } from '../../../core/index.ts'
import { decisionRequestSchema, questionSchema, type ReplyDescription, type RouteDescription } from '../../../core/kit.ts'

// The OpenAPI description of `/v1/systemone`.

const text = { type: 'string' }
const count = { type: 'number', minimum: 0 }
const probability = { type: 'number', minimum: 0, maximum: 1 }
const probabilities = { type: 'object', additionalProperties: probability }
const [noul, choice, score] = questionSchema.oneOf

const schemas: Readonly<Record<string, JsonObject>> = {
  NoulQuestion: { ...noul, description: 'Yes or no.' },
  ChoiceQuestion: { ...choice, description: 'One of the options in `criteria`. Each may have a description.' },
  ScoreQuestion: { ...score, description: 'One of the levels in `criteria`, lowest first.' },
  Question: { anyOf: [ref('NoulQuestion'), ref('ChoiceQuestion'), ref('ScoreQuestion')] },
  CreateDecision: {
    ...decisionRequestSchema,
    properties: {
      ...decisionRequestSchema.properties,
      questions: { ...decisionRequestSchema.properties.questions, additionalProperties: ref('Question') },
    },
  },
  NoulAnswer: answer('noul', { noul: { ...probability, description: 'The probability of yes.' } }),
  ChoiceAnswer: answer('choice', { choice: text }, { confidence: probability, probabilities }),
  ScoreAnswer: answer('score', { score: count }, { confidence: probability, probabilities, legend: { type: 'object' } }),
  Answer: { anyOf: [ref('NoulAnswer'), ref('ChoiceAnswer'), ref('ScoreAnswer')] },
  Decision: {
    type: 'object',
    required: ['id', 'model', 'answers', 'usage'],
    properties: {
      id: text,
      model: { ...text, description: 'The model version that answered, as <provider>/<model>.' },
      answers: { type: 'object', additionalProperties: ref('Answer'), description: 'Answers by question id.' },
      usage: {
        type: 'object',
        required: ['input_tokens', 'output_tokens'],
        properties: { input_tokens: count, output_tokens: { ...count, description: 'Not charged.' } },
      },
    },
  },
  DecisionError: {
    type: 'object',
    required: ['detail'],
    properties: { detail: { type: 'object', required: ['error_type', 'message'], properties: { error_type: text, message: text } } },
  },
}

const requestId = { 'x-request-id': { description: 'The id of the decision, as in the records.', schema: text } }

export const replies: Readonly<Record<number, ReplyDescription>> = {
  200: {
    ...reply('The answers.', 'Decision'),
    headers: {
      ...requestId,
      'x-gateway-provider': { description: 'The provider that answered or, with an error, the last one asked.', schema: text },
      'x-gateway-attempts': { description: 'The number of attempts.', schema: text },
      'x-gateway-cost-usd': { description: 'The cost in US dollars, if known.', schema: text },
      'x-gateway-warnings': { description: 'What the model did not get, or did not report.', schema: text },
    },
  },
  400: failure('The request is at fault, has too many tokens, names no decision model, or its key has redaction on.'),
  401: failure('The API key is missing or unknown.'),
  402: failure('The spend cap of the key is reached.'),
  403: failure('The key does not allow this model or provider.'),
  413: failure('The body is too large.'),
  415: failure('The body is not JSON.'),
  422: failure('The key has zero data retention or HIPAA mode on, or the vendor refused the request.'),
  424: failure('The vendor failed.'),
  429: {
    ...failure('A limit of the key or of the vendor is reached.'),
    headers: { ...requestId, 'retry-after': { description: 'Seconds to wait, if known.', schema: count } },
  },
  500: failure('The gateway failed.'),
  503: failure('A part that the gateway needs does not answer, or the gateway is shutting down.'),
  504: failure('The vendor did not answer in time.'),
}

export function describeDecide(): RouteDescription {
  return { summary: 'Answer questions about a state with probabilities', request: ref('CreateDecision'), replies, schemas }
}

function answer(
  type: string,
  always: Readonly<Record<string, JsonObject>>,
  sometimes: Readonly<Record<string, JsonObject>> = {},
): JsonObject {
  return { type: 'object', required: ['type', ...Object.keys(always)], properties: { type: { const: type }, ...always, ...sometimes } }
}

export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

function reply(description: string, schema: string): ReplyDescription {
  return { description, headers: requestId, content: { 'application/json': ref(schema) } }
}

export function failure(description: string, schema = 'DecisionError'): ReplyDescription {
  return reply(description, schema)
}
