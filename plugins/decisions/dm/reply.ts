import { isObject, parseJson, ProviderFailure } from '../../../core/index.ts'
import type { DecisionReply } from '../../../core/kit.ts'

/** Reads the vendor's reply. Core checks the answers and the usage; unknown members are kept. */
export function replyOf(text: string): DecisionReply {
  const reply = parseJson(text)
  if (!isObject(reply))
    throw new ProviderFailure({
      kind: 'protocol',
      status: 200,
      message: 'The decision vendor sent a reply that is not a JSON object.',
    })
  const { id: _, model, answers, usage, ...extra } = reply
  return {
    ...(typeof model === 'string' && model !== '' && { model: model.slice(model.lastIndexOf('/') + 1) }),
    answers: answers as DecisionReply['answers'],
    usage: usage as DecisionReply['usage'],
    extra,
  }
}
