import { isObject, parseJson, ProviderFailure, type DecisionReply } from '../../../core/index.ts'

/** The vendor's reply. Core holds its answers and usage against the questions; whatever else the vendor says is kept. */
export function replyOf(text: string): DecisionReply {
  const reply = parseJson(text)
  if (!isObject(reply))
    throw new ProviderFailure({
      kind: 'protocol',
      status: 200,
      message: 'The decision vendor answered with something that is no JSON object.',
    })
  const { id: _, model, answers, usage, ...extra } = reply
  return {
    ...(typeof model === 'string' && model !== '' && { model: model.slice(model.lastIndexOf('/') + 1) }),
    answers: answers as DecisionReply['answers'],
    usage: usage as DecisionReply['usage'],
    extra,
  }
}
