import type { Connection, HeldMessage } from '../../../core/kit.ts'

/** Shorter messages are not counted. */
const countedFromBytes = 64 * 1024

/** Counts the memory of the message that is being received. */
export class Arrival {
  readonly #connection: Connection
  #held: HeldMessage | undefined
  #bytes = 0

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Throws a 503 if there is no room for so many more bytes. */
  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes >= countedFromBytes) (this.#held ??= this.#connection.openMessage()).hold(this.#bytes)
  }

  /** The message is complete, and the next one begins. Whoever takes it releases it. */
  whole(): HeldMessage {
    const held = this.#held ?? this.#connection.openMessage()
    this.#held = undefined
    this.#bytes = 0
    return held
  }

  /** The connection has closed. */
  close(): void {
    this.#held?.release()
    this.#held = undefined
  }
}
