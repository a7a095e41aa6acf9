import { ProviderFailure, type DecisionReply, type JsonObject } from '../../../core/index.ts'

/** The vendor's reply. Core holds its answers and usage against the questions; whatever else the vendor says is kept. */
export function replyOf(text: string): DecisionReply {
  const { id: _, model, answers, usage, ...extra } = parse(text)
  return {
    ...(typeof model === 'string' && model !== '' && { model: model.slice(model.lastIndexOf('/') + 1) }),
    answers: answers as DecisionReply['answers'],
    usage: usage as DecisionReply['usage'],
    extra,
  }
}

function parse(text: string): JsonObject {
  let reply: unknown
  try {
    reply = JSON.parse(text)
  } catch {
    // The parser's own error quotes the text.
    throw noReply()
  }
  if (typeof reply !== 'object' || reply === null || Array.isArray(reply)) throw noReply()
  return reply as JsonObject
}

function noReply(): ProviderFailure {
  return new ProviderFailure({
    kind: 'protocol',
    status: 200,
    message: 'The decision vendor answered with something that is no JSON object.',
  })
}
