import type { Delivery } from './delivery.ts'
import type { Losses } from './losses.ts'
import { Writer } from './wire/writer.ts'

export interface OutboxOptions {
  /** A batch is sent when it has this many bytes, or after this time. */
  readonly batchBytes: number
  readonly delayMs: number
  /** The most bytes that wait to be sent. Beyond that, what is new is dropped. */
  readonly maxWaitingBytes: number
}

/** Batches under way at once, so that a collector far away can keep up. */
const maxAtOnce = 4

interface Batch {
  readonly bytes: Uint8Array
  readonly items: number
}

/** Collects the encoded items of one signal, and sends them in batches. It never waits, and never grows beyond its limit. */
export class Outbox {
  readonly #delivery: Delivery
  readonly #losses: Losses
  readonly #options: OutboxOptions
  readonly #writer = new Writer()
  #items = 0
  /** The length of the whole items. */
  #whole = 0
  readonly #waiting: Batch[] = []
  /** Of the batches under way, too. */
  #waitingBytes = 0
  #timer: NodeJS.Timeout | undefined
  readonly #sending = new Set<Promise<void>>()

  constructor(delivery: Delivery, losses: Losses, options: OutboxOptions) {
    this.#delivery = delivery
    this.#losses = losses
    this.#options = options
  }

  /** Where to write the next item. Undefined if there is no room, and the item is dropped. */
  open(): Writer | undefined {
    if (this.#waitingBytes >= this.#options.maxWaitingBytes) {
      this.#losses.lost(1, 'the queue is full')
      return undefined
    }
    // An item that failed half-way must not spoil those before and after it.
    this.#writer.cutTo(this.#whole)
    return this.#writer
  }

  /** Call when the item is written. */
  added(): void {
    this.#items++
    this.#whole = this.#writer.length
    if (this.#writer.length >= this.#options.batchBytes) this.#cut()
    else this.#timer ??= setTimeout(() => this.#cut(), this.#options.delayMs).unref()
  }

  /** Call if an item could not be written. */
  failed(): void {
    this.#losses.lost(1, 'it could not be written')
  }

  /** Sends what is left, once. Resolves when that is over; abort the delivery to end it. */
  async flush(): Promise<void> {
    this.#cut()
    while (this.#sending.size > 0) await Promise.all(this.#sending)
  }

  #cut(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#items === 0) return
    this.#writer.cutTo(this.#whole)
    const batch = { bytes: this.#writer.take(), items: this.#items }
    this.#items = 0
    this.#whole = 0
    this.#waiting.push(batch)
    this.#waitingBytes += batch.bytes.length
    this.#start()
  }

  #start(): void {
    if (this.#waiting.length === 0 || this.#sending.size >= maxAtOnce) return
    const sending: Promise<void> = this.#sendAll().finally(() => {
      this.#sending.delete(sending)
      this.#start()
    })
    this.#sending.add(sending)
  }

  async #sendAll(): Promise<void> {
    for (let batch = this.#waiting.shift(); batch; batch = this.#waiting.shift()) {
      await this.#delivery.deliver(batch.bytes, batch.items)
      this.#waitingBytes -= batch.bytes.length
    }
  }
}
