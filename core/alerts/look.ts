import { describePluginError, type Logger } from '../foundation/logger.ts'

/** Looks at something again and again, one look after the other. The log has one line for failures that follow each other. */
export class Look {
  readonly #name: string
  readonly #look: () => Promise<void>
  readonly #log: Logger
  readonly #timers: readonly NodeJS.Timeout[]
  #looking: Promise<void> | undefined
  #isFailing = false

  /** `firstMs`: when to look for the first time. Default: after `everyMs`. */
  constructor(name: string, everyMs: number, look: () => Promise<void>, log: Logger, firstMs?: number) {
    this.#name = name
    this.#look = look
    this.#log = log
    const tick = (): void => {
      this.#looking ??= this.#once().finally(() => (this.#looking = undefined))
    }
    this.#timers = [setInterval(tick, everyMs).unref(), ...(firstMs === undefined ? [] : [setTimeout(tick, firstMs).unref()])]
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#looking
  }

  async #once(): Promise<void> {
    try {
      await this.#look()
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing)
        this.#log.error('could not look for alerts; trying again', { at: this.#name, ...describePluginError(error, false) })
      this.#isFailing = true
    }
  }
}
