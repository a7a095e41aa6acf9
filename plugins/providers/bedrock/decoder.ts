import type { ProviderCall } from '../../../core/index.ts'
import { frameJson, type Decoder, type Emit } from '../../../core/kit.ts'
import { exceptionOf } from './event-stream.ts'
import { failureInside } from './failure.ts'
import { Reply } from './reply.ts'
import type { SettingsOptions } from './settings.ts'
import type { WireEvent } from './wire-reply.ts'

/** State for one streamed reply. */
export function decoder(call: ProviderCall, options: SettingsOptions): Decoder {
  let sink: Emit
  let isOver = false
  let reply: Reply | undefined
  return {
    frame(data, event, emit) {
      sink = emit
      const exception = exceptionOf(event)
      if (exception !== undefined) throw failureInside(exception, data)
      const payload = (frameJson(data) ?? {}) as WireEvent
      reply ??= new Reply(call, options, each => sink(each))
      const index = payload.contentBlockIndex ?? 0
      switch (event) {
        case 'contentBlockStart':
          return void reply.content.start(index, payload.start ?? {})
        case 'contentBlockDelta':
          return reply.content.delta(index, payload.delta ?? {})
        case 'contentBlockStop':
          return reply.content.stop(index)
        case 'messageStop':
          return reply.stop(payload.stopReason)
        case 'metadata':
          // The last event: usage comes after the stop reason.
          isOver = true
          reply.metadata(payload)
          return reply.end()
      }
    },
    get isComplete() {
      return isOver
    },
    end(emit) {
      sink = emit
      reply?.end()
    },
  }
}
