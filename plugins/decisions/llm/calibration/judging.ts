import type { DecisionAnswer, Question } from '../../../../core/kit.ts'
import type { JudgedExample } from './calibration.ts'
import type { Example } from './examples.ts'

/** A decision model's probabilities for the options of an example's question. */
export type Judge = (example: Example) => Promise<readonly number[]>

/** Asks `judge` about every example, `concurrency` at a time. The result has the order of the examples. The first failure ends it. */
export async function judgeExamples(examples: readonly Example[], judge: Judge, concurrency: number): Promise<readonly JudgedExample[]> {
  const judged: JudgedExample[] = []
  let next = 0
  let isOver = false
  const work = async (): Promise<void> => {
    while (next < examples.length && !isOver) {
      const index = next++
      const example = examples[index]!
      try {
        judged[index] = { type: example.question.type, probabilities: await judge(example), right: example.right }
      } catch (error) {
        isOver = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return judged
}

/** One probability for each option, in the order of the criteria; a `noul` has yes and no. Undefined if the answer has no probabilities. */
export function distributionOf(question: Question, answer: DecisionAnswer): readonly number[] | undefined {
  if (answer.type === 'noul') return [answer.noul, 1 - answer.noul]
  if (answer.type === 'refusal') return undefined
  const { probabilities } = answer
  if (!probabilities || question.type === 'noul') return undefined
  return Object.keys(question.criteria).map(name => probabilities[name] ?? 0)
}
