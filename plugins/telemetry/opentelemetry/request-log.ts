import type { ClosedRequest } from '../../../core/kit.ts'
import { names } from './names.ts'
import type { Outbox } from './outbox.ts'
import { methodOf, RequestFacts } from './request-facts.ts'
import type { RequestTrace } from './request-trace.ts'
import { writeAny } from './wire/attribute.ts'
import { itemField } from './wire/envelope.ts'
import type { Writer } from './wire/writer.ts'

// opentelemetry/proto/logs/v1/logs.proto
const timeField = 1
const severityField = 2
const severityTextField = 3
const bodyField = 5
/** The number of `LogRecord.attributes`. */
export const logAttributes = 6
const flagsField = 8
const traceField = 9
const spanField = 10
const observedField = 11
const eventField = 12

const info = [9, 'INFO'] as const
const warning = [13, 'WARN'] as const
const error = [17, 'ERROR'] as const

/** Begins a log record that belongs to the span of a request. Returns what to give to `Writer.close`. */
export function openLog(
  writer: Writer,
  { traceId, spanId, isSampled }: Pick<RequestTrace, 'traceId' | 'spanId' | 'isSampled'>,
  {
    at,
    event,
    severity: [number, text],
  }: { readonly at: number; readonly event: string; readonly severity: typeof info | typeof warning | typeof error },
): number {
  const start = writer.open(itemField)
  writer.time(timeField, at)
  writer.time(observedField, at)
  writer.number(severityField, number)
  writer.text(severityTextField, text)
  writer.text(eventField, event)
  writer.fixed32(flagsField, isSampled ? 1 : 0)
  writer.hex(traceField, traceId)
  writer.hex(spanField, spanId)
  return start
}

/** The log records of finished requests, without content. */
export class RequestLog {
  readonly #facts: RequestFacts
  readonly #isOfAll: boolean

  constructor(withAccounts: boolean, isOfAll: boolean) {
    this.#facts = new RequestFacts(logAttributes, withAccounts, writeBody)
    this.#isOfAll = isOfAll
  }

  write(outbox: Outbox, request: ClosedRequest, trace: RequestTrace): void {
    const { at, elapsedMs, status, errorCode } = request
    const severity = status >= 500 || (status < 400 && errorCode !== null) ? error : status >= 400 ? warning : info
    if (severity === info && !this.#isOfAll) return
    const writer = outbox.open()
    if (!writer) return
    const start = openLog(writer, trace, { at: at + elapsedMs, event: 'turnpike.request', severity })
    this.#facts.write(writer, request, trace.session)
    names.durationMs.double(writer, logAttributes, elapsedMs)
    writer.close(start)
    outbox.added()
  }
}

function writeBody(writer: Writer, request: ClosedRequest): void {
  const { surface, status } = request
  writeAny(writer, bodyField, `${methodOf(request)}${surface === null ? '' : ` ${surface}`} ${status}`)
}

export { info }
