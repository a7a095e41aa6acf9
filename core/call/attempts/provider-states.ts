import type { CircuitView } from '../../contracts/circuits.ts'
import type { Gauges } from '../../contracts/coordination.ts'
import type { Provider } from '../../contracts/provider.ts'
import type { ProviderState } from '../../contracts/provider-state.ts'
import { Coordinated } from '../../coordination/coordinated.ts'
import { wire } from '../../framework/container.ts'
import { Providers } from '../../framework/extension-points.ts'
import type { Registry } from '../../framework/registry.ts'
import { Credentials } from './credentials.ts'
import { EndpointCircuits } from './endpoint-circuits.ts'
import { providerGauges, stateInAll } from './provider-gauges.ts'
import { ProviderQueues } from './provider-queues.ts'

/** Reads the state of all providers. */
export class ProviderStates {
  readonly #providers: Registry<Provider>
  readonly #credentials: Credentials
  readonly #circuits: EndpointCircuits
  readonly #queues: ProviderQueues
  readonly #coordinated: Coordinated

  static {
    wire(this, [Providers, Credentials, EndpointCircuits, ProviderQueues, Coordinated.token])
  }

  constructor(
    providers: Registry<Provider>,
    credentials: Credentials,
    circuits: EndpointCircuits,
    queues: ProviderQueues,
    coordinated: Coordinated,
  ) {
    this.#providers = providers
    this.#credentials = credentials
    this.#circuits = circuits
    this.#queues = queues
    this.#coordinated = coordinated
    coordinated.addGauges(() => this.#gauges())
  }

  /** As this process knows them. */
  own(): readonly ProviderState[] {
    return this.#with(this.#circuits.views())
  }

  /** The same, without models whose names callers made up. */
  named(): readonly ProviderState[] {
    return this.#with(this.#circuits.namedViews())
  }

  /** In all processes that count together, as of a second ago. Without the others while nobody knows how they are. */
  async all(): Promise<readonly ProviderState[]> {
    const gauges = this.#coordinated.isUp ? await this.#coordinated.gauges() : undefined
    const own = this.own()
    return gauges ? own.map(state => stateInAll(state, gauges)) : own
  }

  #with(views: readonly CircuitView[]): readonly ProviderState[] {
    const circuits = Map.groupBy(views, ({ provider }) => provider)
    return this.#providers.values().map(provider => ({
      id: provider.id,
      credentials: this.#credentials.rests(provider),
      circuits: (circuits.get(provider.id) ?? []).map(({ provider: _, ...circuit }) => circuit),
      ...(provider.maxConcurrent !== undefined && { queue: this.#queueOf(provider) }),
    }))
  }

  #gauges(): Gauges {
    return providerGauges(this.own(), this.#circuits.listedViews())
  }

  #queueOf(provider: Provider): NonNullable<ProviderState['queue']> {
    const { running, waiting, maxConcurrent, maxQueued } = this.#queues.of(provider)
    return { running, waiting, maxConcurrent, maxQueued }
  }
}
