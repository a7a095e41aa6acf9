import type { Criterion, DecisionAnswer, Question } from '../contracts/decision.ts'

/**
 * Makes the answer to a question from its probabilities, in the order of the criteria: one for each option of a `choice`, one for each
 * level of a `score`. They sum to 1. For a `noul`, only the first one counts, the probability of yes.
 */
export function answerBy(question: Question, probabilities: readonly number[]): DecisionAnswer {
  switch (question.type) {
    case 'noul':
      return { type: 'noul', noul: probabilities[0]! }
    case 'choice': {
      const options = Object.keys(question.criteria)
      return {
        type: 'choice',
        choice: options[probabilities.indexOf(Math.max(...probabilities))]!,
        confidence: confidenceOf(probabilities),
        probabilities: keyed(options, probabilities),
      }
    }
    case 'score': {
      const levels = Object.keys(question.criteria)
      return {
        type: 'score',
        score: probabilities.reduce((sum, probability, level) => sum + level * probability, 0),
        confidence: confidenceOf(probabilities),
        probabilities: keyed(levels, probabilities),
        legend: keyed<Criterion>(levels, question.criteria),
      }
    }
  }
}

/** How concentrated the probabilities are: 0 if all are equal, 1 if one option has all of it. docs/protocol/decisions.md#answers. */
export function confidenceOf(probabilities: readonly number[]): number {
  const count = probabilities.length
  if (count === 1) return 1
  return Math.min(1, Math.max(0, (count * Math.max(...probabilities) - 1) / (count - 1)))
}

function keyed<T>(keys: readonly string[], values: readonly T[]): Readonly<Record<string, T>> {
  return Object.fromEntries(keys.map((key, index) => [key, values[index]!]))
}
