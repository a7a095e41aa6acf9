import type { CatalogEntry, CatalogSource } from '../contracts/catalog.ts'
import { describeError, type Logger } from '../foundation/logger.ts'

/** Which provider to ask, how, and how often. */
export interface PolledCatalogOptions {
  /** The provider's id. */
  readonly name: string
  /** How long after one answer to ask again, in milliseconds. */
  readonly everyMs: number
  /** Asks the vendor once. A throw leaves the list as it is. `signal` aborts when the gateway stops. */
  readonly list: (signal: AbortSignal) => Promise<readonly CatalogEntry[]>
  /** Gets one line when the vendor stops answering. */
  readonly log: Logger
}

/** Lists a vendor's models at an interval. If the vendor does not answer, the list stays unchanged, and the log has one line. */
export class PolledCatalog implements CatalogSource {
  /** The provider's id. */
  readonly name: string
  readonly #options: PolledCatalogOptions
  readonly #stopping = new AbortController()
  #entries: readonly CatalogEntry[] = []
  #changed: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #isReachable = true

  constructor(options: PolledCatalogOptions) {
    this.#options = options
    this.name = options.name
  }

  /** The last list. Empty until the first answer. */
  entries(): readonly CatalogEntry[] {
    return this.#entries
  }

  /** Core calls it at start, to learn of new lists. */
  onChange(changed: () => void): void {
    this.#changed = changed
  }

  /** Pass it to `gateway.onStart`. Does not wait for the first answer. */
  start(): void {
    this.#running = this.refresh().then(() => {
      if (!this.#stopping.signal.aborted) this.#timer = setTimeout(() => this.start(), this.#options.everyMs).unref()
    })
  }

  /** Pass it to `gateway.onStop`. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#stopping.abort()
    await this.#running
  }

  /** Asks once. Never rejects. */
  async refresh(): Promise<void> {
    try {
      const entries = await this.#options.list(this.#stopping.signal)
      this.#isReachable = true
      if (JSON.stringify(entries) === JSON.stringify(this.#entries)) return
      this.#entries = entries
      this.#changed?.()
    } catch (error) {
      if (this.#stopping.signal.aborted || !this.#isReachable) return
      this.#isReachable = false
      this.#options.log.warn("could not list the server's models; requests that name a model still work", describeError(error))
    }
  }
}
