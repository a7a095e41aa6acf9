import type { StreamBody } from '../../../../core/kit.ts'
import type { EventBatch, EventChunk } from '../../../../core/stores.ts'

/** Events that are not stored yet. A long one is made when it is stored. */
type Entry =
  | { readonly first: number; last: number; text: string }
  | { readonly first: number; readonly last: number; readonly pieces: Iterator<string, void> }

const chunkCharacters = 64 * 1024
const chunksInBatch = 8
/** So much may wait for the store before the vendor has to. */
const maxWaiting = 1024 * 1024
/** So much of the last events stays in memory, for those who follow the response here. */
const maxRecent = 256 * 1024

/** The event stream of a background response, on its way to the store. Everybody reads it from there, so nobody sees what can be lost. */
export class EventLog implements StreamBody {
  readonly #entries: Entry[] = []
  readonly #maxCharacters: number
  readonly #overflow: () => void
  /** Called when there is something to store. */
  readonly #wake: () => void
  /** The piece after those that were taken: the next one shows whether it is the last. */
  #ahead: { readonly piece: string } | undefined
  #sequence = 0
  #waiting = 0
  #characters = 0
  #part = 0
  #parts = 0
  #lastSequence = -1
  #recent: EventChunk[] = []
  #drained: (() => void) | undefined
  #beat: (() => void) | undefined
  #isClosed = false
  /** True if nothing was written since the last look. */
  isSilent = false

  constructor(maxCharacters: number, overflow: () => void, wake: () => void) {
    this.#maxCharacters = maxCharacters
    this.#overflow = overflow
    this.#wake = wake
  }

  get full(): boolean {
    return !this.#isClosed && (this.#waiting > maxWaiting || this.#entries.some(entry => 'pieces' in entry))
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  /** How much waits to be stored, in characters. */
  get waiting(): number {
    return this.#waiting
  }

  write(frames: string): void {
    // A comment is no event.
    if (this.#isClosed || frames.startsWith(':')) return
    const first = this.#sequence
    this.#sequence += countOf(frames)
    const last = this.#sequence - 1
    const before = this.#entries.at(-1)
    if (before && 'text' in before && before.text.length + frames.length <= chunkCharacters) {
      before.text += frames
      before.last = last
    } else this.#entries.push({ first, last, text: frames })
    this.#count(frames.length)
    this.#waiting += frames.length
    this.#wrote()
  }

  writeLong(pieces: Iterator<string, void>): void {
    if (this.#isClosed) return
    const sequence = this.#sequence++
    this.#entries.push({ first: sequence, last: sequence, pieces })
    this.#wrote()
  }

  drained(): Promise<void> {
    if (!this.full) return Promise.resolve()
    return new Promise(resolve => (this.#drained = resolve))
  }

  openWith(): void {}

  onSilence(beat: () => void): void {
    this.#beat = beat
  }

  beat(): void {
    this.#beat?.()
  }

  end(): void {}

  abandon(): void {
    this.close()
  }

  /** Nothing more is stored. */
  close(): void {
    this.#isClosed = true
    this.#entries.length = 0
    this.#ahead = undefined
    this.#waiting = 0
    this.#beat = undefined
    this.#release()
  }

  /** The next events to store. Throws if one of them cannot be encoded. */
  take(): EventBatch {
    const chunks: EventChunk[] = []
    while (chunks.length < chunksInBatch && this.#entries.length > 0) {
      const entry = this.#entries[0]!
      const { first, last } = entry
      const text = 'text' in entry ? entry.text : this.#nextPiece(entry.pieces)
      if ('text' in entry) this.#waiting -= text.length
      chunks.push({ part: this.#part++, first, last, text })
      if (this.#ahead) continue
      this.#entries.shift()
      this.#parts = this.#part
      this.#lastSequence = last
    }
    return { chunks, parts: this.#parts, lastSequence: this.#lastSequence }
  }

  /** Call when a batch is stored. */
  stored({ chunks }: EventBatch): void {
    this.#recent.push(...chunks)
    let characters = this.#recent.reduce((sum, { text }) => sum + text.length, 0)
    while (characters > maxRecent) characters -= this.#recent.shift()!.text.length
    if (!this.full) this.#release()
  }

  /** Chunks that were stored last. Undefined if the earlier ones are needed, too. See `BackgroundStore.events`. */
  recent(from: { readonly part: number; readonly sequence: number }): readonly EventChunk[] | undefined {
    const [oldest] = this.#recent
    if (!oldest || oldest.part > from.part) return undefined
    return this.#recent.filter(({ part, last }) => part >= from.part && part < this.#parts && last > from.sequence)
  }

  #nextPiece(pieces: Iterator<string, void>): string {
    const piece = this.#ahead?.piece ?? pieces.next().value ?? ''
    this.#count(piece.length)
    const { value, done } = pieces.next()
    this.#ahead = done ? undefined : { piece: value }
    return piece
  }

  #count(characters: number): void {
    const wasOver = this.#characters > this.#maxCharacters
    this.#characters += characters
    if (!wasOver && this.#characters > this.#maxCharacters) this.#overflow()
  }

  #wrote(): void {
    this.isSilent = false
    this.#wake()
  }

  #release(): void {
    this.#drained?.()
    this.#drained = undefined
  }
}

/** Each event ends with an empty line, and has none inside. */
function countOf(frames: string): number {
  let count = 0
  for (let at = frames.indexOf('\n\n'); at >= 0; at = frames.indexOf('\n\n', at + 2)) count++
  return count
}
