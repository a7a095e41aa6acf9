import type { JsonObject } from '../../../../core/index.ts'
import { confidenceOf, type DecisionAnswer, type Warning } from '../../../../core/kit.ts'
import type { Asked } from './neutral-request.ts'

type Answer<T extends DecisionAnswer['type']> = Extract<DecisionAnswer, { readonly type: T }>

/** The public form of an answer. Adds a warning if it has to say more than the model reported. */
export function publicAnswer(asked: Asked, index: number, answer: DecisionAnswer, warnings: Warning[]): JsonObject {
  const { name } = asked
  switch (answer.type) {
    case 'refusal':
      return { ...answer, type: 'refusal', name }
    case 'noul': {
      const { noul, ...more } = answer
      return { ...more, type: 'predicate', name, probability: noul }
    }
    case 'choice':
      return choiceAnswer(asked, answer, () => warnings.push(guessed(index)))
    case 'score':
      return scoreAnswer(asked, answer, () => warnings.push(guessed(index)))
  }
}

function choiceAnswer({ name, question }: Asked, answer: Answer<'choice'>, guess: () => void): JsonObject {
  const { choice, confidence, probabilities, ...more } = answer
  const { criteria, options } = question as Extract<Asked['question'], { type: 'choice' }>
  const typed = options ?? Object.keys(criteria).map(key => ({ key, value: key }))
  if (!probabilities) guess()
  const shares = typed.map(({ key, value }) => ({ probability: probabilities ? (probabilities[key] ?? 0) : Number(key === choice), value }))
  return {
    ...more,
    type: 'choice',
    name,
    choice: typed.find(({ key }) => key === choice)?.value ?? choice,
    confidence: confidence ?? confidenceOf(shares.map(({ probability }) => probability)),
    probabilities: shares,
  }
}

function scoreAnswer({ name, labels = [] }: Asked, answer: Answer<'score'>, guess: () => void): JsonObject {
  const { score, confidence, probabilities, legend: _, ...more } = answer
  if (!probabilities) guess()
  const shares = labels.map((label, value) => ({
    label,
    probability: probabilities ? (probabilities[value] ?? 0) : nearness(score, value),
    value,
  }))
  return {
    ...more,
    type: 'score',
    name,
    score,
    confidence: confidence ?? confidenceOf(shares.map(({ probability }) => probability)),
    probabilities: shares,
  }
}

/** Splits all of the probability between the two levels next to the score, so that it is their mean. */
function nearness(score: number, level: number): number {
  return Math.max(0, 1 - Math.abs(score - level))
}

function guessed(index: number): Warning {
  return { param: `questions[${index}]`, message: 'the model reports no probabilities, so those in the answer only repeat it' }
}
