import { ProviderFailure, type GenerationEvent, type ProviderCall } from '../../core/index.ts'
import { repeatedFrames, type Decoder, type Emit } from '../../core/kit.ts'
import { Answer, isCounted } from './answer.ts'
import { failureInside } from './failure.ts'
import type { ChatHost } from './chat-host.ts'
import type { ChatBody, Choice } from './wire.ts'

/** The choices of one reply. Hosts send them interleaved: the first that is not over passes, the others wait. */
class Choices {
  readonly #answers: readonly Answer[]
  /** Events of later choices. */
  readonly #held: GenerationEvent[][]
  readonly #isOver: boolean[] = []
  #current = 0

  constructor(call: ProviderCall, host: ChatHost, count: number) {
    this.#answers = Array.from({ length: count }, () => new Answer(call, host))
    this.#held = this.#answers.map(() => [])
  }

  /** Handles everything of a chunk or a reply but the choices and the counts. */
  envelope(body: ChatBody, emit: Emit): void {
    this.#answers[0]!.envelope(body, emit)
  }

  /** Call after the choices. The counts are those of all choices. */
  counts(body: ChatBody, emit: Emit): void {
    this.#answers[0]!.counts(body, emit)
  }

  say(index: number, { delta, message, logprobs }: Choice, emit: Emit): void {
    const said = delta ?? message
    if (said && !this.#isOver[index]) this.#answers[index]?.say(said, logprobs, delta === undefined, this.#into(index, emit))
  }

  finish(index: number, reason: string | undefined, emit: Emit): void {
    if (this.#isOver[index]) return
    this.#isOver[index] = true
    this.#answers[index]!.finish(reason, this.#into(index, emit))
  }

  /** The output of choices whose turn has not come. */
  get heldTexts(): readonly string[] {
    return this.#held.map(events => events.map(event => ('text' in event ? event.text : '')).join(''))
  }

  #into(index: number, emit: Emit): Emit {
    return event => {
      const told = event.type === 'finish' && index < this.#answers.length - 1 ? ({ ...event, type: 'choice' } as const) : event
      if (index !== this.#current) this.#held[index]!.push(told)
      else {
        emit(told)
        if (told.type === 'choice') this.#goOn(emit)
      }
    }
  }

  #goOn(emit: Emit): void {
    for (;;) {
      const held = this.#held[++this.#current]!
      this.#held[this.#current] = []
      for (const event of held) emit(event)
      if (held.at(-1)?.type !== 'choice') return
    }
  }
}

/** State for one streamed reply with several choices. Holds the end back, as the decoder of a single answer does. */
export class ChoicesDecoder implements Decoder {
  readonly #host: ChatHost
  readonly #choices: Choices
  readonly #read = repeatedFrames<ChatBody>(body => body?.choices?.[0]?.delta, ['content', 'reasoning_content', 'reasoning'])
  /** The finish reasons, by index. */
  readonly #reasons: (string | undefined)[]
  #isOver = false
  #isCounted = false

  constructor(call: ProviderCall, host: ChatHost, count: number) {
    this.#host = host
    this.#choices = new Choices(call, host, count)
    this.#reasons = Array.from({ length: count }, () => undefined)
    call.withholds?.(() => this.#choices.heldTexts)
  }

  frame(data: string, event: string | undefined, emit: Emit): void {
    if (data === '[DONE]') return this.#done(emit)
    const body = this.#read(data)
    const choices = body.choices ?? []
    this.#choices.envelope(body, emit)
    if (!this.isComplete) for (const choice of choices) this.#choice(choice, emit)
    this.#choices.counts(body, emit)
    if (this.#isEnded && isCounted(body)) this.#isCounted = true
    const failed = choices.find(({ error }) => error)?.error
    const error = body.error ?? failed ?? (event === 'error' || body.object === 'error' ? body : undefined)
    if (error) throw failureInside(error, data)
  }

  get isComplete(): boolean {
    return this.#isOver || this.#isCounted
  }

  end(emit: Emit): void {
    if (this.isComplete || (this.#isEnded && !this.#host.endsWithDone)) this.#done(emit)
  }

  #choice(choice: Choice, emit: Emit): void {
    const index = choice.index ?? 0
    if (index >= this.#reasons.length) return
    this.#choices.say(index, choice, emit)
    if (!choice.finish_reason) return
    this.#reasons[index] = choice.finish_reason
    const isLast = index === this.#reasons.length - 1
    if (!isLast && !this.#host.endsWithDone) this.#choices.finish(index, choice.finish_reason, emit)
  }

  /** Without the reason of a choice, the stream was cut. */
  #done(emit: Emit): void {
    if (this.#isOver || !this.#isEnded) return
    this.#isOver = true
    for (const [index, reason] of this.#reasons.entries()) this.#choices.finish(index, reason, emit)
  }

  get #isEnded(): boolean {
    return this.#reasons.every(reason => reason !== undefined)
  }
}

/** A reply with several choices that did not stream. */
export function replyChoices(body: unknown, emit: Emit, call: ProviderCall, host: ChatHost, count: number): void {
  const { error, choices, object } = body as ChatBody
  const found = (choices ?? []).toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)).slice(0, count)
  const failure = error ?? found.find(choice => choice.error)?.error ?? (object === 'error' ? body : undefined)
  if (failure) throw failureInside(failure, JSON.stringify(body))
  if (found.length === 0 || !found.every(({ message }) => message))
    throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent a reply without a message.', upstream: JSON.stringify(body) })
  const answer = new Choices(call, host, found.length)
  answer.envelope(body as ChatBody, emit)
  for (const [index, choice] of found.entries()) answer.say(index, choice, emit)
  answer.counts(body as ChatBody, emit)
  for (const [index, choice] of found.entries()) answer.finish(index, choice.finish_reason ?? undefined, emit)
}
