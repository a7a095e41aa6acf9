import type { Socket } from 'node:net'
import type { SharedChange } from '../../core/contracts/shared-state.ts'
import { lineOf, LineReader, LineWriter } from './lines.ts'
import { wireVersion, type FromOwner, type ToOwner } from './messages.ts'
import { toOwnerIn } from './well-formed.ts'

/** Sums of metrics are the longest messages. */
const maxLineLength = 16 * 1024 * 1024
const maxQueuedBytes = 64 * 1024 * 1024
const helloMs = 5_000

type Call = Extract<ToOwner, readonly ['call', ...unknown[]]>

/** The owner, as the connection of a process sees it. */
export interface PeerHost {
  joined(peer: Peer): void
  called(peer: Peer, call: Call): Promise<unknown>
  published(peer: Peer, change: SharedChange): void
  subscribed(peer: Peer): void
  left(peer: Peer): void
}

/** The connection of one process to the owner. */
export class Peer {
  readonly #socket: Socket
  readonly #host: PeerHost
  readonly #writer: LineWriter
  readonly #greeting: NodeJS.Timeout
  /** The process, by a name that it keeps when it connects again. Empty until it said hello. */
  member = ''
  isSubscribed = false

  constructor(socket: Socket, host: PeerHost) {
    this.#socket = socket
    this.#host = host
    this.#writer = new LineWriter(socket, maxQueuedBytes, setImmediate)
    this.#greeting = setTimeout(() => socket.destroy(), helloMs)
    const reader = new LineReader(maxLineLength)
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      if (!reader.read(text, line => this.#take(line))) this.refuse(`a line has more than ${maxLineLength} characters`)
    })
    // Its `close` follows.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(this.#greeting)
      if (this.member !== '') host.left(this)
    })
  }

  send(message: FromOwner): void {
    this.#writer.write(message)
  }

  sendLine(line: string): void {
    this.#writer.writeLine(line)
  }

  /** Closes the connection, with the reason. */
  refuse(reason: string): void {
    if (this.#socket.destroyed) return
    this.#socket.end(lineOf(['refused', reason] satisfies FromOwner), () => this.#socket.destroy())
    this.#socket.removeAllListeners('data').resume()
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(line: string): void {
    // A line may come after one that was refused.
    if (this.#socket.destroyed || this.#socket.writableEnded) return
    try {
      const message = toOwnerIn(line)
      if (!message) return this.refuse('a line is no message of this protocol')
      this.#handle(message)
    } catch (error) {
      this.refuse(`a message cannot be handled: ${String(error).slice(0, 200)}`)
    }
  }

  #handle(message: ToOwner): void {
    if (message[0] === 'hello') return this.#hello(message[1], message[2])
    if (this.member === '') return this.refuse('the first message is no hello')
    if (message[0] === 'subscribe') {
      this.isSubscribed = true
      this.#host.subscribed(this)
    } else if (message[0] === 'publish') this.#host.published(this, message[1])
    else {
      const id = message[1]
      this.#host.called(this, message).then(
        result => this.send(['answer', id, result ?? null]),
        (error: unknown) => this.send(['failed', id, String(error).slice(0, 500)]),
      )
    }
  }

  #hello(version: number, member: string): void {
    if (version !== wireVersion) return this.refuse(`this owner speaks version ${wireVersion}, not ${version}; restart the gateway`)
    if (this.member !== '' || member === '') return this.refuse('a process says hello once, with its name')
    clearTimeout(this.#greeting)
    this.member = member
    this.#host.joined(this)
  }
}
