import { ProviderFailure, type Decoder, type Emit, type ProviderCall } from '../../../core/index.ts'
import { Reply } from './reply.ts'
import type { WireResponse } from './wire-reply.ts'

/** State of one streamed reply. */
export function decoder(call: ProviderCall): Decoder {
  let sink: Emit
  const reply = new Reply(call, event => sink(event))
  return {
    frame(data, _event, emit) {
      // Some who speak this dialect end as other dialects do.
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

/** One response an event; the vendor has left out the blank lines between events, which makes them lines of one. */
function responsesIn(data: string): readonly WireResponse[] {
  try {
    return [parse(data)]
  } catch (cause) {
    const lines = data.split('\n')
    if (lines.length > 1 && lines.every(isJson)) return lines.map(parse)
    throw new ProviderFailure({
      kind: 'protocol',
      message: 'The provider sent an event that is not JSON.',
      upstream: data,
      cause,
    })
  }
}

function parse(data: string): WireResponse {
  const parsed = JSON.parse(data) as WireResponse | readonly WireResponse[] | null
  return (parsed instanceof Array ? parsed[0] : parsed) ?? {}
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
