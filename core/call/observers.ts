import type { CallKind } from '../contracts/call-wrapper.ts'
import type { ClosedRequest } from '../contracts/call-observer.ts'
import { Catalog, type Model } from '../contracts/catalog.ts'
import type { OpenRecord, RequestRecord } from '../contracts/log-sink.ts'
import { policyFields, type Policy, type PolicyField } from '../contracts/policy.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { Clock } from '../foundation/clock.ts'
import { reasonOfStatus } from '../foundation/failure-reason.ts'
import { Logger } from '../foundation/logger.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { CallObservers } from '../framework/extension-points.ts'
import { RecordQueue, type RecordWatch } from '../records/queue.ts'
import { LoadedObserver, type Observing } from './loaded-observer.ts'
import { Observed } from './observed.ts'
import { shownModel } from './shown-model.ts'
import { traceContext } from './trace-context.ts'

const dependencies = { registry: CallObservers, log: Logger, clock: Clock, catalog: Catalog, records: RecordQueue }

/** Callers may make up any number of names. */
const maxKnown = 1_000

/** The observers that plugins added. */
export class Observers implements RecordWatch {
  readonly #loaded: readonly LoadedObserver[]
  readonly #clock: Clock
  readonly #catalog: Catalog
  #models: readonly Model[] | undefined
  readonly #listed = new Map<string, boolean>()

  static {
    wire(this, dependencies)
  }

  constructor({ registry, log, clock, catalog, records }: Dependencies<typeof dependencies>) {
    this.#loaded = registry.values().map(observer => new LoadedObserver(observer, registry.pluginOf(observer.name)!, log))
    this.#clock = clock
    this.#catalog = catalog
    if (!this.isEmpty) records.watch = this
  }

  /** Requests pay nothing for them. */
  get isEmpty(): boolean {
    return this.#loaded.length === 0
  }

  /** Tells them of a call that begins. Its record has the result. */
  begin(scope: RequestScope, kind: CallKind): Observed {
    const { id, caller, record } = scope
    const { key, policy } = caller
    const showsNames = policy.logging.value
    const trace = traceContext(scope.traceparent)
    const call = Object.freeze({
      id,
      kind,
      surface: record.surface,
      at: record.at,
      keyId: key.id,
      org: key.org ?? null,
      team: key.team ?? null,
      stream: record.stream,
      trace,
      session: record.session,
      requestedModel: showsNames || kind === 'decision' || this.#isListed(record.requestedModel) ? record.requestedModel : null,
    })
    const observing: Observing[] = []
    for (const by of this.#loaded) {
      const observation = by.begin(call, record.observed?.observationBy(by.observer))
      if (observation) observing.push({ by, observation })
    }
    const observed = new Observed(observing, { record, trace, clock: this.#clock, showsNames })
    record.observed = observed
    return observed
  }

  /** Tells them of a request that is over. */
  closed(record: RequestRecord, open: OpenRecord, scope: Pick<RequestScope, 'traceparent'>): void {
    const { id, at, elapsedMs, surface, method, status, errorCode, keyId, org, team, provider, stream, attempts, usage, costUsd } = record
    const { observed } = open
    const shown = shownModel(record, record.policy?.logging.value === true)
    const request: ClosedRequest = Object.freeze({
      id,
      at,
      elapsedMs,
      firstEventMs: record.firstEventMs,
      kind: record.kind as CallKind | null,
      surface,
      method,
      trace: observed ? observed.trace : traceContext(scope.traceparent),
      status,
      errorCode,
      reason: open.reason ?? reasonOfStatus(status) ?? null,
      keyId,
      org,
      team,
      provider,
      model: shown.model,
      isListed: shown.isListed,
      stream,
      attempts: attempts.length,
      usage,
      costUsd,
      policy: record.policy && flagsOf(record.policy),
    })
    for (const by of this.#loaded) by.closed(request, observed?.observationBy(by.observer))
  }

  /** The record keeps the name of a decision's model only if it may. Names come again and again, and a lookup makes two new texts. */
  #isListed(name: string | null): boolean {
    if (name === null || name === 'auto') return true
    const models = this.#catalog.models()
    if (models !== this.#models) {
      this.#models = models
      this.#listed.clear()
    }
    let isListed = this.#listed.get(name)
    if (isListed === undefined) {
      isListed = this.#lists(name)
      if (this.#listed.size < maxKnown) this.#listed.set(name, isListed)
    }
    return isListed
  }

  #lists(name: string): boolean {
    const slash = name.indexOf('/')
    return this.#catalog.resolve(name) !== undefined || this.#catalog.endpoint(name.slice(0, slash), name.slice(slash + 1)) !== undefined
  }
}

/** Requests of one key share the policy. */
function flagsOf(policy: Policy): Readonly<Record<PolicyField, boolean>> {
  let flags = knownFlags.get(policy)
  if (!flags) {
    flags = Object.freeze(Object.fromEntries(policyFields.map(field => [field, policy[field].value])) as Record<PolicyField, boolean>)
    knownFlags.set(policy, flags)
  }
  return flags
}

const knownFlags = new WeakMap<Policy, Readonly<Record<PolicyField, boolean>>>()
