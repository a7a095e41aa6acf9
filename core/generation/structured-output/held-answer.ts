import { ProviderFailure } from '../../contracts/provider.ts'
import type { RaisedEvent } from '../raised-event.ts'
import { own, wording } from '../../foundation/wording.ts'

type TextEvent = Extract<RaisedEvent, { type: 'text' }>

/** About ten times the longest answers of current models. */
const maxCharacters = 4_000_000
const pieceCharacters = 1_024

/** Holds an answer and everything after it until its text is known to be valid. */
export class HeldAnswer {
  readonly #provider: string
  readonly #held: RaisedEvent[] = []
  #holding: boolean
  #passing = false
  #ended = false
  #text = ''

  constructor(provider: string, streamed: boolean) {
    this.#provider = provider
    this.#holding = !streamed
  }

  /** The events that may pass now, from this one and earlier ones. */
  add(event: RaisedEvent): readonly RaisedEvent[] {
    if (this.#passing || isCount(event)) return [event]
    if (isNoAnswer(event)) {
      this.#passing = true
      return [...this.#held.splice(0), event]
    }
    const answer = isAnswer(event)
    if (event.type === 'finish') this.#ended = true
    else if (!this.#holding && !answer) return [event]
    this.#held.push(event)
    if (!answer) return []
    this.#text += event.text
    if (this.#text.length > maxCharacters) throw this.#tooLong()
    if (this.#holding) return []
    this.#holding = true
    return [{ ...withoutLogprobs(event), text: '' }]
  }

  /** True if the reply finished in a way that requires valid text. */
  get ended(): boolean {
    return this.#ended && !this.#passing
  }

  get text(): string {
    return this.#text
  }

  /** The held events with this text. If the text changed, annotations and log probabilities no longer fit and are dropped. */
  release(text: string): readonly RaisedEvent[] {
    if (text === this.#text) return this.#held
    const first = this.#held.findIndex(isAnswer)
    return this.#held.flatMap((event, index): RaisedEvent | readonly RaisedEvent[] => {
      if (event.type === 'annotation') return []
      if (!isAnswer(event)) return event
      return index === first ? piecesOf(text).map(piece => ({ ...withoutLogprobs(event), text: piece })) : []
    })
  }

  #tooLong(): ProviderFailure {
    return new ProviderFailure({
      kind: 'protocol',
      message: wording`The provider "${own(this.#provider)}" sent more than ${own(maxCharacters)} characters of JSON, which is more than the gateway checks.`,
      isFault: false,
    })
  }
}

/** Commentary on the way to the answer is not part of it. */
function isAnswer(event: RaisedEvent): event is TextEvent {
  return event.type === 'text' && event.phase !== 'commentary'
}

/** Not part of the answer, and charged even if the answer is discarded. */
function isCount({ type }: RaisedEvent): boolean {
  return type === 'usage' || type === 'model' || type === 'warning'
}

/** Text next to a call or a refusal is not the answer. Text that was cut off or paused cannot be checked. */
function isNoAnswer(event: RaisedEvent): boolean {
  return event.type === 'tool-call' || event.type === 'refusal' || (event.type === 'finish' && event.reason !== 'stop')
}

function withoutLogprobs({ logprobs: _, ...event }: TextEvent): TextEvent {
  return event
}

/** Never splits a surrogate pair. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length;) {
    let end = start + pieceCharacters
    const code = text.charCodeAt(end - 1)
    if (code >= 0xd800 && code <= 0xdbff) end++
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}
