import type { CircuitView } from '../contracts/circuits.ts'
import type { Provider } from '../contracts/provider.ts'
import { wire } from '../framework/container.ts'
import { Providers } from '../framework/extension-points.ts'
import type { Registry } from '../framework/registry.ts'
import { Credentials } from './credentials.ts'
import { EndpointCircuits } from './endpoint-circuits.ts'
import { ProviderQueues } from './provider-queues.ts'

/** How a provider is doing, for operators. Without secrets. */
export interface ProviderState {
  readonly id: string
  /** How long each of its keys stays set aside, in milliseconds; 0 if it is in use. */
  readonly credentials: readonly { readonly id: string; readonly restsForMs: number }[]
  /** Its endpoints that failed lately. */
  readonly circuits: readonly Omit<CircuitView, 'provider'>[]
  /** Only for a provider with `maxConcurrent`. */
  readonly queue?: {
    readonly running: number
    readonly waiting: number
    readonly maxConcurrent: number
    readonly maxQueued: number
  }
}

/** Reads the state of all providers. */
export class ProviderStates {
  readonly #providers: Registry<Provider>
  readonly #credentials: Credentials
  readonly #circuits: EndpointCircuits
  readonly #queues: ProviderQueues

  static {
    wire(this, [Providers, Credentials, EndpointCircuits, ProviderQueues])
  }

  constructor(providers: Registry<Provider>, credentials: Credentials, circuits: EndpointCircuits, queues: ProviderQueues) {
    this.#providers = providers
    this.#credentials = credentials
    this.#circuits = circuits
    this.#queues = queues
  }

  all(): readonly ProviderState[] {
    const circuits = Map.groupBy(this.#circuits.views(), ({ provider }) => provider)
    return this.#providers.values().map(provider => ({
      id: provider.id,
      credentials: this.#credentials.rests(provider),
      circuits: (circuits.get(provider.id) ?? []).map(({ provider: _, ...circuit }) => circuit),
      ...(provider.maxConcurrent !== undefined && { queue: this.#queueOf(provider) }),
    }))
  }

  #queueOf(provider: Provider): NonNullable<ProviderState['queue']> {
    const { running, waiting, maxConcurrent, maxQueued } = this.#queues.of(provider)
    return { running, waiting, maxConcurrent, maxQueued }
  }
}
