import type { Peer } from 'crossws'
import type { Socket } from 'node:net'
import { writeMessages, writePiece } from './text-frames.ts'

/** How many characters may wait for the end of the turn, or for a peer that reads slowly. */
const highWaterCharacters = 16 * 1024

/** Of a WebSocket. */
const openState = 1

/** A message that is made piece by piece, as the peer reads it. */
type LongMessage = Iterator<string, void>

/** The messages to a peer, of all lanes. They are written once per turn of the event loop, because each write is expensive. */
export class Outbox {
  readonly #socket: Socket
  #peer: Peer | undefined
  #waiting: (string | LongMessage)[] = []
  #characters = 0
  /** A long message waits, or is not sent completely. */
  #isLong = false
  /** Between the pieces of a message. */
  #isInside = false
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
    if (this.#isOver || this.#socket.writableNeedDrain) return
    // After its close frame, a peer gets nothing more.
    if (this.#peer!.websocket.readyState !== openState) return this.leave()
    const waiting = this.#waiting
    const end = waiting.findIndex(message => typeof message !== 'string')
    const messages = (end === -1 ? waiting : waiting.slice(0, end)) as readonly string[]
    if (messages.length > 0) writeMessages(this.#socket, messages)
    this.#waiting = end === -1 ? [] : waiting.slice(end)
    if (end === -1) this.#characters = 0
    else for (const { length } of messages) this.#characters -= length
    if (end !== -1 && !this.#socket.writableNeedDrain) this.#sendPiece(this.#waiting[0] as LongMessage)
    this.#flushed()
  }

  #flushed(): void {
    if (!this.full) this.#release()
    if (this.#waiting.length > 0) {
      if (!this.#socket.writableNeedDrain) this.#schedule()
    } else if (this.#closing) this.abort(this.#closing.code, this.#closing.reason)
  }

  /** Each piece takes a turn. */
  #sendPiece(message: LongMessage): void {
    const piece = nextPiece(message)
    if (!piece) return void this.#socket.destroy()
    const { value = '', done = false } = piece
    writePiece(this.#socket, value, !this.#isInside, done)
    this.#isInside = !done
    if (!done) return
    this.#waiting.shift()
    this.#isLong = this.#waiting.some(each => typeof each !== 'string')
  }

  #release(): void {
    const drained = this.#drained
    this.#drained = []
    for (const resolve of drained) resolve()
  }
}

/** Nobody could catch what is thrown in a later turn. Undefined for a message that cannot be encoded. */
function nextPiece(message: LongMessage): { readonly value?: string; readonly done?: boolean } | undefined {
  try {
    const { value, done } = message.next()
    return { value: value ?? '', done: done === true }
  } catch {
    return undefined
  }
}
