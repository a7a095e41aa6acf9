import type { Peer } from 'crossws'
import type { Socket } from 'node:net'

/** How many characters may wait for the end of the turn, or for a peer that reads slowly. */
const highWaterCharacters = 16 * 1024

/** A message that is made piece by piece, as the peer reads it. */
type LongMessage = Iterator<string, void>

/** The messages to a peer, of all lanes. They are written once per turn of the event loop, because each write is expensive. */
export class Outbox {
  readonly #socket: Socket
  #peer: Peer | undefined
  #waiting: (string | LongMessage)[] = []
  #characters = 0
  /** A long message is not sent completely. */
  #isLong = false
  #isScheduled = false
  #drained: (() => void)[] = []
  #closing: { readonly code: number; readonly reason: string } | undefined
  #isOver = false
  readonly #flushLater = (): void => {
    this.#isScheduled = false
    this.#flush()
  }

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** True while the peer reads too slowly. */
  get full(): boolean {
    return !this.#isOver && (this.#isLong || this.#characters >= highWaterCharacters || this.#socket.writableNeedDrain)
  }

  get isClosing(): boolean {
    return this.#closing !== undefined || this.#isOver
  }

  open(peer: Peer): void {
    this.#peer = peer
    this.#schedule()
  }

  add(message: string): void {
    if (this.#isOver) return
    this.#waiting.push(message)
    this.#characters += message.length
    this.#schedule()
  }

  addLong(pieces: LongMessage): void {
    if (this.#isOver) return
    this.#waiting.push(pieces)
    this.#isLong = true
    this.#schedule()
  }

  /** Resolves when there is room again, or the connection has closed. */
  drained(): Promise<void> {
    if (!this.full) return Promise.resolve()
    return new Promise(resolve => this.#drained.push(resolve))
  }

  /** The socket has room again. */
  drain(): void {
    if (this.#waiting.length > 0) this.#flush()
    else this.#release()
  }

  /** Closes the connection behind the messages that wait. */
  close(code: number, reason: string): void {
    this.#closing ??= { code, reason }
    this.#schedule()
  }

  /** Closes the connection in front of them. */
  abort(code: number, reason: string): void {
    this.leave()
    this.#peer?.close(code, reason)
  }

  /** The connection is closed, or nothing more is to be sent. */
  leave(): void {
    this.#isOver = true
    this.#waiting = []
    this.#release()
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isOver || !this.#peer) return
    this.#isScheduled = true
    setImmediate(this.#flushLater)
  }

  #flush(): void {
    const socket = this.#socket
    if (this.#isOver || socket.writableNeedDrain) return
    socket.cork()
    let sent = 0
    for (const message of this.#waiting) {
      if (typeof message !== 'string') {
        if (!this.#sendPiece(message)) break
      } else {
        this.#characters -= message.length
        this.#peer!.send(message)
      }
      sent++
      if (socket.writableNeedDrain) break
    }
    this.#waiting.splice(0, sent)
    socket.uncork()
    if (this.#waiting.length === 0) this.#isLong = false
    if (!this.full) this.#release()
    if (this.#waiting.length > 0 && !socket.writableNeedDrain) this.#schedule()
    else if (this.#waiting.length === 0 && this.#closing) this.abort(this.#closing.code, this.#closing.reason)
  }

  /** Each piece takes a turn. Returns true after the last one. */
  #sendPiece(message: LongMessage): boolean {
    const { value, done } = message.next()
    this.#peer!.send(value ?? '', { fin: done === true } as object)
    return done === true
  }

  #release(): void {
    const drained = this.#drained
    this.#drained = []
    for (const resolve of drained) resolve()
  }
}
