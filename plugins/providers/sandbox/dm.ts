import { createHash } from 'node:crypto'
import type { CatalogSource, DecisionClient } from '../../../core/index.ts'
import { answerBy, estimateTokens, maxItemLevels, type DecisionAnswer, type Question } from '../../../core/kit.ts'
import { created } from './models.ts'

/** Probabilities are multiples of 1 / precision. */
const precision = 10_000

/** Decisions depend only on the state and the question: the same ones always get the same answer. */
export function sandboxDecisions(provider: string): DecisionClient {
  return {
    provider,
    prefixOnly: true,
    limits: { items: true, levels: maxItemLevels, requestTokens: Infinity, questionTokens: Infinity },
    resolve: model => (model === 'dm' ? model : undefined),
    async decide({ request: { state, questions } }) {
      const told = JSON.stringify(state)
      const digest = sha256(told).toString('hex')
      const answers = Object.entries(questions).map(([id, question]) => [id, answer(digest, question)] as const)
      return {
        answers: Object.fromEntries(answers),
        usage: { input_tokens: tokens(told) + tokens(JSON.stringify(questions)), output_tokens: tokens(JSON.stringify(answers)) },
      }
    },
  }
}

/** The canonical name includes the provider, so that `dm` alone never means the sandbox. */
export function sandboxDecisionModels(provider: string): CatalogSource {
  const entry = {
    model: `${provider}/dm`,
    created,
    ownedBy: 'turnpike',
    auto: false,
    endpoints: [{ provider, kind: 'decision', upstreamModel: 'dm', price: { input: 0.1, output: 0 } } as const],
  }
  return { name: `${provider}-decisions`, entries: () => [entry] }
}

function answer(stateDigest: string, question: Question): DecisionAnswer {
  const random = numbersOf(`${stateDigest}${JSON.stringify(question)}`)
  if (question.type === 'noul') return answerBy(question, [Math.round(random() * precision) / precision])
  return answerBy(question, distribution(Object.keys(question.criteria).map(() => random())))
}

/** Gives most of the probability to a few options. The sum is exactly 1, in whole steps. */
function distribution(random: readonly number[]): readonly number[] {
  const weights = random.map(number => 1 / (1.001 - number) ** 2)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const steps = weights.map(weight => Math.floor((weight / total) * precision))
  const left = precision - steps.reduce((sum, step) => sum + step, 0)
  const largest = steps.indexOf(Math.max(...steps))
  return steps.map((step, index) => (index === largest ? step + left : step) / precision)
}

/** Numbers from 0 to below 1, the same for the same text. */
function numbersOf(text: string): () => number {
  const seed = sha256(text)
  let block = seed
  let used = 0
  return () => {
    if (used === block.length) {
      block = sha256(seed, block)
      used = 0
    }
    const number = block.readUInt32BE(used) / 2 ** 32
    used += 4
    return number
  }
}

function sha256(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

function tokens({ length }: string): number {
  return estimateTokens(length)
}
