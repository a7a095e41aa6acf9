import type { Clock } from '../../../core/index.ts'
import type { Vitals } from '../../../core/kit.ts'
import type { Delivery } from './delivery.ts'
import type { Meters } from './meters.ts'
import { writeNumbers } from './numbers.ts'
import { vitalNumbers } from './vital-numbers.ts'
import { Writer } from './wire/writer.ts'

/** Sends all metrics again and again. */
export class MetricExport {
  readonly #meters: Meters
  readonly #delivery: Delivery
  readonly #clock: Clock
  readonly #vitals: Vitals
  readonly #startedAt: number
  #isStarted = false
  readonly #intervalMs: number
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined

  constructor(
    meters: Meters,
    delivery: Delivery,
    { clock, vitals }: { readonly clock: Clock; readonly vitals: Vitals },
    intervalMs: number,
  ) {
    this.#meters = meters
    this.#delivery = delivery
    this.#clock = clock
    this.#vitals = vitals
    this.#startedAt = clock.now()
    this.#intervalMs = intervalMs
  }

  start(): void {
    // From now on, the event loop is watched.
    this.#vitals.read()
    this.#isStarted = true
    // The counts are totals, so an export that is skipped loses nothing.
    this.#timer = setInterval(() => this.#sending ?? this.#send(), this.#intervalMs).unref()
  }

  /** Sends the last numbers. */
  async flush(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sending
    if (this.#isStarted) await this.#send()
  }

  #send(): Promise<void> {
    const writer = new Writer()
    const now = this.#clock.now()
    this.#meters.write(writer, now)
    for (const numbers of vitalNumbers(this.#vitals.read())) writeNumbers(writer, numbers, this.#startedAt, now)
    this.#sending = this.#delivery.deliver(writer.take(), 1).finally(() => (this.#sending = undefined))
    return this.#sending
  }
}
