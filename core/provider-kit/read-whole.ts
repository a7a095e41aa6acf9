import type { ProviderAdapter } from '../contracts/adapter.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { ProviderCall } from '../contracts/provider.ts'
import { cutShort } from '../upstream/provider-failures.ts'
import { parsed } from './no-reply.ts'

/** Appends the events of a whole reply to `decoded`, which has those before a failure too. */
export function readWhole(adapter: ProviderAdapter, call: ProviderCall, text: string, decoded: GenerationEvent[]): void {
  let isFinished = false
  const emit = (event: GenerationEvent): void => {
    decoded.push(event)
    if (event.type === 'finish') isFinished = true
  }
  adapter.reply(parsed(text), emit, call)
  if (!isFinished) throw cutShort(call.endpoint.provider, text)
}
