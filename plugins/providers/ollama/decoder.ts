import { ProviderFailure, type ProviderCall } from '../../../core/index.ts'
import { frameJson, membersOf, type Decoder, type Emit } from '../../../core/kit.ts'
import { Reply } from './reply.ts'
import type { WireReply } from './wire-reply.ts'

/** State for one streamed reply. */
export function decoder(call: ProviderCall): Decoder {
  let sink: Emit
  const reply = new Reply(call, event => sink(event))
  return {
    frame(data, _event, emit) {
      sink = emit
      reply.add((frameJson(data) ?? {}) as WireReply)
    },
  }
}

/** A reply that did not stream. */
export function replyEvents(body: unknown, emit: Emit, call: ProviderCall): void {
  const told = membersOf(body) as WireReply
  if (told.error === undefined && (typeof told.message !== 'object' || !told.done))
    throw new ProviderFailure({
      kind: 'protocol',
      message: 'The provider sent a reply that is not a chat reply.',
      upstream: JSON.stringify(body),
    })
  new Reply(call, emit).add(told)
}
