import type { JsonObject, ProviderCall } from '../../core/index.ts'
import { repeatedFrames, type Decoder, type Emit } from '../../core/kit.ts'
import type { WireBlock, WireDelta } from './content.ts'
import { failureInside } from './failure.ts'
import type { MessagesHost } from './messages-host.ts'
import { Reply, type WireMessage } from './reply.ts'
import type { WireUsage } from './usage.ts'

/** A streamed event. Its members depend on its type. */
interface WireEvent {
  readonly type?: string
  readonly message?: WireMessage
  readonly index?: number
  readonly content_block?: WireBlock
  readonly delta?: WireDelta & Pick<WireMessage, 'stop_reason' | 'stop_sequence' | 'stop_details'>
  readonly usage?: WireUsage | null
}

/** State for one streamed reply. */
export function decoder(call: ProviderCall, host: MessagesHost): Decoder {
  const read = repeatedFrames<WireEvent | null>(event => event?.delta, ['text', 'thinking', 'partial_json'])
  let sink: Emit
  let isOver = false
  const reply = new Reply(call, host, event => sink(event))
  return {
    frame(data, _event, emit) {
      // Some hosts of this dialect end a stream as other dialects do.
      if (data === '[DONE]') return
      const event = read(data) ?? {}
      sink = emit
      switch (event.type) {
        case 'message_start':
          return reply.start(event.message ?? {})
        case 'content_block_start':
          return reply.content.start(event.index ?? 0, event.content_block ?? {})
        case 'content_block_delta':
          return reply.content.delta(event.index ?? 0, event.delta ?? {})
        case 'content_block_stop':
          return reply.content.stop(event.index ?? 0)
        case 'message_delta':
          reply.keep(event as JsonObject)
          if (event.delta) reply.keep(event.delta as JsonObject)
          return reply.progress(event.delta, event.usage)
        case 'message_stop':
          isOver = true
          return reply.end()
        case 'error':
          throw failureInside(event)
      }
    },
    get isComplete() {
      return isOver
    },
  }
}
