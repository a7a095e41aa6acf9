import type { DecisionAnswer, DecisionReply, DecisionRequest, DecisionUsage, Question } from '../contracts/decision.ts'
import { isObject, type JsonObject } from '../foundation/json.ts'
import { ProviderFailure } from '../contracts/provider.ts'

/** A number may be off by what rounding does to it. */
const tolerance = 1e-6
const longestId = 64

/**
 * The reply with an answer of its own type for each question and no other: docs/protocol/decisions.md#answers. Anything else is a failure of
 * the provider, never a partial success. Members that the protocol does not know are kept.
 */
export function checkedReply(reply: unknown, request: DecisionRequest, provider: string): DecisionReply {
  const { answers, usage, ...rest } = objectOr(reply, () => broken(provider, 'answered with something that is no reply'))
  const given = objectOr(answers, () => broken(provider, 'answered without answers'))
  const checked = Object.entries(request.questions).map(([id, question]) => {
    const name = JSON.stringify(id.slice(0, longestId))
    if (!Object.hasOwn(given, id)) throw broken(provider, `left the question ${name} without an answer`)
    const answer = checkedAnswer(given[id], question)
    if (!answer) throw broken(provider, `answered the question ${name} with something that is no answer to a ${question.type}`)
    return [id, answer] as const
  })
  return {
    ...rest,
    answers: Object.fromEntries(checked),
    usage: checkedUsage(usage, () => broken(provider, 'told a usage that is none')),
  }
}

/** Undefined for what is none. */
function checkedAnswer(given: unknown, question: Question): DecisionAnswer | undefined {
  if (isAnswer(given, question)) return given
  const mended = isObject(given) ? mend(given, question) : undefined
  return isAnswer(mended, question) ? mended : undefined
}

function isAnswer(given: unknown, question: Question): given is DecisionAnswer {
  if (!isObject(given) || given['type'] !== question.type) return false
  const { noul, choice, score, confidence, probabilities, legend } = given
  if (question.type === 'noul') return isWithin(noul, 1)
  const { criteria } = question
  if (question.type === 'choice' && (typeof choice !== 'string' || !Object.hasOwn(criteria, choice))) return false
  if (question.type === 'score' && (!isWithin(score, question.criteria.length - 1) || (legend !== undefined && !isObject(legend))))
    return false
  if (confidence !== undefined && !isWithin(confidence, 1)) return false
  return probabilities === undefined || isSpread(probabilities, Object.keys(criteria))
}

/** A probability for each of the keys. */
function isSpread(probabilities: unknown, keys: readonly string[]): boolean {
  if (!isObject(probabilities) || Object.keys(probabilities).length !== keys.length) return false
  return keys.every(key => Object.hasOwn(probabilities, key) && isWithin(probabilities[key], 1))
}

function isWithin(value: unknown, largest: number): boolean {
  return typeof value === 'number' && value >= 0 && value <= largest
}

const optional: ReadonlySet<string> = new Set(['confidence', 'probabilities', 'legend'])

/** Without nulls where a member may be left out, and with numbers that rounding has carried out of their range brought back. */
function mend(answer: JsonObject, question: Question): JsonObject {
  const members = Object.entries(answer).filter(([name, value]) => value !== null || !optional.has(name))
  return Object.fromEntries(
    members.map(([name, value]) => {
      if (name === 'probabilities' && isObject(value)) return [name, mapped(value, each => near(each, 1))]
      if (name === 'noul' || name === 'confidence') return [name, near(value, 1)]
      return [name, name === 'score' && question.type === 'score' ? near(value, question.criteria.length - 1) : value]
    }),
  )
}

/** The end of the range that a number misses by a rounding. */
function near(value: unknown, largest: number): unknown {
  if (typeof value !== 'number') return value
  if (value > largest && value <= largest + tolerance) return largest
  return value < 0 && value >= -tolerance ? 0 : value
}

function mapped(members: JsonObject, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value)]))
}

function checkedUsage(usage: unknown, fault: () => ProviderFailure): DecisionUsage | undefined {
  if (usage === undefined || usage === null) return undefined
  const counts = objectOr(usage, fault)
  if (!isCount(counts['input_tokens']) || !isCount(counts['output_tokens'])) throw fault()
  return counts as DecisionUsage
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value)
}

function objectOr(value: unknown, fault: () => ProviderFailure): JsonObject {
  if (!isObject(value)) throw fault()
  return value
}

function broken(provider: string, what: string): ProviderFailure {
  return new ProviderFailure({ kind: 'protocol', message: `The provider "${provider}" ${what}.` })
}
