import type { AlertChannel, AlertDelivery, AlertStore } from '../contracts/alert.ts'
import { describePluginError, type Logger } from '../foundation/logger.ts'
import type { Registry } from '../framework/registry.ts'

const lookEveryMs = 10_000
/** The longest a channel may take. */
const deliveryMs = 30_000
/** Another process takes what this one took and did not deliver, after so long. */
const takenMs = 2 * deliveryMs
const firstRetryMs = 10_000
const longestRetryMs = 600_000
const giveUpAfterMs = 24 * 60 * 60 * 1000
/** How long a stop waits for deliveries under way. */
const stopMs = 1_000

/** Takes the deliveries that are due, in any process, and has the channels deliver them. */
export class Courier {
  readonly #store: AlertStore
  readonly #channels: Registry<AlertChannel>
  readonly #log: Logger
  readonly #stopped = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #delivering: Promise<void> | undefined
  /** Something was raised since the last look. */
  #isWoken = false
  #isFailing = false

  constructor(store: AlertStore, channels: Registry<AlertChannel>, log: Logger) {
    this.#store = store
    this.#channels = channels
    this.#log = log
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), lookEveryMs).unref()
  }

  /** Looks for deliveries now, or after the present look. */
  wake(): void {
    if (this.#stopped.signal.aborted) return
    this.#isWoken = true
    this.#delivering ??= this.#deliverAll().finally(() => {
      this.#delivering = undefined
      if (this.#isWoken) this.wake()
    })
  }

  /** Waits until nothing is due. */
  async idle(): Promise<void> {
    while (this.#delivering) await this.#delivering
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    const late = setTimeout(() => this.#stopped.abort(new Error('the gateway stops')), stopMs)
    this.#isWoken = false
    await this.#delivering
    clearTimeout(late)
    this.#stopped.abort(new Error('the gateway stopped'))
  }

  async #deliverAll(): Promise<void> {
    const names = this.#channels.names()
    while (this.#isWoken && !this.#stopped.signal.aborted) {
      this.#isWoken = false
      try {
        const taken = await this.#store.take(names, takenMs)
        if (taken.length > 0) this.#isWoken = true
        await Promise.all(taken.map(delivery => this.#deliver(delivery)))
        this.#isFailing = false
      } catch (error) {
        // The store may be down for a while. The next look tries again.
        if (!this.#isFailing) this.#log.error('could not look for alerts to deliver', describePluginError(error, false))
        this.#isFailing = true
        return
      }
    }
  }

  async #deliver({ alert, channel, audience, tries, ageMs }: AlertDelivery): Promise<void> {
    const late = AbortSignal.timeout(deliveryMs)
    const signal = AbortSignal.any([late, this.#stopped.signal])
    const { id, kind } = alert
    try {
      await unlessAborted(this.#channels.get(channel)!.deliver(alert, audience, signal), signal)
    } catch (error) {
      if (this.#stopped.signal.aborted) return
      const retryMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(tries - 1, 10))
      const isOver = ageMs + retryMs > giveUpAfterMs
      const plugin = this.#channels.pluginOf(channel)
      const fields = { alert: id, kind, channel, plugin, tries, ...describePluginError(error, false, true) }
      if (isOver) this.#log.error('gave up an alert that could not be delivered for a day', fields)
      else this.#log.warn('an alert could not be delivered; retrying', { ...fields, retryMs })
      return await this.#store.putOff(id, channel, isOver ? undefined : retryMs)
    }
    await this.#store.putOff(id, channel, undefined)
  }
}

/** A channel need not obey the signal. */
async function unlessAborted(delivering: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await Promise.race([delivering, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
