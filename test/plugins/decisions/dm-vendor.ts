import { answerBy, type DecisionRequest } from '../../../core/kit.ts'
import type { FakeReply } from '../../../core/testing/index.ts'

/** The decision vendor: every option is as likely as every other. */
export function dmVendor({ body }: { readonly body: unknown }): FakeReply {
  const { model, questions } = body as DecisionRequest
  const answers = Object.entries(questions).map(([id, question]) => {
    const count = question.type === 'noul' ? 2 : Object.keys(question.criteria).length
    return [id, answerBy(question, Array<number>(count).fill(1 / count))] as const
  })
  const reply = { model, answers: Object.fromEntries(answers), usage: { input_tokens: 437, output_tokens: 72 } }
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(reply) }
}
