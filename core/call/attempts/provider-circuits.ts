import type { CircuitView, EndpointName } from '../../contracts/circuits.ts'
import type { Logger } from '../../foundation/logger.ts'
import { recentValues } from '../../runtime/recent-values.ts'
import { Circuit } from './circuit.ts'
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

  constructor(log: Logger) {
    this.#log = log
  }

  get allHealthy(): boolean {
    return this.#ofAll.size === 0 && this.#ofOwners.size === 0
  }

  /** Those that a request of the owner to the provider has to pass. */
  of(provider: string, owner: string | undefined): readonly (Circuit | undefined)[] {
    return [this.#ofAll.get(provider), this.#ofOwner(provider, owner)]
  }

  began({ provider }: EndpointName, startedAt: number, owner: string | undefined): void {
    if (this.#ofAll.get(provider)?.began(startedAt)) this.#tell('closed', provider)
    if (this.#ofOwner(provider, owner)?.began(startedAt)) this.#tell('closed for an owner', provider)
  }

  /** Call for every complete answer. */
  answered({ provider }: EndpointName, now: number): void {
    this.#trafficOf(provider).answered(now)
  }

  completed({ provider }: EndpointName, startedAt: number, owner: string | undefined): void {
    const ofAll = this.#ofAll.get(provider)
    if (ofAll?.completed(startedAt)) this.#tell('closed', provider)
    if (ofAll?.isHealthy) this.#ofAll.delete(provider)
    const ofOwner = this.#ofOwner(provider, owner)
    if (ofOwner?.completed(startedAt)) this.#tell('closed for an owner', provider)
    if (ofOwner?.isHealthy) this.#ofOwners.delete(nameOf(provider, owner!))
  }

  failed(endpoint: EndpointName, startedAt: number, now: number, owner: string, failure: WideFailure): void {
    if (failure.isSuspected) return this.#suspected(endpoint, startedAt, now, owner, failure)
    const { provider, model } = endpoint
    const traffic = this.#trafficOf(provider)
    traffic.failed(failure.isUnreachable ? undefined : model, now)
    this.#fail(this.#ofAll.get(provider) ?? this.#make(provider), 'opened', provider, failure, startedAt, now)
    const ofOwner = this.#ofOwner(provider, owner)
    if (ofOwner) this.#fail(ofOwner, 'opened for an owner', provider, failure, startedAt, now)
  }

  /** The providers that are left. */
  views(now: number): readonly CircuitView[] {
    const views = Array.from(this.#ofAll, ([provider, circuit]) => ({ provider, model: '*', ...circuit.view(now) }))
    return views.filter(({ state }) => state !== 'closed')
  }

  #suspected({ provider, model }: EndpointName, startedAt: number, now: number, owner: string, failure: WideFailure): void {
    const traffic = this.#trafficOf(provider)
    traffic.suspected(model, owner, now)
    const ofOwner = this.#ofOwner(provider, owner) ?? (traffic.isFailing(owner) ? this.#make(provider, owner) : undefined)
    if (ofOwner) this.#fail(ofOwner, 'opened for an owner', provider, failure, startedAt, now)
    const isFailing = traffic.isFailing()
    const ofAll = this.#ofAll.get(provider) ?? (isFailing ? this.#make(provider) : undefined)
    // What one owner may have provoked does not keep the circuit open for others.
    if (ofAll && isFailing) this.#fail(ofAll, 'opened', provider, failure, startedAt, now)
    else ofAll?.abandoned()
  }

  #fail(circuit: Circuit, what: string, provider: string, { hadBegun }: WideFailure, startedAt: number, now: number): void {
    const forMs = circuit.failed(startedAt, now, hadBegun)
    if (forMs !== undefined) this.#tell(what, provider, forMs)
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

  #tell(what: string, provider: string, forMs?: number): void {
    this.#log.warn(`the circuit of a provider ${what}`, { provider, ...(forMs !== undefined && { forMs }) })
  }
}

function nameOf(provider: string, owner: string): string {
  return `${provider}\n${owner}`
}
