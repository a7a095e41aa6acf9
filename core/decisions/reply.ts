import type { DecisionAnswer, DecisionReply, DecisionRequest, DecisionUsage, Question } from '../contracts/decision.ts'
import type { JsonObject } from '../contracts/json.ts'
import { ProviderFailure } from '../contracts/provider.ts'

/** A number may be off by what rounding does to it. */
const tolerance = 1e-6
const longestId = 64

/**
 * The reply with an answer of its own type for each question and no other: contract/decisions.md, Answers. Anything else is a failure of
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

function checkedAnswer(given: unknown, question: Question): DecisionAnswer | undefined {
  if (!isObject(given) || given['type'] !== question.type) return undefined
  const answer = withoutNulls(given)
  switch (question.type) {
    case 'noul': {
      const noul = within(answer['noul'], 1)
      return noul === undefined ? undefined : { ...answer, type: 'noul', noul }
    }
    case 'choice': {
      const { choice } = answer
      const spread = checkedSpread(answer, Object.keys(question.criteria))
      if (typeof choice !== 'string' || !Object.hasOwn(question.criteria, choice) || !spread) return undefined
      return { ...answer, type: 'choice', choice, ...spread }
    }
    case 'score': {
      const score = within(answer['score'], question.criteria.length - 1)
      const spread = checkedSpread(answer, Object.keys(question.criteria))
      const { legend = {} } = answer
      if (score === undefined || !spread || !isObject(legend)) return undefined
      return { ...answer, type: 'score', score, ...spread }
    }
  }
}

interface Spread {
  readonly confidence?: number
  readonly probabilities?: Readonly<Record<string, number>>
}

/** `confidence` and `probabilities` may be missing; what is there must be right, for each of the keys. */
function checkedSpread({ confidence, probabilities }: JsonObject, keys: readonly string[]): Spread | undefined {
  const sure = confidence === undefined ? undefined : within(confidence, 1)
  if (sure === undefined && confidence !== undefined) return undefined
  const spread = sure === undefined ? {} : { confidence: sure }
  if (probabilities === undefined) return spread
  if (!isObject(probabilities) || Object.keys(probabilities).length !== keys.length) return undefined
  const entries: (readonly [string, number])[] = []
  for (const key of keys) {
    const probability = Object.hasOwn(probabilities, key) ? within(probabilities[key], 1) : undefined
    if (probability === undefined) return undefined
    entries.push([key, probability])
  }
  return { ...spread, probabilities: Object.fromEntries(entries) }
}

const optional: ReadonlySet<string> = new Set(['confidence', 'probabilities', 'legend'])

/** Some servers write a member that they leave out as null. */
function withoutNulls(answer: JsonObject): JsonObject {
  if (!Object.values(answer).includes(null)) return answer
  return Object.fromEntries(Object.entries(answer).filter(([name, value]) => value !== null || !optional.has(name)))
}

/** A number from 0 to `largest`; undefined for anything else. */
function within(value: unknown, largest: number): number | undefined {
  if (typeof value !== 'number' || !(value >= -tolerance && value <= largest + tolerance)) return undefined
  return Math.min(largest, Math.max(0, value))
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

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function broken(provider: string, what: string): ProviderFailure {
  return new ProviderFailure({ kind: 'protocol', message: `The provider "${provider}" ${what}.` })
}
