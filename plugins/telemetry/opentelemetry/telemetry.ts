import type { CallObserver } from '../../../core/index.ts'
import type { BegunCall, ClosedRequest } from '../../../core/kit.ts'
import type { Meters } from './meters.ts'
import type { Outbox } from './outbox.ts'
import { writeLog } from './request-log.ts'
import { methodOf, writeRequest } from './request-facts.ts'
import { RequestTrace } from './request-trace.ts'
import type { Sampling } from './sampling.ts'
import { closeSpan, openSpan, spanAttributes, spanKinds } from './span.ts'
import { Attribute } from './wire/attribute.ts'

export interface TelemetryParts {
  readonly sampling: Sampling
  readonly meters: Meters
  /** Undefined if these signals are off. */
  readonly traces: Outbox | undefined
  readonly logs: Outbox | undefined
  /** Vendors get a `traceparent`. */
  readonly propagates: boolean
  /** Spans and log records name the key, the organization and the team. */
  readonly accounts: boolean
  /** Told of the traces of finished requests, if content may follow. */
  readonly finished: ((id: string, trace: RequestTrace) => void) | undefined
}

/** More requests are hardly ever open at once. Whoever opens a request and never ends it must not fill the memory. */
const maxOpen = 100_000

/** Makes spans, metrics and log records of what it observes. */
export class Telemetry implements Pick<CallObserver, 'begin' | 'closed'> {
  readonly sampling: Sampling
  readonly meters: Meters
  readonly traces: Outbox | undefined
  readonly propagates: boolean
  readonly cacheWriteTokens: Attribute
  readonly #parts: TelemetryParts
  readonly #open = new Map<string, RequestTrace>()

  constructor(parts: TelemetryParts) {
    this.#parts = parts
    this.sampling = parts.sampling
    this.meters = parts.meters
    this.traces = parts.traces
    this.propagates = parts.propagates
    this.cacheWriteTokens = new Attribute(parts.meters.conventions.cacheWriteTokens)
  }

  begin(call: BegunCall): RequestTrace {
    // A route may make several calls in one request.
    const known = this.#open.get(call.id)
    if (known) return known
    const trace = new RequestTrace(this, call.trace, call)
    if (this.#open.size >= maxOpen) this.#open.delete(this.#open.keys().next().value!)
    this.#open.set(call.id, trace)
    return trace
  }

  closed(request: ClosedRequest): void {
    const { logs, accounts, finished } = this.#parts
    const trace = this.#open.get(request.id) ?? new RequestTrace(this, request.trace)
    this.#open.delete(request.id)
    this.meters.request(request)
    if (trace.isSampled) this.#writeSpan(request, trace)
    const writer = logs?.open()
    if (writer) {
      writeLog(writer, request, trace, accounts)
      logs!.added()
    }
    if (trace.isSampled) finished?.(request.id, trace)
  }

  #writeSpan(request: ClosedRequest, trace: RequestTrace): void {
    const outbox = this.traces
    const writer = outbox?.open()
    if (!writer) return
    const { traceId, spanId, parentId, session } = trace
    const { at, elapsedMs, surface, status, errorCode } = request
    const method = methodOf(request)
    const start = openSpan(writer, {
      traceId,
      spanId,
      parentId,
      hasRemoteParent: parentId !== undefined,
      name: surface === null ? method : `${method} ${surface}`,
      kind: spanKinds.server,
      at,
      elapsedMs,
      // A stream that broke off has status 200 and an error.
      isFailed: status >= 500 || (status < 400 && errorCode !== null),
    })
    writeRequest(writer, spanAttributes, request, this.#parts.accounts, session)
    closeSpan(writer, start)
    outbox!.added()
  }
}
