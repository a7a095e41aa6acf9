import type { DecisionAnswer, DecisionReply, DecisionRequest, DecisionUsage, Question } from '../contracts/decision.ts'
import { isObject, type JsonObject } from '../foundation/json.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import type { Warning } from '../contracts/route.ts'
import { own, wording, type Wording } from '../foundation/wording.ts'

/** Rounding may move a number this far out of its range. */
const tolerance = 1e-6
const maxIdLength = 64

/**
 * Checks that a client's reply has an answer of the right type for every question: docs/protocol/decisions.md#answers. If one is missing or
 * invalid, the whole reply is a provider failure. Answers to other questions are dropped; unknown members are kept. `form`: of the caller's
 * request, which says if an answer may be a refusal.
 */
export function checkedReply(reply: unknown, request: DecisionRequest, provider: string, form = request.form): DecisionReply {
  const { answers, usage, warnings, ...rest } = objectOr(reply, () => broken(provider, wording`sent a reply that is not an object`))
  const given = objectOr(answers, () => broken(provider, wording`sent a reply without answers`))
  const checked = Object.entries(request.questions).map(([id, question]) => {
    const name = JSON.stringify(id.slice(0, maxIdLength))
    if (!Object.hasOwn(given, id)) throw broken(provider, wording`did not answer the question ${name}`)
    if (isRefusal(given[id])) {
      if (form === 'items') return [id, given[id]] as const
      throw broken(provider, wording`declined to answer the question ${name}`)
    }
    const answer = checkedAnswer(given[id], question)
    if (!answer) throw broken(provider, wording`sent an invalid answer to the ${own(question.type)} question ${name}`)
    return [id, answer] as const
  })
  return {
    ...rest,
    answers: Object.fromEntries(checked),
    usage: checkedUsage(usage, () => broken(provider, wording`sent an invalid usage`)),
    ...(Array.isArray(warnings) && { warnings: warnings.filter(isWarning) }),
  }
}

function isRefusal(given: unknown): given is Extract<DecisionAnswer, { type: 'refusal' }> {
  return isObject(given) && given['type'] === 'refusal'
}

function isWarning(given: unknown): given is Warning {
  return isObject(given) && typeof given['param'] === 'string' && typeof given['message'] === 'string'
}

/** The checked answer, if it is valid. */
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

/** True if there is one probability for each key and no other. */
function isSpread(probabilities: unknown, keys: readonly string[]): boolean {
  if (!isObject(probabilities) || Object.keys(probabilities).length !== keys.length) return false
  return keys.every(key => Object.hasOwn(probabilities, key) && isWithin(probabilities[key], 1))
}

function isWithin(value: unknown, largest: number): boolean {
  return typeof value === 'number' && value >= 0 && value <= largest
}

const optional: ReadonlySet<string> = new Set(['confidence', 'probabilities', 'legend'])

/** Drops nulls of optional members, and moves numbers that are barely out of range back into it. */
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

/** A number that misses its range by a rounding error becomes the end of the range. */
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

function broken(provider: string, what: Wording): ProviderFailure {
  return new ProviderFailure({ kind: 'protocol', message: wording`The provider "${own(provider)}" ${what}.` })
}
