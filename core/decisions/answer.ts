import type { Criterion, DecisionAnswer, Question } from '../contracts/decision.ts'

/**
 * The answer to a question by its distribution: of a `noul` the probability of yes alone; of a `choice` one probability for each option, of
 * a `score` one for each level, in the order of the criteria. They sum to 1.
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

/** How concentrated a distribution is: 0 where all are equal, 1 where one has all. docs/protocol/decisions.md#answers. */
export function confidenceOf(probabilities: readonly number[]): number {
  const count = probabilities.length
  if (count === 1) return 1
  return Math.min(1, Math.max(0, (count * Math.max(...probabilities) - 1) / (count - 1)))
}

function keyed<T>(keys: readonly string[], values: readonly T[]): Readonly<Record<string, T>> {
  return Object.fromEntries(keys.map((key, index) => [key, values[index]!]))
}
