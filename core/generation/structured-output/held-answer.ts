import { ProviderFailure } from '../../contracts/provider.ts'
import type { RaisedEvent } from '../raised-event.ts'

type TextEvent = Extract<RaisedEvent, { type: 'text' }>

/** About ten times what the longest answers of models come to. */
const maximumCharacters = 4_000_000
const pieceCharacters = 1_024

/** Keeps an answer and everything behind it until its text is known to be valid. */
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

  /** What of this and earlier events may go on now. */
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
    if (this.#text.length > maximumCharacters) throw this.#tooLong()
    if (this.#holding) return []
    this.#holding = true
    return [{ ...withoutLogprobs(event), text: '' }]
  }

  /** The reply finished in a way that its text has to be valid. */
  get ended(): boolean {
    return this.#ended && !this.#passing
  }

  get text(): string {
    return this.#text
  }

  /** What was held, with this text. Where that is another one, annotations and log probabilities fit it no longer. */
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
      message: `The provider "${this.#provider}" sent more than ${maximumCharacters} characters of JSON, which is more than is checked.`,
    })
  }
}

/** What the model says on its way to the answer is not part of it. */
function isAnswer(event: RaisedEvent): event is TextEvent {
  return event.type === 'text' && event.phase !== 'commentary'
}

/** Stands nowhere in the answer, and is charged whatever becomes of it. */
function isCount({ type }: RaisedEvent): boolean {
  return type === 'usage' || type === 'model' || type === 'warning'
}

/** With a call or a refusal the text is no answer; one that was cut off or pauses stays what it is: nobody knows how it would go on. */
function isNoAnswer(event: RaisedEvent): boolean {
  return event.type === 'tool-call' || event.type === 'refusal' || (event.type === 'finish' && event.reason !== 'stop')
}

function withoutLogprobs({ logprobs: _, ...event }: TextEvent): TextEvent {
  return event
}

/** Never cut between the halves of a surrogate pair. */
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
