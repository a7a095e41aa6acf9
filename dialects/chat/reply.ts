import { ProviderFailure, type ProviderCall } from '../../core/index.ts'
import type { Emit } from '../../core/kit.ts'
import { Answer } from './answer.ts'
import { failureInside } from './failure.ts'
import type { ChatHost } from './chat-host.ts'
import type { ChatBody } from './wire.ts'

/** A reply that did not stream. */
export function replyEvents(body: unknown, emit: Emit, call: ProviderCall, host: ChatHost): void {
  const { error, choices, object } = body as ChatBody
  const choice = choices?.find(({ index }) => (index ?? 0) === 0)
  const failure = error ?? choice?.error ?? (object === 'error' ? body : undefined)
  if (failure) throw failureInside(failure, JSON.stringify(body))
  if (!choice?.message)
    throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent a reply without a message.', upstream: JSON.stringify(body) })
  const answer = new Answer(call, host)
  answer.envelope(body as ChatBody, emit)
  answer.beside(choice)
  answer.say(choice.message, choice.logprobs, true, emit)
  answer.counts(body as ChatBody, emit)
  answer.finish(choice.finish_reason ?? undefined, emit)
}
