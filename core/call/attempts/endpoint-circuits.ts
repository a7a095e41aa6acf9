import type { Circuits, CircuitView, EndpointName } from '../../contracts/circuits.ts'
import { SharedMaps } from '../../contracts/shared-state.ts'
import { Clock } from '../../foundation/clock.ts'
import { Logger } from '../../foundation/logger.ts'
import { wire } from '../../framework/container.ts'
import { Circuit } from './circuit.ts'
import { failingIn, type FailingCircuit } from './failing-circuit.ts'
import { OpenCircuits } from './open-circuits.ts'
import { recentValues, type RecentValues } from '../../runtime/recent-values.ts'
import { ProviderCircuits, type WideFailure } from './provider-circuits.ts'

/** Callers can make up model names. At most this many that failed are kept. */
const maxUnlisted = 1_000

/**
 * The circuits of all endpoints, and of providers as a whole. One is made for a failure, and dropped when all is well again: usually there
 * are none. Owners are those whose requests the methods are about.
 */
export class EndpointCircuits implements Circuits {
  readonly #clock: Clock
  readonly #log: Logger
  /** Bounded by what the catalogs list. */
  readonly #listed = new Map<string, Circuit>()
  readonly #unlisted = recentValues<string, Circuit>(maxUnlisted)
  readonly #providers: ProviderCircuits
  readonly #open: OpenCircuits

  static {
    wire(this, [Clock, Logger, SharedMaps])
  }

  constructor(clock: Clock, log: Logger, shared: SharedMaps) {
    this.#clock = clock
    this.#log = log
    this.#providers = new ProviderCircuits(clock, log, shared)
    this.#open = new OpenCircuits(shared, 'endpoints', (name, open, forMs) => {
      const endpoint = { ...endpointOf(name), listed: true }
      if (open) {
        this.#make(endpoint).openedElsewhere(forMs, clock.elapsed(), open.needsEnd)
        this.#tell('a circuit opened at another gateway', endpoint, forMs)
      } else if (this.#find(endpoint)?.closedElsewhere()) this.#of(endpoint).delete(name)
    })
  }

  /** True if no endpoint failed lately. */
  get allHealthy(): boolean {
    return this.#listed.size === 0 && this.#unlisted.size === 0 && this.#providers.allHealthy
  }

  /** Without an owner: for everyone. */
  isOpen(endpoint: EndpointName, owner?: string): boolean {
    if (this.allHealthy) return false
    const now = this.#clock.elapsed()
    return this.#circuitsOf(endpoint, owner).some(circuit => circuit.isOpen(now))
  }

  /** True if no request should be sent to the endpoint, not even a probe. */
  isResting(endpoint: EndpointName, owner?: string): boolean {
    if (this.allHealthy) return false
    const now = this.#clock.elapsed()
    return this.#circuitsOf(endpoint, owner).some(circuit => circuit.isResting(now))
  }

  /** True if a request may be sent to the endpoint before others were tried. May make it the probe, whose outcome closes or opens the circuit. */
  admits(endpoint: EndpointName, owner?: string): boolean {
    if (this.allHealthy) return true
    const now = this.#clock.elapsed()
    const circuits = this.#circuitsOf(endpoint, owner)
    // Only where all admit it is the request the probe of any.
    return !circuits.some(circuit => circuit.isOpen(now)) && circuits.every(circuit => circuit.admits(now))
  }

  /** Call when an attempt has begun to answer. `startedAt` is on `Clock.elapsed`. */
  began(endpoint: EndpointName, startedAt: number, owner?: string): void {
    if (this.allHealthy) return
    if (this.#find(endpoint)?.began(startedAt)) this.#closed(endpoint)
    this.#providers.began(endpoint, startedAt, owner)
  }

  /** Call when an answer is complete. Times are on `Clock.elapsed`. */
  completed(endpoint: EndpointName, startedAt: number, now: number = this.#clock.elapsed(), owner?: string): void {
    this.#providers.answered(endpoint, startedAt, now)
    if (this.allHealthy) return
    const circuit = this.#find(endpoint)
    if (circuit?.completed(startedAt)) this.#closed(endpoint)
    if (circuit?.isHealthy) this.#of(endpoint).delete(nameOf(endpoint))
    this.#providers.completed(endpoint, startedAt, owner)
  }

  /** Call when an attempt failed by the endpoint's fault. `hadBegun`: in the middle of its answer. */
  failed(endpoint: EndpointName, startedAt: number, hadBegun = false): void {
    const now = this.#clock.elapsed()
    const circuit = this.#make(endpoint)
    const openMs = circuit.failed(startedAt, now, hadBegun)
    if (openMs === undefined) return
    this.#tell('a circuit opened', endpoint, openMs)
    this.#share(endpoint, circuit, now)
  }

  /**
   * Call when an attempt failed and other models of the provider might, too. Unless no connection was made, failures of a model that no
   * catalog lists say nothing: callers can make up names that a vendor cannot handle.
   */
  providerFailed(endpoint: EndpointName, startedAt: number, owner: string, failure: WideFailure): void {
    if (endpoint.listed || failure.isUnreachable) this.#providers.failed(endpoint, startedAt, this.#clock.elapsed(), owner, failure)
  }

  /** Call when an attempt ended without showing whether the endpoint works. */
  abandoned(endpoint: EndpointName, owner?: string): void {
    if (!this.allHealthy) for (const circuit of this.#circuitsOf(endpoint, owner)) circuit.abandoned()
  }

  /** Keeps requests away from the endpoint for this long, if they can go elsewhere. */
  rest(endpoint: EndpointName, ms: number): void {
    const now = this.#clock.elapsed()
    const circuit = this.#make(endpoint)
    circuit.rest(ms, now)
    this.#share(endpoint, circuit, now)
  }

  views(): readonly CircuitView[] {
    const now = this.#clock.elapsed()
    return [...this.listedViews(now), ...viewsOf(this.#unlisted.entries(), now), ...this.#providers.views(now)]
  }

  /** Those of endpoints that a catalog lists: callers cannot have made them up. */
  listedViews(now: number = this.#clock.elapsed()): readonly CircuitView[] {
    return viewsOf(this.#listed, now)
  }

  /** Those of endpoints that a catalog lists, and those of providers as a whole. */
  namedViews(): readonly CircuitView[] {
    const now = this.#clock.elapsed()
    return [...this.listedViews(now), ...this.#providers.views(now)]
  }

  /** What failed here until its circuit opened: providers, and models that a catalog lists. */
  failing(): readonly FailingCircuit[] {
    return this.allHealthy ? [] : [...failingIn(this.#listed, endpointOf), ...this.#providers.failing()]
  }

  /** When the latest attempt started that the provider answered, on `Clock.elapsed`. */
  servedAt(provider: string): number {
    return this.#providers.servedAt(provider)
  }

  #of({ listed }: EndpointName): Map<string, Circuit> | RecentValues<string, Circuit> {
    return listed ? this.#listed : this.#unlisted
  }

  #find(endpoint: EndpointName): Circuit | undefined {
    return this.#of(endpoint).get(nameOf(endpoint))
  }

  #circuitsOf(endpoint: EndpointName, owner: string | undefined): readonly Circuit[] {
    return [this.#find(endpoint), ...this.#providers.of(endpoint.provider, owner)].filter(circuit => circuit !== undefined)
  }

  #make(endpoint: EndpointName): Circuit {
    const known = this.#find(endpoint)
    if (known) return known
    const circuit = new Circuit()
    this.#of(endpoint).set(nameOf(endpoint), circuit)
    return circuit
  }

  #closed(endpoint: EndpointName): void {
    this.#tell('a circuit closed', endpoint)
    if (endpoint.listed) this.#open.closed(nameOf(endpoint))
  }

  /** A name that no catalog lists may be made up by a caller, so it never leaves this gateway. */
  #share(endpoint: EndpointName, circuit: Circuit, now: number): void {
    if (endpoint.listed) this.#open.opened(nameOf(endpoint), circuit, now)
  }

  #tell(what: string, { provider, model, listed }: EndpointName, forMs?: number): void {
    this.#log.warn(what, { provider, ...(listed && { model }), ...(forMs !== undefined && { forMs: Math.round(forMs) }) })
  }
}

function viewsOf(circuits: Iterable<readonly [string, Circuit]>, now: number): readonly CircuitView[] {
  return Array.from(circuits, ([name, circuit]) => ({ ...endpointOf(name), ...circuit.view(now) }))
}

function nameOf({ provider, model }: EndpointName): string {
  return `${provider}/${model}`
}

function endpointOf(name: string): Pick<EndpointName, 'provider' | 'model'> {
  const slash = name.indexOf('/')
  return { provider: name.slice(0, slash), model: name.slice(slash + 1) }
}
