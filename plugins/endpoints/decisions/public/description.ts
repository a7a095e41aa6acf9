import type { JsonObject } from '../../../../core/index.ts'
import type { ReplyDescription, RouteDescription } from '../../../../core/kit.ts'
import { failure, ref, replies as systemOneReplies } from '../description.ts'
import { publicDecisionSchema, publicQuestionSchema } from './request-schema.ts'

const text = { type: 'string' }
const count = { type: 'number', minimum: 0 }
const probability = { type: 'number', minimum: 0, maximum: 1 }
const name = { type: ['string', 'null'], description: 'The name of the question, or null if it has none.' }
const value = { type: ['string', 'boolean'] }
const [predicate, choice, score] = publicQuestionSchema.oneOf
const [plainInput, itemList] = publicDecisionSchema.properties.input.anyOf
const [message, ...otherItems] = itemList.items.oneOf

const schemas: Readonly<Record<string, JsonObject>> = {
  PredicateQuestion: { ...predicate, description: 'How likely a statement about the input is true.' },
  PublicChoiceQuestion: { ...choice, description: 'One of the choices. The string `"true"` and the boolean `true` are different values.' },
  PublicScoreQuestion: { ...score, description: 'One of the levels, lowest first.' },
  PublicQuestion: { anyOf: [ref('PredicateQuestion'), ref('PublicChoiceQuestion'), ref('PublicScoreQuestion')] },
  PublicDecisionItem: { anyOf: [{ ...message, required: ['role', 'content'] }, ...otherItems] },
  CreatePublicDecision: {
    ...publicDecisionSchema,
    properties: {
      ...publicDecisionSchema.properties,
      input: { anyOf: [plainInput, { ...itemList, items: ref('PublicDecisionItem') }] },
      questions: { ...publicDecisionSchema.properties.questions, items: ref('PublicQuestion') },
    },
  },
  PredicateAnswer: answer('predicate', { name, probability: { ...probability, description: 'How likely it is true.' } }),
  PublicChoiceAnswer: answer('choice', { name, choice: value, confidence: probability, probabilities: listOf({ probability, value }) }),
  PublicScoreAnswer: answer('score', {
    name,
    score: count,
    confidence: probability,
    probabilities: listOf({ label: text, probability, value: count }),
  }),
  RefusalAnswer: answer('refusal', { name }),
  PublicAnswer: {
    anyOf: [ref('PredicateAnswer'), ref('PublicChoiceAnswer'), ref('PublicScoreAnswer'), ref('RefusalAnswer')],
  },
  PublicDecision: object({
    id: text,
    answers: { type: 'array', items: ref('PublicAnswer'), description: 'In the order of the questions.' },
    model: { ...text, description: 'The model version that answered, as <provider>/<model>.' },
    usage: object({
      input_tokens: count,
      input_tokens_details: object({ cache_write_tokens: count, cached_tokens: count }),
      output_tokens: count,
      output_tokens_details: object({ reasoning_tokens: count }),
      total_tokens: count,
      cost_usd: { type: ['number', 'null'], description: 'In US dollars; null if the price is unknown.' },
    }),
  }),
  PublicDecisionError: object({
    error: object({ message: text, type: text, param: { type: ['string', 'null'] }, code: text }),
  }),
}

/** Describes `POST /v1/decisions`. */
export function describePublic(lastDay: string): RouteDescription {
  const replies = Object.entries(systemOneReplies).map(([status, { description, headers }]): readonly [string, ReplyDescription] => [
    status,
    status === '200'
      ? { description, ...(headers && { headers }), content: { 'application/json': ref('PublicDecision') } }
      : { ...failure(description, 'PublicDecisionError'), ...(headers && { headers }) },
  ])
  return {
    summary: `Answer questions about text, messages and images with probabilities. Until ${lastDay} also in the format of /v1/systemone`,
    request: ref('CreatePublicDecision'),
    replies: Object.fromEntries(replies),
    schemas,
  }
}

function answer(type: string, members: Readonly<Record<string, JsonObject>>): JsonObject {
  return object({ type: { const: type }, ...members })
}

function listOf(members: Readonly<Record<string, JsonObject>>): JsonObject {
  return { type: 'array', items: object(members) }
}

function object(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  return { type: 'object', required: Object.keys(properties), properties }
}
