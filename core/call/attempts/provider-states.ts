import type { Provider } from '../../contracts/provider.ts'
import type { ProviderState } from '../../contracts/provider-state.ts'
import { wire } from '../../framework/container.ts'
import { Providers } from '../../framework/extension-points.ts'
import type { Registry } from '../../framework/registry.ts'
import { Credentials } from './credentials.ts'
import { EndpointCircuits } from './endpoint-circuits.ts'
import { ProviderQueues } from './provider-queues.ts'

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
