import { isObject, ProviderFailure, type JsonObject } from '../../../core/index.ts'
import { answerBy, type DecisionAnswer, type DecisionReply, type DecisionRequest, type Question } from '../../../core/kit.ts'

type Answers = DecisionReply['answers']

/** The answers to questions with a single option, which the vendor does not take. */
export function soleAnswers({ questions }: DecisionRequest): Answers {
  const sole = Object.entries(questions).filter(([, question]) => question.type === 'choice' && Object.keys(question.criteria).length === 1)
  return Object.fromEntries(sole.map(([id, question]) => [id, answerBy(question, [1])]))
}

/** The vendor's answers, by the ids of the questions. Core refuses those that are not valid. */
export function answersOf(given: unknown, { questions, form }: DecisionRequest): Answers {
  const asked = Object.entries(questions)
  if (!Array.isArray(given) || given.length !== asked.length)
    throw new ProviderFailure({ kind: 'protocol', status: 200, message: 'The vendor did not answer every question.' })
  return Object.fromEntries(asked.map(([id, question], index) => [id, answerTo(question, given[index], form)]))
}

function answerTo(question: Question, given: unknown, form: DecisionRequest['form']): DecisionAnswer {
  if (!isObject(given)) return {} as DecisionAnswer
  const { name: _, type, ...more } = given
  if (type === 'refusal') return { ...more, type }
  if (question.type === 'noul') {
    const { probability, ...rest } = more
    return { ...rest, type: type === 'predicate' ? 'noul' : type, noul: probability } as DecisionAnswer
  }
  const { probabilities, ...rest } = more
  if (question.type === 'score') {
    const legend = form === 'items' ? {} : { legend: { ...question.criteria } }
    return { ...rest, type, ...keyed(probabilities, each => String(each['value'])), ...legend } as DecisionAnswer
  }
  const keys = new Map(question.options?.map(({ key, value }) => [value, key] as const))
  const keyOf = (value: unknown): unknown => (question.options ? keys.get(value as string | boolean) : value)
  return { ...rest, type, choice: keyOf(rest['choice']), ...keyed(probabilities, each => String(keyOf(each['value']))) } as DecisionAnswer
}

function keyed(probabilities: unknown, keyOf: (each: JsonObject) => string): { readonly probabilities?: unknown } {
  if (!Array.isArray(probabilities)) return {}
  return { probabilities: Object.fromEntries(probabilities.filter(isObject).map(each => [keyOf(each), each['probability']])) }
}
