import type { StreamBody } from '../../../core/kit.ts'
import type { Outbox } from './outbox.ts'

/** The events of one response on a connection. Each frame is a message. */
export class MessageBody implements StreamBody {
  readonly #outbox: Outbox
  readonly #breakOff: () => void
  #beat: (() => void) | undefined
  #isOver = false
  /** True once the peer has heard of the response. */
  hasBegun = false
  /** Set by each beat, cleared by each message. */
  silentVisits = 0

  /** `breakOff` closes the connection. */
  constructor(outbox: Outbox, breakOff: () => void) {
    this.#outbox = outbox
    this.#breakOff = breakOff
  }

  get full(): boolean {
    return this.#outbox.full
  }

  drained(): Promise<void> {
    return this.#outbox.drained()
  }

  write(frame: string): void {
    this.hasBegun = true
    this.silentVisits = 0
    this.#outbox.add(frame)
  }

  writeLong(pieces: Iterator<string, void>): void {
    this.hasBegun = true
    this.silentVisits = 0
    this.#outbox.addLong(pieces)
  }

  /** A connection has no head. */
  openWith(): void {}

  onSilence(beat: () => void): void {
    this.#beat = beat
  }

  /** For a peer that does not read, beats would only pile up. */
  beat(): void {
    this.silentVisits = 0
    if (!this.#isOver && !this.full) this.#beat?.()
  }

  end(): void {
    this.#isOver = true
    // It references the whole answer.
    this.#beat = undefined
  }

  abandon(): void {
    this.#breakOff()
  }
}
