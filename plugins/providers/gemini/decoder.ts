import { parseJson, type ProviderCall } from '../../../core/index.ts'
import { frameJson, isJson, type Decoder, type Emit } from '../../../core/kit.ts'
import { Reply } from './reply.ts'
import type { WireResponse } from './wire-reply.ts'

/** State for one streamed reply. */
export function decoder(call: ProviderCall): Decoder {
  let sink: Emit
  const reply = new Reply(call, event => sink(event))
  return {
    frame(data, _event, emit) {
      // Some hosts of this dialect end a stream as other dialects do.
      if (data === '[DONE]') return
      sink = emit
      for (const response of responsesIn(data)) reply.add(response)
    },
    get isComplete() {
      return reply.isComplete
    },
    end(emit) {
      sink = emit
      reply.end()
    },
  }
}

/** One response for each event. If the vendor leaves out the blank lines between events, each line of one event is a response. */
function responsesIn(data: string): readonly WireResponse[] {
  const whole = parseJson(data)
  if (whole !== undefined) return [responseIn(whole)]
  const lines = data.split('\n')
  return (lines.length > 1 && lines.every(isJson) ? lines : [data]).map(line => responseIn(frameJson(line)))
}

function responseIn(parsed: unknown): WireResponse {
  return ((Array.isArray(parsed) ? parsed[0] : parsed) ?? {}) as WireResponse
}
