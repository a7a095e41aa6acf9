import type { Clock } from '../../../core/index.ts'
import type { Delivery } from './delivery.ts'
import type { Meters } from './meters.ts'
import { Writer } from './wire/writer.ts'

/** Sends all metrics again and again. */
export class MetricExport {
  readonly #meters: Meters
  readonly #delivery: Delivery
  readonly #clock: Clock
  readonly #intervalMs: number
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined

  constructor(meters: Meters, delivery: Delivery, clock: Clock, intervalMs: number) {
    this.#meters = meters
    this.#delivery = delivery
    this.#clock = clock
    this.#intervalMs = intervalMs
  }

  start(): void {
    // The counts are totals, so an export that is skipped loses nothing.
    this.#timer = setInterval(() => this.#sending ?? this.#send(), this.#intervalMs).unref()
  }

  /** Sends the last numbers. */
  async flush(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sending
    await this.#send()
  }

  #send(): Promise<void> {
    const writer = new Writer()
    this.#meters.write(writer, this.#clock.now())
    if (writer.length === 0) return Promise.resolve()
    this.#sending = this.#delivery.deliver(writer.take(), 1).finally(() => (this.#sending = undefined))
    return this.#sending
  }
}
