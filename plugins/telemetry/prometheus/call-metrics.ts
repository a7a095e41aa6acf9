import type { CallObserver } from '../../../core/index.ts'
import type { BegunAttempt, CallObservation, ClosedRequest, GuardLook } from '../../../core/kit.ts'
import type { Cell, HistogramCell } from './cells.ts'
import type { EndpointCells, Endpoints } from './endpoints.ts'
import type { Families } from './families.ts'
import { LabelValues, other } from './label-values.ts'
import type { OwnerCells } from './owner-cells.ts'
import { statusClasses, statusClassOf } from './status-class.ts'

const none = 'none'
/** Surfaces, codes and guardrails are those of plugins, so there are few. A plugin that makes up many costs no memory. */
const maxWords = 200
const isCode = /^[a-z][a-z0-9_]{0,63}$/

interface RequestCells {
  readonly statuses: readonly Cell[]
  readonly duration: HistogramCell
  readonly firstEvent: HistogramCell
}

/** The reasons of refusals by the gateway itself. */
const refusals: ReadonlySet<string> = new Set(['permission', 'policy', 'guardrail', 'limit', 'concurrency', 'cap', 'credit', 'overload'])

/** Those that belong to a level. */
const byLevel = ['limit', 'concurrency', 'cap', 'credit'] as const
const levels = ['org', 'team', 'user', 'key'] as const

/** Counts requests and their attempts. */
export class CallMetrics implements CallObserver {
  readonly name = 'prometheus'
  readonly #families: Families
  readonly #endpoints: Endpoints
  readonly #owners: readonly OwnerCells[]
  readonly #surfaces = new LabelValues(maxWords)
  readonly #codes = new LabelValues(maxWords)
  readonly #guardrails = new LabelValues(maxWords)
  readonly #requests = new Map<string | null, Map<string | null, RequestCells>>()

  constructor(families: Families, endpoints: Endpoints, owners: readonly OwnerCells[]) {
    this.#families = families
    this.#endpoints = endpoints
    this.#owners = owners
    // Prometheus sees no increase in a series that begins with 1.
    for (const reason of byLevel) for (const level of levels) families.refusals.cell(reason, level)
  }

  begin(): CallObservation {
    return new FollowedCall(this.#endpoints, this)
  }

  closed(request: ClosedRequest): void {
    const { surface, kind, status, elapsedMs, firstEventMs, usage, costUsd } = request
    const { statuses, duration, firstEvent } = this.#requests.get(surface)?.get(kind) ?? this.#added(surface, kind)
    statuses[statusClassOf(status)]!.value++
    duration.observe(elapsedMs / 1000)
    if (firstEventMs !== null) firstEvent.observe(firstEventMs / 1000)
    if (usage) this.#endpoints.of(request.provider, request.isListed ? request.model : null).used(usage, costUsd)
    if (request.errorCode !== null || request.reason) this.#failed(request)
    for (const owner of this.#owners) owner.closed(request)
  }

  guarded({ guardrail, stage, outcome }: GuardLook): void {
    this.#families.guardrails.cell(this.#guardrails.of(guardrail), stage, outcome).value++
  }

  #failed({ surface, errorCode, reason }: ClosedRequest): void {
    this.#families.errors.cell(this.#surfaceOf(surface), reason?.kind ?? none, this.#codeOf(errorCode)).value++
    if (reason && refusals.has(reason.kind)) this.#families.refusals.cell(reason.kind, reason.level ?? none).value++
  }

  /** Plugins set codes, too. */
  #codeOf(code: string | null): string {
    if (code === null) return none
    return isCode.test(code) ? this.#codes.of(code) : other
  }

  #surfaceOf(surface: string | null): string {
    return surface === null ? none : this.#surfaces.of(surface)
  }

  #added(surface: string | null, kind: string | null): RequestCells {
    const { requests, requestDuration, requestFirstEvent } = this.#families
    const label = this.#surfaceOf(surface)
    const labels = [label, kind ?? none]
    const cells = {
      statuses: statusClasses.map(status => requests.cell(...labels, status)),
      duration: requestDuration.cell(...labels),
      firstEvent: requestFirstEvent.cell(...labels),
    }
    if (label === other) return cells
    let kinds = this.#requests.get(surface)
    if (!kinds) this.#requests.set(surface, (kinds = new Map()))
    kinds.set(kind, cells)
    return cells
  }
}

/** One call, whose attempts may be at one endpoint after the other. */
class FollowedCall implements CallObservation {
  readonly #endpoints: Endpoints
  readonly #metrics: CallMetrics
  #provider: string | undefined
  #model: string | null = null
  #last: EndpointCells | undefined

  constructor(endpoints: Endpoints, metrics: CallMetrics) {
    this.#endpoints = endpoints
    this.#metrics = metrics
  }

  attempt({ provider, model, isListed, role }: BegunAttempt): ReturnType<NonNullable<CallObservation['attempt']>> {
    const cells = this.#endpoints.of(provider, isListed ? model : null)
    // The second endpoint of a hedged request is asked before the first one has failed.
    if (role === 'hedge') return cells.ended
    if (this.#provider !== undefined && (provider !== this.#provider || model !== this.#model)) this.#last!.failedOver()
    this.#provider = provider
    this.#model = model
    this.#last = cells
    return cells.ended
  }

  guarded(look: GuardLook): void {
    this.#metrics.guarded(look)
  }
}
