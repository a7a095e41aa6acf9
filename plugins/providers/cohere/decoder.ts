import type { ProviderCall } from '../../../core/index.ts'
import { repeatedFrames, type Decoder, type Emit } from '../../../core/kit.ts'
import { Content } from './content.ts'
import { finishReasonOf } from './finish.ts'
import { settingsFor } from './settings.ts'
import { usageOf } from './usage.ts'
import type { WireCitation, WireContent, WireEvent, WireToolCall } from './wire-reply.ts'

/** State for one streamed reply. */
export function decoder(call: ProviderCall): Decoder {
  const read = repeatedFrames<WireEvent | null>(event => event?.delta?.message?.content as object | undefined, ['text', 'thinking'])
  let sink: Emit
  let begun = false
  const content = new Content(event => sink(event))
  return {
    frame(data, _event, emit) {
      if (data === '[DONE]') return
      sink = emit
      const event = read(data) ?? {}
      if (!begun) for (const warning of settingsFor(call).warnings) emit({ type: 'warning', ...warning })
      begun = true
      take(event, content, emit)
    },
  }
}

function take({ type, index = 0, delta, logprobs }: WireEvent, content: Content, emit: Emit): void {
  const { message } = delta ?? {}
  switch (type) {
    case 'content-start':
    case 'content-delta':
      return content.content(index, (message?.content ?? {}) as WireContent, logprobs ? [logprobs] : [])
    case 'tool-plan-delta':
      return content.plan(message?.tool_plan ?? '')
    case 'tool-call-start':
      return content.call(index, (message?.tool_calls ?? {}) as WireToolCall)
    case 'tool-call-delta':
      return content.input(index, ((message?.tool_calls ?? {}) as WireToolCall).function?.arguments ?? '')
    case 'tool-call-end':
      return content.endCall(index)
    case 'citation-start':
      return content.cite((message?.citations ?? {}) as WireCitation)
    case 'message-end': {
      if (delta?.usage) emit({ type: 'usage', usage: usageOf(delta.usage) })
      return emit({ type: 'finish', reason: finishReasonOf(delta ?? {}, content.calls) })
    }
  }
}
