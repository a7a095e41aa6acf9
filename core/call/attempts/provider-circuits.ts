import type { CircuitView, EndpointName } from '../../contracts/circuits.ts'
import type { SharedMaps } from '../../contracts/shared-state.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Logger } from '../../foundation/logger.ts'
import { recentValues } from '../../runtime/recent-values.ts'
import { Circuit } from './circuit.ts'
import { failingIn, type FailingCircuit } from './failing-circuit.ts'
import { OpenCircuits } from './open-circuits.ts'
import { ProviderTraffic } from './provider-traffic.ts'

/** Only this many circuits of owners are kept: those used last. */
const maxOfOwners = 1_000

/** A failure that other models of the provider might have, too. */
export interface WideFailure {
  /** No connection was made. */
  readonly isUnreachable: boolean
  /** The owner's request may have provoked it by itself. */
  readonly isSuspected: boolean
  /** The answer had begun. */
  readonly hadBegun: boolean
}

/**
 * The circuits of providers as a whole. They open by the provider's traffic: failures of a single model say nothing about the rest. A
 * provider has one for everyone, and one for each owner whose requests fail in a way that they may have provoked.
 */
export class ProviderCircuits {
  readonly #log: Logger
  readonly #ofAll = new Map<string, Circuit>()
  readonly #ofOwners = recentValues<string, Circuit>(maxOfOwners)
  /** Bounded by the providers that are loaded. */
  readonly #traffic = new Map<string, ProviderTraffic>()
  readonly #open: OpenCircuits

  constructor(clock: Clock, log: Logger, shared: SharedMaps) {
    this.#log = log
    this.#open = new OpenCircuits(shared, 'providers', (name, open, forMs) => {
      const [provider, owner] = partsOf(name)
      const known = owner === undefined ? this.#ofAll.get(provider) : this.#ofOwner(provider, owner)
      if (open) {
        const circuit = known ?? this.#make(provider, owner)
        circuit.openedElsewhere(forMs, clock.elapsed(), open.needsEnd)
        this.#tell('opened at another gateway', provider, owner, forMs)
      } else if (known?.closedElsewhere()) this.#drop(provider, owner)
    })
  }

  get allHealthy(): boolean {
    return this.#ofAll.size === 0 && this.#ofOwners.size === 0
  }

  /** Those that a request of the owner to the provider has to pass. */
  of(provider: string, owner: string | undefined): readonly (Circuit | undefined)[] {
    return [this.#ofAll.get(provider), this.#ofOwner(provider, owner)]
  }

  began({ provider }: EndpointName, startedAt: number, owner: string | undefined): void {
    this.#trafficOf(provider).served(startedAt)
    if (this.#ofAll.get(provider)?.began(startedAt)) this.#closed(provider)
    if (this.#ofOwner(provider, owner)?.began(startedAt)) this.#closed(provider, owner)
  }

  /** Call for every complete answer. */
  answered({ provider }: EndpointName, startedAt: number, now: number): void {
    const traffic = this.#trafficOf(provider)
    traffic.served(startedAt)
    traffic.answered(now)
  }

  completed({ provider }: EndpointName, startedAt: number, owner: string | undefined): void {
    const ofAll = this.#ofAll.get(provider)
    if (ofAll?.completed(startedAt)) this.#closed(provider)
    if (ofAll?.isHealthy) this.#drop(provider)
    const ofOwner = this.#ofOwner(provider, owner)
    if (ofOwner?.completed(startedAt)) this.#closed(provider, owner)
    if (ofOwner?.isHealthy) this.#drop(provider, owner)
  }

  failed(endpoint: EndpointName, startedAt: number, now: number, owner: string, failure: WideFailure): void {
    if (failure.isSuspected) return this.#suspected(endpoint, startedAt, now, owner, failure)
    const { provider, model } = endpoint
    const traffic = this.#trafficOf(provider)
    traffic.failed(failure.isUnreachable ? undefined : model, now)
    this.#fail(this.#ofAll.get(provider) ?? this.#make(provider), provider, undefined, failure, startedAt, now)
    const ofOwner = this.#ofOwner(provider, owner)
    if (ofOwner) this.#fail(ofOwner, provider, owner, failure, startedAt, now)
  }

  /** The providers that are left. */
  views(now: number): readonly CircuitView[] {
    const views = Array.from(this.#ofAll, ([provider, circuit]) => ({ provider, model: '*', ...circuit.view(now) }))
    return views.filter(({ state }) => state !== 'closed')
  }

  /** The providers that failed here for everyone, until their circuits opened. */
  failing(): readonly FailingCircuit[] {
    return failingIn(this.#ofAll, provider => ({ provider, model: '*' }))
  }

  /** When the latest attempt started that the provider answered. */
  servedAt(provider: string): number {
    return this.#traffic.get(provider)?.servedAt ?? -Infinity
  }

  #suspected({ provider, model }: EndpointName, startedAt: number, now: number, owner: string, failure: WideFailure): void {
    const traffic = this.#trafficOf(provider)
    traffic.suspected(model, owner, now)
    const ofOwner = this.#ofOwner(provider, owner) ?? (traffic.isFailing(owner) ? this.#make(provider, owner) : undefined)
    if (ofOwner) this.#fail(ofOwner, provider, owner, failure, startedAt, now)
    const isFailing = traffic.isFailing()
    const ofAll = this.#ofAll.get(provider) ?? (isFailing ? this.#make(provider) : undefined)
    // A failure that one owner may have provoked does not keep the circuit open for others.
    if (ofAll && isFailing) this.#fail(ofAll, provider, undefined, failure, startedAt, now)
    else ofAll?.abandoned()
  }

  #fail(circuit: Circuit, provider: string, owner: string | undefined, { hadBegun }: WideFailure, startedAt: number, now: number): void {
    const forMs = circuit.failed(startedAt, now, hadBegun)
    if (forMs === undefined) return
    this.#tell('opened', provider, owner, forMs)
    this.#open.opened(nameOf(provider, owner), circuit, now)
  }

  #closed(provider: string, owner?: string): void {
    this.#tell('closed', provider, owner)
    this.#open.closed(nameOf(provider, owner))
  }

  #drop(provider: string, owner?: string): void {
    if (owner === undefined) this.#ofAll.delete(provider)
    else this.#ofOwners.delete(nameOf(provider, owner))
  }

  #make(provider: string, owner?: string): Circuit {
    const traffic = this.#trafficOf(provider)
    const circuit = new Circuit(() => traffic.breaker(owner))
    if (owner === undefined) this.#ofAll.set(provider, circuit)
    else this.#ofOwners.set(nameOf(provider, owner), circuit)
    return circuit
  }

  #ofOwner(provider: string, owner: string | undefined): Circuit | undefined {
    return owner === undefined || this.#ofOwners.size === 0 ? undefined : this.#ofOwners.get(nameOf(provider, owner))
  }

  #trafficOf(provider: string): ProviderTraffic {
    let traffic = this.#traffic.get(provider)
    if (!traffic) this.#traffic.set(provider, (traffic = new ProviderTraffic()))
    return traffic
  }

  #tell(what: string, provider: string, owner: string | undefined, forMs?: number): void {
    this.#log.warn(`the circuit of a provider ${what}${owner === undefined ? '' : ' for an owner'}`, {
      provider,
      ...(forMs !== undefined && { forMs: Math.round(forMs) }),
    })
  }
}

function nameOf(provider: string, owner: string | undefined): string {
  return owner === undefined ? provider : `${provider}\n${owner}`
}

function partsOf(name: string): readonly [provider: string, owner: string | undefined] {
  const end = name.indexOf('\n')
  return end < 0 ? [name, undefined] : [name.slice(0, end), name.slice(end + 1)]
}
