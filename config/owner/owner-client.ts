import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { PlaceChange, WindowChange } from '../../core/contracts/coordination.ts'
import type { SharedChange } from '../../core/contracts/shared-state.ts'
import type { Clock } from '../../core/foundation/clock.ts'
import type { Logger } from '../../core/foundation/logger.ts'
import { LineReader, LineWriter } from './lines.ts'
import { wireVersion, type FromOwner, type OwnerCall, type OwnerCalls, type ToOwner } from './messages.ts'
import { PendingCalls } from './pending-calls.ts'
import { PublishedChanges } from './published.ts'

const maxLineLength = 256 * 1024 * 1024
const maxQueuedBytes = 64 * 1024 * 1024
/** The owner is back within a second, and a connection costs little. */
const againMs = 20
const welcomeMs = 1_000
const maxKeptChanges = 1_000

const noOwner = 'the owner process is not there'

/** The connection of this process to its owner. Comes back whenever it is lost. */
export class OwnerClient {
  readonly #path: string
  readonly #log: Logger
  readonly #published: PublishedChanges
  readonly #calls = new PendingCalls()
  /** Sent, or to be sent, and not yet answered. An owner applies each once, so they are sent again when the connection is back. */
  readonly #changes = new Map<number, Extract<ToOwner, readonly ['call', number, 'change', ...unknown[]]>>()
  /** How the owner knows this process. */
  readonly member = randomUUID()
  readonly #firstWelcome = Promise.withResolvers<void>()
  #receive: ((change: SharedChange) => void) | undefined
  #socket: Socket | undefined
  /** There once the owner has welcomed this process. */
  #writer: LineWriter | undefined
  /** The name of the last one. */
  #owner: string | undefined
  #again: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(path: string, clock: Clock, log: Logger) {
    this.#path = path
    this.#log = log
    this.#published = new PublishedChanges(clock)
  }

  /** Resolves when the owner has welcomed this process for the first time, or after `withinMs`. */
  async open(withinMs: number): Promise<void> {
    this.#connect()
    const timer = setTimeout(this.#firstWelcome.resolve, withinMs)
    await this.#firstWelcome.promise
    clearTimeout(timer)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#again)
    this.#socket?.destroy()
  }

  /** Rejects at once while there is no owner, and soon if it does not answer. */
  call<C extends Exclude<OwnerCall, 'change'>>(call: C, ...takes: OwnerCalls[C]['takes']): Promise<OwnerCalls[C]['gives']> {
    const writer = this.#writer
    if (!writer) return Promise.reject(new Error(noOwner))
    return this.#calls.add(id => writer.write(['call', id, call, ...takes])) as Promise<OwnerCalls[C]['gives']>
  }

  /** Rejects as `call` does. Even then, an owner that is back with what it counted gets the changes, once. */
  change(windows: readonly WindowChange[], places: readonly PlaceChange[]): Promise<unknown> {
    return this.#calls.add(id => {
      const message = ['call', id, 'change', windows, places] as const
      this.#changes.set(id, message)
      if (this.#changes.size > maxKeptChanges) this.#changes.delete(this.#changes.keys().next().value!)
      if (this.#writer) this.#writer.write(message)
      else this.#calls.failed(id, noOwner)
    })
  }

  publish(change: SharedChange): void {
    this.#published.add(change, this.#writer !== undefined)
    this.#writer?.write(['publish', change] satisfies ToOwner)
  }

  subscribe(receive: (change: SharedChange) => void): void {
    this.#receive = receive
    this.#writer?.write(['subscribe'] satisfies ToOwner)
  }

  #connect(): void {
    const socket = (this.#socket = connect(this.#path))
    // A turn of a busy process is long, and a request waits for the answer.
    const writer = new LineWriter(socket, maxQueuedBytes, queueMicrotask)
    const reader = new LineReader(maxLineLength)
    const late = setTimeout(() => socket.destroy(), welcomeMs)
    writer.write(['hello', wireVersion, this.member] satisfies ToOwner)
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      const isShort = reader.read(text, line => {
        const message = JSON.parse(line) as FromOwner
        if (message[0] === 'welcome') clearTimeout(late)
        this.#take(message, writer)
      })
      if (!isShort) socket.destroy()
    })
    // Its `close` follows.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(late)
      this.#writer = undefined
      this.#calls.failAll('the owner process ended')
      if (!this.#isClosed) this.#again = setTimeout(() => this.#connect(), againMs)
    })
  }

  #take(message: FromOwner, writer: LineWriter): void {
    switch (message[0]) {
      case 'answer':
        this.#changes.delete(message[1])
        return this.#calls.answered(message[1], message[2])
      case 'failed':
        this.#changes.delete(message[1])
        return this.#calls.failed(message[1], message[2])
      case 'change':
        this.#published.forget(message[1])
        return this.#receive?.(message[1])
      case 'welcome':
        return this.#welcomed(message[1], writer)
      case 'refused':
        this.#log.error('the owner process refused this process, which counts alone until it is accepted', { reason: message[1] })
    }
  }

  #welcomed(owner: string, writer: LineWriter): void {
    const isKnown = owner === this.#owner
    if (this.#owner !== undefined && !isKnown) this.#log.info('a new owner process counts')
    this.#owner = owner
    this.#writer = writer
    // Another owner gets what this process has from core.
    if (!isKnown) this.#changes.clear()
    for (const message of this.#changes.values()) writer.write(message)
    for (const change of this.#published.untold(isKnown)) writer.write(['publish', change] satisfies ToOwner)
    if (this.#receive) writer.write(['subscribe'] satisfies ToOwner)
    this.#firstWelcome.resolve()
  }
}
