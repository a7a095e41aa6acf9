import type { EndedAttempt } from '../../../core/kit.ts'
import type { TokenUsage } from '../../../core/index.ts'
import type { Cell, HistogramCell } from './cells.ts'
import type { Families } from './families.ts'
import { other } from './label-values.ts'

export interface EndpointRoom {
  /** How many providers and how many models may have series. */
  readonly max: number
  /** Called when a name finds no room. */
  full(label: 'provider' | 'model'): void
}

interface ProviderCells {
  readonly provider: string
  readonly models: Map<string, EndpointCells>
  other: EndpointCells | undefined
}

/** The series of each endpoint. What finds no room is `other`. */
export class Endpoints {
  readonly #families: Families
  readonly #room: EndpointRoom
  readonly #providers = new Map<string, ProviderCells>()
  readonly #others: ProviderCells = { provider: other, models: new Map(), other: undefined }
  #models = 0

  constructor(families: Families, room: EndpointRoom) {
    this.#families = families
    this.#room = room
  }

  /** `model`: null if no catalog lists it. */
  of(provider: string | null, model: string | null): EndpointCells {
    const at = provider === null ? this.#others : (this.#providers.get(provider) ?? this.#added(provider))
    return (model === null ? undefined : (at.models.get(model) ?? this.#addedTo(at, model))) ?? this.#otherOf(at)
  }

  all(): readonly EndpointCells[] {
    return [...this.#providers.values(), this.#others].flatMap(({ models, other }) => [...models.values(), ...(other ? [other] : [])])
  }

  /** A provider or a model that is called `other` shares the series of all others. */
  #added(provider: string): ProviderCells {
    if (provider === other) return this.#others
    if (this.#providers.size >= this.#room.max) {
      this.#room.full('provider')
      return this.#others
    }
    const added = { provider, models: new Map(), other: undefined }
    this.#providers.set(provider, added)
    return added
  }

  #addedTo({ provider, models }: ProviderCells, model: string): EndpointCells | undefined {
    if (provider === other || model === other) return undefined
    if (this.#models >= this.#room.max) {
      this.#room.full('model')
      return undefined
    }
    this.#models++
    const added = new EndpointCells(this.#families, provider, model)
    models.set(model, added)
    return added
  }

  #otherOf(at: ProviderCells): EndpointCells {
    return (at.other ??= new EndpointCells(this.#families, at.provider, other))
  }
}

/** The series of one endpoint. */
export class EndpointCells {
  readonly provider: string
  readonly model: string
  readonly #families: Families
  readonly #failovers: Cell
  readonly #outcomes = new Map<string, Cell>()
  readonly #duration: HistogramCell
  readonly #firstEvent: HistogramCell
  readonly #queued: Cell
  readonly #tokens: TokenCells
  readonly #cost: Cell
  readonly #unpriced: Cell

  constructor(families: Families, provider: string, model: string) {
    this.provider = provider
    this.model = model
    this.#families = families
    this.#failovers = families.failovers.cell(provider)
    this.#duration = families.attemptDuration.cell(provider, model)
    this.#firstEvent = families.attemptFirstEvent.cell(provider, model)
    this.#queued = families.queueWait.cell(provider)
    this.#tokens = new TokenCells(kind => families.tokens.cell(provider, model, kind))
    this.#cost = families.cost.cell(provider, model)
    this.#unpriced = families.unpriced.cell(provider, model)
  }

  /** Another endpoint was asked after this one. */
  failedOver(): void {
    this.#failovers.value++
  }

  /** One function for all attempts, because each call would make one otherwise. */
  readonly ended = ({ outcome, elapsedMs, firstEventMs, queuedMs }: EndedAttempt): void => {
    let cell = this.#outcomes.get(outcome)
    if (!cell) this.#outcomes.set(outcome, (cell = this.#families.attempts.cell(this.provider, this.model, outcome)))
    cell.value++
    this.#duration.observe(elapsedMs / 1000)
    if (firstEventMs !== null) this.#firstEvent.observe(firstEventMs / 1000)
    if (queuedMs > 0) this.#queued.value += queuedMs / 1000
  }

  used(usage: TokenUsage, costUsd: number | null): void {
    this.#tokens.add(usage)
    if (costUsd === null) this.#unpriced.value++
    else if (costUsd > 0) this.#cost.value += costUsd
  }
}

/** Tokens by kind. No token is of two kinds. */
export class TokenCells {
  readonly #uncached: Cell
  readonly #cached: Cell
  readonly #cacheWrite: Cell
  readonly #output: Cell
  readonly #reasoning: Cell

  constructor(cellOf: (kind: string) => Cell) {
    this.#uncached = cellOf('uncached_input')
    this.#cached = cellOf('cached_input')
    this.#cacheWrite = cellOf('cache_write')
    this.#output = cellOf('output')
    this.#reasoning = cellOf('reasoning')
  }

  add({ uncachedInput, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning }: TokenUsage): void {
    this.#uncached.value += uncachedInput
    this.#cached.value += cacheRead
    this.#cacheWrite.value += cacheWrite5m + cacheWrite1h
    this.#output.value += output - reasoning
    this.#reasoning.value += reasoning
  }
}
