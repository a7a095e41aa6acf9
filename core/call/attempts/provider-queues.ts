import type { Provider } from '../../contracts/provider.ts'
import { SharedMaps } from '../../contracts/shared-state.ts'
import { Coordinated } from '../../coordination/coordinated.ts'
import { Together } from '../../coordination/together.ts'
import { Clock } from '../../foundation/clock.ts'
import { wire } from '../../framework/container.ts'
import { OwnProviderPlaces, type ProviderPlaces } from './provider-places.ts'
import { ProviderQueue } from './provider-queue.ts'
import { QueueSignals } from './queue-signals.ts'
import { SharedProviderPlaces, type SharedPlacesParts } from './shared-provider-places.ts'

const defaultMaxQueued = 100

/** The queues of the providers that have a limit. */
export class ProviderQueues {
  readonly #clock: Clock
  readonly #coordinated: Coordinated
  readonly #signals: QueueSignals
  readonly #queues = new Map<string, ProviderQueue>()
  #shared: SharedPlacesParts | undefined

  static {
    wire(this, [Clock, Coordinated.token, SharedMaps])
  }

  constructor(clock: Clock, coordinated: Coordinated, shared: SharedMaps) {
    this.#clock = clock
    this.#coordinated = coordinated
    this.#signals = new QueueSignals(shared, coordinated, clock)
  }

  /** Call only for providers with `maxConcurrent`. */
  of({ id, maxConcurrent = Infinity, maxQueued = defaultMaxQueued }: Pick<Provider, 'id' | 'maxConcurrent' | 'maxQueued'>): ProviderQueue {
    let queue = this.#queues.get(id)
    if (!queue) this.#queues.set(id, (queue = new ProviderQueue(this.#clock, maxConcurrent, maxQueued, this.#placesOf(id, maxConcurrent))))
    return queue
  }

  #placesOf(provider: string, limit: number): ProviderPlaces {
    const coordinated = this.#coordinated
    if (!coordinated.isProvided) return new OwnProviderPlaces(limit)
    this.#shared ??= {
      coordinated,
      together: new Together(coordinated, this.#clock, undefined),
      signals: this.#signals,
      clock: this.#clock,
    }
    return new SharedProviderPlaces(provider, limit, this.#shared)
  }
}
