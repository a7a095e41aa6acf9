import type { Gateway } from '../../core/gateway.ts'
import type { DecisionAnswer, Question } from '../../core/index.ts'
import { ConfigError } from '../errors.ts'
import type { JudgedExample } from './calibration.ts'
import type { Example } from './examples.ts'

/** Asks a decision model all examples, several at a time. Results are in the order of the examples. The first failure ends it. */
export async function judgeExamples(
  gateway: Gateway,
  model: string,
  examples: readonly Example[],
  file: string,
  concurrency: number,
): Promise<readonly JudgedExample[]> {
  const key = await gateway.issueKey({ name: 'calibration' })
  const judged: JudgedExample[] = []
  let next = 0
  let isOver = false
  const work = async (): Promise<void> => {
    while (next < examples.length && !isOver) {
      const place = next++
      try {
        judged[place] = await judge(gateway, key, model, examples[place]!, file)
      } catch (error) {
        isOver = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return judged
}

async function judge(gateway: Gateway, key: string, model: string, example: Example, file: string): Promise<JudgedExample> {
  const { line, state, question, right } = example
  const reply = await gateway.http.h3.request('/v1/systemone', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, state, questions: { example: question } }),
  })
  const body = (await reply.json()) as {
    readonly answers?: { readonly example: DecisionAnswer }
    readonly detail?: { readonly message?: string }
  }
  if (!reply.ok || !body.answers)
    throw new ConfigError(file, [`line ${line}: ${model} gave no answer, status ${reply.status}: ${body.detail?.message ?? 'no message'}`])
  const probabilities = distributionOf(question, body.answers.example)
  if (!probabilities)
    throw new ConfigError(file, [`line ${line}: ${model} answered without probabilities, so there is nothing to calibrate.`])
  return { type: question.type, probabilities, right }
}

/** One probability for each option, in the order of the criteria. */
function distributionOf(question: Question, answer: DecisionAnswer): readonly number[] | undefined {
  if (answer.type === 'noul') return [answer.noul, 1 - answer.noul]
  const { probabilities } = answer
  if (!probabilities || question.type === 'noul') return undefined
  return Object.keys(question.criteria).map(name => probabilities[name] ?? 0)
}
