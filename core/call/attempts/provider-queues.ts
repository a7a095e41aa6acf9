import type { Provider } from '../../contracts/provider.ts'
import { Clock } from '../../foundation/clock.ts'
import { wire } from '../../framework/container.ts'
import { ProviderQueue } from './provider-queue.ts'

const defaultMaxQueued = 100

/** The queues of the providers that have a limit. */
export class ProviderQueues {
  readonly #clock: Clock
  readonly #queues = new Map<string, ProviderQueue>()

  static {
    wire(this, [Clock])
  }

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Call only for providers with `maxConcurrent`. */
  of({ id, maxConcurrent = Infinity, maxQueued = defaultMaxQueued }: Pick<Provider, 'id' | 'maxConcurrent' | 'maxQueued'>): ProviderQueue {
    let queue = this.#queues.get(id)
    if (!queue) this.#queues.set(id, (queue = new ProviderQueue(this.#clock, maxConcurrent, maxQueued)))
    return queue
  }
}
