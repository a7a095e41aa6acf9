import type {
  AttemptObservation,
  BegunAttempt,
  BegunCall,
  BegunTool,
  CallObservation,
  EndedAttempt,
  EndedTool,
  GuardLook,
  MadePlan,
} from '../../../core/kit.ts'
import type { EndpointMeters } from './meters.ts'
import { names } from './names.ts'
import { closeSpan, nameSpan, openSpan, spanAttributes, spanKinds, traceField, type Span } from './span.ts'
import type { Telemetry } from './telemetry.ts'
import { inputOf } from './tokens.ts'
import { newSpanId, newTraceId } from './trace-ids.ts'

/** Outcomes of attempts that are no errors of the endpoint: it answered, nobody waits for it any more, or another one was faster. */
const harmless: ReadonlySet<string> = new Set(['ok', 'left', 'outrun'])

/** The trace of one request, and the spans below that of the request itself. */
export class RequestTrace implements CallObservation {
  readonly traceId: string
  readonly spanId = newSpanId()
  readonly parentId: string | undefined
  readonly isSampled: boolean
  readonly #call: BegunCall | undefined
  readonly #telemetry: Telemetry
  #field: Uint8Array | undefined

  /** `call`: undefined for a request that never became one. */
  constructor(telemetry: Telemetry, { trace, at }: Pick<BegunCall, 'trace' | 'at'>, call?: BegunCall) {
    this.#telemetry = telemetry
    this.#call = call
    this.traceId = trace?.traceId ?? newTraceId()
    this.parentId = trace?.spanId
    this.isSampled = telemetry.sampling.keeps(this.traceId, trace, at)
  }

  /** For its spans. */
  get field(): Uint8Array {
    return (this.#field ??= traceField(this.traceId))
  }

  get session(): string | null {
    return this.#call?.session ?? null
  }

  attempt(begun: BegunAttempt): AttemptObservation {
    return new AttemptTrace(this.#telemetry, this, this.#call!, begun)
  }

  planned({ at, elapsedMs, candidates, sort }: MadePlan): void {
    this.#internal('plan', { at, elapsedMs, isFailed: false }, writer => {
      names.candidates.integer(writer, spanAttributes, candidates)
      // A caller may name any sort of a pattern.
      if (sort !== null && /^[a-z\d_.]{1,40}$/.test(sort)) names.sort.text(writer, spanAttributes, sort)
    })
  }

  guarded(look: GuardLook): void {
    this.#telemetry.meters.guarded(look)
    const { at, elapsedMs, guardrail, stage, outcome } = look
    this.#internal(`guardrail ${guardrail}`, { at, elapsedMs, isFailed: outcome === 'failed' }, writer => {
      names.guardrail.text(writer, spanAttributes, guardrail)
      names.stage.text(writer, spanAttributes, stage)
      names.outcome.text(writer, spanAttributes, outcome)
      if (outcome === 'failed') names.errorType.text(writer, spanAttributes, '_OTHER')
    })
  }

  tool({ at, type }: BegunTool): (ended: EndedTool) => void {
    return ended => {
      this.#telemetry.meters.ranTool(type, ended)
      this.#internal(`execute_tool ${type}`, { at, elapsedMs: ended.elapsedMs, isFailed: ended.isFailed }, writer => {
        names.operation.text(writer, spanAttributes, 'execute_tool')
        names.tool.text(writer, spanAttributes, type)
        if (ended.isFailed) names.errorType.text(writer, spanAttributes, '_OTHER')
      })
    }
  }

  #internal(
    name: string,
    { at, elapsedMs, isFailed }: Pick<Span, 'at' | 'elapsedMs' | 'isFailed'>,
    attributes: (writer: SpanWriter) => void,
  ): void {
    const outbox = this.isSampled ? this.#telemetry.traces : undefined
    const writer = outbox?.open()
    if (!writer) return
    const { field: trace, spanId: parentId } = this
    const start = openSpan(writer, { trace, spanId: newSpanId(), parentId, at, elapsedMs, isFailed })
    nameSpan(writer, name, spanKinds.internal)
    attributes(writer)
    closeSpan(writer, start)
    outbox!.added()
  }
}

type SpanWriter = Parameters<typeof openSpan>[0]

/** One attempt: a call of a model, in the words of the conventions. */
class AttemptTrace implements AttemptObservation {
  readonly traceparent: string | undefined
  readonly #telemetry: Telemetry
  readonly #request: RequestTrace
  readonly #call: BegunCall
  readonly #begun: BegunAttempt
  readonly #spanId: string

  constructor(telemetry: Telemetry, request: RequestTrace, call: BegunCall, begun: BegunAttempt) {
    this.#telemetry = telemetry
    this.#request = request
    this.#call = call
    this.#begun = begun
    this.#spanId = newSpanId()
    if (telemetry.propagates) this.traceparent = `00-${request.traceId}-${this.#spanId}-${request.isSampled ? '01' : '00'}`
  }

  end(ended: EndedAttempt): void {
    const { provider, model, isListed } = this.#begun
    const { kind, stream } = this.#call
    const errorType = harmless.has(ended.outcome) ? undefined : ended.outcome
    const endpoint = this.#telemetry.meters.endpoint(kind, provider, isListed ? model : null)
    endpoint.ended(ended, stream, errorType)
    if (this.#request.isSampled) this.#write(ended, errorType, endpoint)
  }

  #write(ended: EndedAttempt, errorType: string | undefined, endpoint: EndpointMeters): void {
    const { traces: outbox } = this.#telemetry
    const writer = outbox?.open()
    if (!writer) return
    const { at, model, isListed, role } = this.#begun
    const { stream } = this.#call
    const { field: trace, spanId: parentId, session } = this.#request
    const isFailed = errorType !== undefined
    const start = openSpan(writer, { trace, spanId: this.#spanId, parentId, at, elapsedMs: ended.elapsedMs, isFailed })
    const field = spanAttributes
    writer.raw(endpoint.spanFacts)
    // More models than can be told apart share an endpoint.
    if (isListed && model !== null && endpoint.model === null) names.model.text(writer, field, model)
    if (session !== null) names.conversation.text(writer, field, session)
    if (stream) {
      names.isStream.flag(writer, field, true)
      if (ended.firstEventMs !== null) names.timeToFirstChunk.double(writer, field, ended.firstEventMs / 1_000)
    }
    names.outcome.text(writer, field, ended.outcome)
    if (role !== 'only') names.role.text(writer, field, role)
    if (ended.queuedMs > 0) names.queuedMs.double(writer, field, ended.queuedMs)
    if (errorType !== undefined) names.errorType.text(writer, field, errorType)
    if (ended.status !== null) names.vendorStatus.integer(writer, field, ended.status)
    const { usage, costUsd } = ended
    if (usage) {
      names.inputTokens.integer(writer, field, inputOf(usage))
      names.outputTokens.integer(writer, field, usage.output)
      if (usage.cacheRead > 0) names.cacheReadTokens.integer(writer, field, usage.cacheRead)
      const written = usage.cacheWrite5m + usage.cacheWrite1h
      if (written > 0) this.#telemetry.cacheWriteTokens.integer(writer, field, written)
      if (usage.reasoning > 0) names.reasoningTokens.integer(writer, field, usage.reasoning)
    }
    if (costUsd !== null) names.costUsd.double(writer, field, costUsd)
    closeSpan(writer, start)
    outbox!.added()
  }
}
