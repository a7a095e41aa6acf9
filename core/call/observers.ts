import type { CallKind } from '../contracts/call-wrapper.ts'
import type { ClosedRequest } from '../contracts/call-observer.ts'
import { Catalog } from '../contracts/catalog.ts'
import type { OpenRecord, RequestRecord } from '../contracts/log-sink.ts'
import { policyFields, type Policy, type PolicyField } from '../contracts/policy.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import { Clock } from '../foundation/clock.ts'
import { reasonOfStatus } from '../foundation/failure-reason.ts'
import { Logger } from '../foundation/logger.ts'
import { wire, type Dependencies } from '../framework/container.ts'
import { CallObservers } from '../framework/extension-points.ts'
import { RecordQueue, type RecordWatch } from '../records/queue.ts'
import { LoadedObserver } from './loaded-observer.ts'
import { Observed, type Observing } from './observed.ts'
import { shownModel } from './shown-model.ts'
import { traceContext } from './trace-context.ts'

const dependencies = { registry: CallObservers, log: Logger, clock: Clock, catalog: Catalog, records: RecordQueue }

/** The observers that plugins added. */
export class Observers implements RecordWatch {
  readonly #loaded: readonly LoadedObserver[]
  readonly #clock: Clock
  readonly #catalog: Catalog

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

  /** Tells them of a call that begins. */
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
      const observation = by.begin(call)
      if (observation) observing.push({ by, observation })
    }
    return new Observed(observing, { record, trace, clock: this.#clock, showsNames })
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
    for (const by of this.#loaded) by.closed(request)
  }

  /** The record keeps the name of a decision's model only if it may. */
  #isListed(name: string | null): boolean {
    if (name === null || name === 'auto') return true
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
