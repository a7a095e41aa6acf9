import type { LRUCache } from 'lru-cache'
import type { Circuits, CircuitView, EndpointName } from '../contracts/circuits.ts'
import { Clock } from '../foundation/clock.ts'
import { Logger } from '../foundation/logger.ts'
import { wire } from '../framework/container.ts'
import { Circuit } from './circuit.ts'
import { recentValues } from '../foundation/recent-values.ts'
import { ProviderCircuit } from './provider-circuit.ts'
import { ProviderTraffic } from './provider-traffic.ts'

/** Callers can make model names up. Only this many of those that failed are kept. */
const maxUnlisted = 1_000

/**
 * The circuits of all endpoints, and of providers as a whole. One is made for a failure, and dropped when all is well again: usually there
 * are none.
 */
export class EndpointCircuits implements Circuits {
  readonly #clock: Clock
  readonly #log: Logger
  /** Bounded by what the catalogs list. */
  readonly #listed = new Map<string, Circuit>()
  readonly #unlisted = recentValues<string, Circuit>(maxUnlisted)
  readonly #providers = new Map<string, ProviderCircuit>()
  /** Bounded by the providers that are loaded. */
  readonly #traffic = new Map<string, ProviderTraffic>()

  static {
    wire(this, [Clock, Logger])
  }

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock
    this.#log = log
  }

  /** True if no endpoint failed lately. */
  get allHealthy(): boolean {
    return this.#listed.size === 0 && this.#unlisted.size === 0 && this.#providers.size === 0
  }

  isOpen(endpoint: EndpointName): boolean {
    if (this.allHealthy) return false
    const now = this.#clock.elapsed()
    return this.#circuitsOf(endpoint).some(circuit => circuit.isOpen(now))
  }

  /** True if no request should be sent to the endpoint, not even a probe. */
  isResting(endpoint: EndpointName): boolean {
    if (this.allHealthy) return false
    const now = this.#clock.elapsed()
    return this.#circuitsOf(endpoint).some(circuit => circuit.isResting(now))
  }

  /** True if a request may be sent to the endpoint before others were tried. May make it the probe, whose outcome closes or opens the circuit. */
  admits(endpoint: EndpointName): boolean {
    if (this.allHealthy) return true
    const now = this.#clock.elapsed()
    const circuits = this.#circuitsOf(endpoint)
    // Only where both admit it is the request the probe of either.
    return !circuits.some(circuit => circuit.isOpen(now)) && circuits.every(circuit => circuit.admits(now))
  }

  /** Call when an attempt has begun to answer. `startedAt` is on `Clock.elapsed`. */
  began(endpoint: EndpointName, startedAt: number): void {
    if (this.allHealthy) return
    if (this.#find(endpoint)?.began(startedAt)) this.#tell('a circuit closed', endpoint)
    if (this.#providers.get(endpoint.provider)?.began(startedAt)) this.#tellProvider('closed', endpoint)
  }

  /** Call when an answer is complete. Times are on `Clock.elapsed`. */
  completed(endpoint: EndpointName, startedAt: number, now: number = this.#clock.elapsed()): void {
    this.#trafficOf(endpoint.provider).answered(now)
    if (this.allHealthy) return
    const circuit = this.#find(endpoint)
    if (circuit?.completed(startedAt)) this.#tell('a circuit closed', endpoint)
    if (circuit?.isHealthy) this.#of(endpoint).delete(nameOf(endpoint))
    const whole = this.#providers.get(endpoint.provider)
    if (whole?.completed(startedAt)) this.#tellProvider('closed', endpoint)
    if (whole?.isHealthy) this.#providers.delete(endpoint.provider)
  }

  /** Call when an attempt failed by the endpoint's fault. */
  failed(endpoint: EndpointName, startedAt: number): void {
    const openMs = this.#make(endpoint).failed(startedAt, this.#clock.elapsed())
    if (openMs !== undefined) this.#tell('a circuit opened', endpoint, openMs)
  }

  /**
   * Call when an attempt failed and other models of the provider might, too. `isUnreachable`: no connection was made. Other failures of a
   * model that no catalog lists say nothing: callers can make names up that a vendor chokes on.
   */
  providerFailed(endpoint: EndpointName, isUnreachable: boolean, startedAt: number): void {
    const { provider, model, listed } = endpoint
    if (!listed && !isUnreachable) return
    let circuit = this.#providers.get(provider)
    if (!circuit) this.#providers.set(provider, (circuit = new ProviderCircuit(this.#trafficOf(provider))))
    const openMs = circuit.modelFailed(isUnreachable ? undefined : model, startedAt, this.#clock.elapsed())
    if (openMs !== undefined) this.#tellProvider('opened', endpoint, openMs)
  }

  /** Call when an attempt ended without showing whether the endpoint works. */
  abandoned(endpoint: EndpointName): void {
    if (!this.allHealthy) for (const circuit of this.#circuitsOf(endpoint)) circuit.abandoned()
  }

  /** Keeps requests away from the endpoint for this long, if they can go elsewhere. */
  rest(endpoint: EndpointName, ms: number): void {
    this.#make(endpoint).rest(ms, this.#clock.elapsed())
  }

  views(): readonly CircuitView[] {
    const now = this.#clock.elapsed()
    const endpoints = [...this.#listed, ...this.#unlisted.entries()].map(([name, circuit]) => {
      const slash = name.indexOf('/')
      return { provider: name.slice(0, slash), model: name.slice(slash + 1), ...circuit.view(now) }
    })
    const providers = Array.from(this.#providers, ([provider, circuit]) => ({ provider, model: '*', ...circuit.view(now) }))
    return [...endpoints, ...providers.filter(({ state }) => state !== 'closed')]
  }

  #of({ listed }: EndpointName): Map<string, Circuit> | LRUCache<string, Circuit> {
    return listed ? this.#listed : this.#unlisted
  }

  #find(endpoint: EndpointName): Circuit | undefined {
    return this.#of(endpoint).get(nameOf(endpoint))
  }

  #circuitsOf(endpoint: EndpointName): readonly Circuit[] {
    return [this.#find(endpoint), this.#providers.get(endpoint.provider)].filter(circuit => circuit !== undefined)
  }

  #trafficOf(provider: string): ProviderTraffic {
    let traffic = this.#traffic.get(provider)
    if (!traffic) this.#traffic.set(provider, (traffic = new ProviderTraffic()))
    return traffic
  }

  #make(endpoint: EndpointName): Circuit {
    const known = this.#find(endpoint)
    if (known) return known
    const circuit = new Circuit()
    this.#of(endpoint).set(nameOf(endpoint), circuit)
    return circuit
  }

  #tell(what: string, { provider, model }: EndpointName, forMs?: number): void {
    this.#log.warn(what, { provider, model, ...(forMs !== undefined && { forMs }) })
  }

  #tellProvider(what: string, { provider }: EndpointName, forMs?: number): void {
    this.#log.warn(`the circuit of a provider ${what}`, { provider, ...(forMs !== undefined && { forMs }) })
  }
}

function nameOf({ provider, model }: EndpointName): string {
  return `${provider}/${model}`
}
