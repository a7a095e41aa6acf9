import type { CallObserver } from '../../../core/index.ts'
import type { BegunCall, CallObservation, ClosedRequest } from '../../../core/kit.ts'
import type { Meters } from './meters.ts'
import type { Outbox } from './outbox.ts'
import { methodOf, RequestFacts } from './request-facts.ts'
import { RequestLog } from './request-log.ts'
import { RequestTrace } from './request-trace.ts'
import type { Sampling } from './sampling.ts'
import { closeSpan, nameSpan, openSpan, spanAttributes, spanKinds } from './span.ts'
import { Attribute } from './wire/attribute.ts'
import type { Writer } from './wire/writer.ts'

export interface TelemetryParts {
  readonly sampling: Sampling
  readonly meters: Meters
  /** Undefined if these signals are off. */
  readonly traces: Outbox | undefined
  readonly logs: Outbox | undefined
  /** Requests that succeeded have a log record, too. */
  readonly logsAll: boolean
  /** Vendors get a `traceparent`. */
  readonly propagates: boolean
  /** Spans and log records name the key, the organization and the team. */
  readonly accounts: boolean
  /** Told of the traces of finished requests, if content may follow. */
  readonly finished: ((id: string, trace: RequestTrace) => void) | undefined
}

/** Makes spans, metrics and log records of what it observes. */
export class Telemetry implements Pick<CallObserver, 'begin' | 'closed'> {
  readonly sampling: Sampling
  readonly meters: Meters
  readonly traces: Outbox | undefined
  readonly propagates: boolean
  readonly cacheWriteTokens: Attribute
  readonly #parts: TelemetryParts
  readonly #facts: RequestFacts
  readonly #requestLog: RequestLog

  constructor(parts: TelemetryParts) {
    this.#parts = parts
    this.#facts = new RequestFacts(spanAttributes, parts.accounts, nameOf)
    this.#requestLog = new RequestLog(parts.accounts, parts.logsAll)
    this.sampling = parts.sampling
    this.meters = parts.meters
    this.traces = parts.traces
    this.propagates = parts.propagates
    this.cacheWriteTokens = new Attribute(parts.meters.conventions.cacheWriteTokens)
  }

  begin(call: BegunCall, earlier: CallObservation | undefined): RequestTrace {
    return earlier instanceof RequestTrace ? earlier : new RequestTrace(this, call, call)
  }

  closed(request: ClosedRequest, observation: CallObservation | undefined): void {
    const { logs, finished } = this.#parts
    const trace = observation instanceof RequestTrace ? observation : new RequestTrace(this, request)
    this.meters.request(request)
    if (trace.isSampled) this.#writeSpan(request, trace)
    if (logs) this.#requestLog.write(logs, request, trace)
    if (trace.isSampled) finished?.(request.id, trace)
  }

  #writeSpan(request: ClosedRequest, trace: RequestTrace): void {
    const outbox = this.traces
    const writer = outbox?.open()
    if (!writer) return
    const { field, spanId, parentId } = trace
    const { at, elapsedMs, status, errorCode } = request
    // A stream that broke off has status 200 and an error.
    const isFailed = status >= 500 || (status < 400 && errorCode !== null)
    const start = openSpan(writer, { trace: field, spanId, parentId, hasRemoteParent: parentId !== undefined, at, elapsedMs, isFailed })
    this.#facts.write(writer, request, trace.session)
    closeSpan(writer, start)
    outbox!.added()
  }
}

function nameOf(writer: Writer, request: ClosedRequest): void {
  const method = methodOf(request)
  nameSpan(writer, request.surface === null ? method : `${method} ${request.surface}`, spanKinds.server)
}
