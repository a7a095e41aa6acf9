import type { ObservedCall } from '../contracts/call-observer.ts'
import type { ApiKey } from '../contracts/key-store.ts'
import type { Clock } from '../foundation/clock.ts'
import type { TokenUsage } from '../contracts/events.ts'
import type { JsonObject } from '../foundation/json.ts'
import { ownerPath } from '../foundation/owner-path.ts'
import type { AttemptRecord, OpenRecord, RequestRecord, RoutingRecord } from '../contracts/log-sink.ts'
import type { Policy } from '../contracts/policy.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { Caller } from '../contracts/run-context.ts'
import type { FailureReason } from '../contracts/failure-reason.ts'
import type { GatewayError } from '../foundation/errors.ts'
import { reasonOfStatus } from '../foundation/failure-reason.ts'
import type { RecordQueue } from './queue.ts'
import { toldBy } from './told-error.ts'

/** The record of one request while it runs. Closed exactly once. */
export class RecordDraft implements OpenRecord {
  readonly #clock: Clock
  readonly #queue: RecordQueue
  readonly #id: string
  readonly #method: string
  readonly #path: string
  readonly surface: string | null
  readonly at: number
  readonly start: number
  #closed = false
  /** Known before the caller, whose policy may not be available. */
  key: ApiKey | undefined
  caller: Caller | undefined
  kind: string | null = null
  session: string | null = null
  answerId: string | null = null
  stream = false
  requestedModel: string | null = null
  model: string | null = null
  provider: string | null = null
  usage: TokenUsage | null = null
  costUsd: number | null = null
  heldUsd: number | null = null
  lostUsd = 0
  firstEventMs: number | null = null
  creditWaitMs: number | null = null
  routing: RoutingRecord | null = null
  observed: ObservedCall | undefined
  readonly attempts: AttemptRecord[] = []
  readonly notes: { kind: string; summary: JsonObject }[] = []
  #error: GatewayError | undefined
  #request: JsonObject | null = null
  #response: JsonObject | null = null
  #kept: Readonly<Record<string, JsonObject>> | undefined

  constructor(clock: Clock, queue: RecordQueue, id: string, surface: string | null, method: string, path: string) {
    this.#clock = clock
    this.#queue = queue
    this.#id = id
    this.surface = surface
    this.#method = method
    this.#path = path
    this.at = clock.now()
    this.start = clock.elapsed()
  }

  get errorCode(): string | null {
    return this.#error?.code ?? null
  }

  get reason(): FailureReason | null {
    return this.#error?.reason ?? null
  }

  failed(error: GatewayError, overrules = false): void {
    // A surface may have told the same error in its own words.
    if (overrules || this.#error === undefined || this.#error.code === error.code) this.#error = error
  }

  /** Keeps content only if the caller's policy has logging on. Otherwise it is dropped before anything could store it. */
  content(request: JsonObject | undefined, response: JsonObject | undefined): void {
    if (!this.caller?.policy.logging.value) return
    if (request) this.#request = request
    if (response) this.#response = response
  }

  keep(kind: string, content: JsonObject): void {
    if (this.caller?.policy.logging.value) this.#kept = { ...this.#kept, [kind]: content }
  }

  close(status: number, scope: Pick<RequestScope, 'traceparent'>): void {
    if (this.#closed) return
    this.#closed = true
    const record = this.#record(status)
    this.#queue.push(record)
    this.#queue.watch?.closed(record, this, scope)
  }

  #record(status: number): RequestRecord {
    const last = this.attempts.at(-1)
    const { key, usage } = this
    const reason = this.reason ?? reasonOfStatus(status)
    return {
      id: this.#id,
      answerId: this.answerId,
      at: this.at,
      method: this.#method,
      path: this.#path,
      status,
      elapsedMs: rounded(this.#clock.elapsed() - this.start),
      keyId: key?.id ?? null,
      org: key?.org ?? null,
      team: key?.team ?? null,
      user: key?.user ?? null,
      owner: this.caller?.owner ?? (key ? ownerPath(key) : null),
      stream: this.stream,
      requestedModel: this.requestedModel,
      model: this.model ?? last?.model ?? null,
      provider: this.provider ?? last?.provider ?? null,
      attempts: this.attempts,
      routing: this.routing,
      usage,
      costUsd: this.costUsd,
      heldUsd: this.heldUsd,
      errorCode: this.errorCode,
      ...(this.#error ? toldBy(this.#error, this.caller?.policy.logging.value === true) : nothingTold),
      reason: reason?.kind ?? null,
      reasonLevel: reason?.level ?? null,
      firstEventMs: this.firstEventMs === null ? null : rounded(this.firstEventMs),
      creditWaitMs: this.creditWaitMs === null ? null : rounded(this.creditWaitMs),
      inputTokens: usage && usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
      outputTokens: usage && usage.output,
      policy: this.caller ? withoutSettings(this.caller.policy) : null,
      kind: this.kind,
      surface: this.surface,
      session: this.session,
      notes: this.notes,
      request: this.#request,
      response: this.#response,
      ...(this.#kept && this.#request && { kept: this.#kept }),
    }
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

const nothingTold = { errorMessage: null, errorParam: null } as const

/** Settings may hold words that nobody else should read. Requests of one key share the policy. */
function withoutSettings(policy: Policy): Policy {
  let recorded = recordedPolicies.get(policy)
  if (!recorded) {
    const fields = Object.entries(policy).map(([field, { value, source }]) => [field, { value, source }])
    recordedPolicies.set(policy, (recorded = Object.fromEntries(fields) as unknown as Policy))
  }
  return recorded
}

const recordedPolicies = new WeakMap<Policy, Policy>()
