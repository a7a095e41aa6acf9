import type { Logger } from '../../../core/index.ts'
import type { Signal } from './signals.ts'

const quietMs = 60_000

/** Logs, once a minute at most, what was not delivered and why. */
export class Losses {
  readonly #log: Logger
  readonly #signal: Signal
  readonly #count: (signal: Signal, items: number) => void
  #items = 0
  #why: string | undefined
  #timer: NodeJS.Timeout | undefined
  #isFailing = false

  constructor(log: Logger, signal: Signal, count: (signal: Signal, items: number) => void) {
    this.#log = log
    this.#signal = signal
    this.#count = count
  }

  lost(items: number, why: string): void {
    this.#count(this.#signal, items)
    this.#items += items
    this.#why = why
    this.#timer ??= setTimeout(() => this.tell(), this.#isFailing ? quietMs : 0).unref()
    this.#isFailing = true
  }

  /** Something was delivered. */
  delivered(): void {
    if (!this.#isFailing || this.#items > 0) return
    this.#isFailing = false
    this.#log.info('telemetry is delivered again', { signal: this.#signal })
  }

  tell(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#items > 0) this.#log.warn('telemetry was not delivered', { signal: this.#signal, dropped: this.#items, why: this.#why })
    this.#items = 0
  }
}
