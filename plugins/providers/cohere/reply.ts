import { ProviderFailure, type ProviderCall } from '../../../core/index.ts'
import { membersOf, type Emit } from '../../../core/kit.ts'
import { Content } from './content.ts'
import { finishReasonOf } from './finish.ts'
import { settingsFor } from './settings.ts'
import { usageOf } from './usage.ts'
import type { WireReply } from './wire-reply.ts'

/** A reply that did not stream. */
export function replyEvents(body: unknown, emit: Emit, call: ProviderCall): void {
  const told = membersOf(body) as WireReply
  const { message, usage, logprobs } = told
  if (typeof message !== 'object' || message === null || !told.finish_reason)
    throw new ProviderFailure({
      kind: 'protocol',
      message: 'The provider sent a reply that is not a chat reply.',
      upstream: JSON.stringify(body),
    })
  for (const warning of settingsFor(call).warnings) emit({ type: 'warning', ...warning })
  const content = new Content(emit)
  const parts = message.content ?? []
  const lastText = parts.findLastIndex(({ text }) => text)
  parts.forEach((part, index) => content.content(index, part, index === lastText ? (logprobs ?? []) : []))
  for (const citation of message.citations ?? []) content.cite(citation)
  content.plan(message.tool_plan ?? '')
  message.tool_calls?.forEach((each, index) => {
    content.call(index, each)
    content.endCall(index)
  })
  if (usage) emit({ type: 'usage', usage: usageOf(usage) })
  emit({ type: 'finish', reason: finishReasonOf(told, content.calls) })
}
