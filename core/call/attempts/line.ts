import type { PassedOver } from '../../contracts/log-sink.ts'
import type { GatewayError } from '../../foundation/errors.ts'
import type { Contender } from './contender.ts'
import type { EndpointCircuits } from './endpoint-circuits.ts'

/** A contender that could not be asked when it was its turn, or would not have been. */
export interface PutOff<C> {
  readonly contender: C
  readonly why: PassedOver
}

/** At most this many credentials of a provider are tried while others are left. */
const maxCredentials = 3
/** After this many models that a provider does not know, its address is probably wrong. */
const maxUnknown = 2

/** Facts about contenders that are known before they are asked. */
export interface Prospects<C> {
  readonly circuits: EndpointCircuits
  /** Whose request it is. */
  readonly owner: string
  /** True if none of its provider's credentials would be accepted. */
  isRefused(contender: C): boolean
}

/**
 * The contenders that one request has left. Those with an open circuit come last, and after them those of a provider that has failed. Both
 * lanes of a hedged request take from the same line.
 */
export class Line<C extends Contender = Contender> {
  #contenders: readonly C[]
  readonly #prospects: Prospects<C>
  /** Contenders that could not be asked when it was their turn. */
  #later: PutOff<C>[] | undefined
  #wasPutOff: Set<C> | undefined
  #failedProviders: Set<string> | undefined
  /** By provider. */
  #refusals: Map<string, number> | undefined
  #unknown: Map<string, number> | undefined
  /** The provider that was asked last. */
  #asked: string | undefined
  #next = 0
  attemptsLeft: number
  /** The reason why the last contender did not answer. */
  failure: (() => GatewayError) | undefined

  constructor(contenders: readonly C[], prospects: Prospects<C>, maxAttempts: number) {
    this.#contenders = contenders
    this.#prospects = prospects
    this.attemptsLeft = maxAttempts
  }

  /** Nothing is left to try. */
  get isEmpty(): boolean {
    return this.attemptsLeft === 0 || (this.#next >= this.#contenders.length && !this.#later?.length)
  }

  /**
   * Takes the next candidate. Undefined if none is left. `isHedge`: leaves the endpoints with an open circuit in the line, and prefers
   * another provider than the one that has not answered yet.
   */
  take(isHedge: boolean): C | undefined {
    if (this.attemptsLeft === 0) return undefined
    if (isHedge) this.#bringOther()
    const contender = this.#takeNext() ?? (isHedge ? undefined : this.#takeLater())
    if (contender) this.#asked = contender.provider.id
    return contender
  }

  #takeNext(): C | undefined {
    const { circuits, owner } = this.#prospects
    while (this.#next < this.#contenders.length) {
      const contender = this.#contenders[this.#next++]!
      if (this.hasFailed(contender)) {
        this.putOff(contender, 'provider')
        continue
      }
      // A request that has nowhere else to go is no probe: it is sent in any case.
      if (this.#contenders.length === 1) return contender
      if (!this.#prospects.isRefused(contender) && circuits.admits(contender.endpoint, owner)) return contender
      this.putOff(contender, 'circuit')
    }
    return undefined
  }

  /** Puts the next contender of another provider first. */
  #bringOther(): void {
    const left = this.#contenders.slice(this.#next)
    const index = left.findIndex(each => each.provider.id !== this.#asked && this.#whyNot(each) === undefined)
    if (index > 0) this.#contenders = [...this.#contenders.slice(0, this.#next), ...left.splice(index, 1), ...left]
  }

  /** Call when the contender failed and its provider's other endpoints would, too. */
  providerFailed({ provider }: C): void {
    ;(this.#failedProviders ??= new Set()).add(provider.id)
  }

  /** Call when the provider does not know the contender's model. */
  modelUnknown(contender: C): void {
    const { id } = contender.provider
    const count = ((this.#unknown ??= new Map()).get(id) ?? 0) + 1
    this.#unknown.set(id, count)
    // The last attempt is for another provider.
    if (count >= maxUnknown || this.attemptsLeft === 1) this.providerFailed(contender)
  }

  /** Call when a credential of the contender's provider failed. Returns whether to try its next one before other providers. */
  mayTryNext(contender: C): boolean {
    const { id } = contender.provider
    const count = ((this.#refusals ??= new Map()).get(id) ?? 0) + 1
    this.#refusals.set(id, count)
    return !this.hasOther(contender) || (count < maxCredentials && this.attemptsLeft > 1)
  }

  /** True if another provider than the contender's is left that has not failed yet. */
  hasOther({ provider }: C): boolean {
    const isOther = (each: C): boolean => each.provider.id !== provider.id && !this.hasFailed(each)
    for (let index = this.#next; index < this.#contenders.length; index++) if (isOther(this.#contenders[index]!)) return true
    return this.#later?.some(({ contender }) => isOther(contender)) ?? false
  }

  /** True after `providerFailed` for any endpoint of the contender's provider. */
  hasFailed({ provider }: C): boolean {
    return this.#failedProviders?.has(provider.id) ?? false
  }

  /** To the end. */
  putOff(contender: C, why: PassedOver): void {
    ;(this.#later ??= []).push({ contender, why })
    ;(this.#wasPutOff ??= new Set()).add(contender)
  }

  /** True if there is anyone else to ask first. Nobody is put off twice, so that the line ends. */
  canPutOff(contender: C): boolean {
    return !this.isEmpty && !this.#wasPutOff?.has(contender)
  }

  /** Call when no other contender will be asked, because one has answered. Returns those that were put off, or would have been. */
  close(): readonly PutOff<C>[] {
    if (this.#prospects.circuits.allHealthy && !this.#later && !this.#failedProviders) {
      this.#next = this.#contenders.length
      return none
    }
    const { later, next } = this.#clear()
    const left = next.map(contender => ({ contender, why: this.#whyNot(contender) }))
    return [...later, ...left.filter((each): each is PutOff<C> => each.why !== undefined)]
  }

  /** Call when no attempt is left. Returns the contenders that this leaves out. */
  cut(): readonly PutOff<C>[] {
    const { later, next } = this.#clear()
    return [...next, ...later.map(({ contender }) => contender)].map(contender => ({ contender, why: 'attempt-limit' }))
  }

  #whyNot(contender: C): PassedOver | undefined {
    if (this.hasFailed(contender)) return 'provider'
    const { circuits, owner } = this.#prospects
    return this.#prospects.isRefused(contender) || circuits.isOpen(contender.endpoint, owner) ? 'circuit' : undefined
  }

  #takeLater(): C | undefined {
    if (!this.#later) return undefined
    const other = this.#later.findIndex(({ contender }) => !this.hasFailed(contender))
    return this.#later.splice(Math.max(0, other), 1)[0]?.contender
  }

  #clear(): { readonly later: readonly PutOff<C>[]; readonly next: readonly C[] } {
    const cleared = { later: this.#later ?? none, next: this.#contenders.slice(this.#next) }
    this.#later = undefined
    this.#next = this.#contenders.length
    return cleared
  }
}

const none: readonly never[] = []
