import { itemField } from './wire/envelope.ts'
import { writeDigits, type Writer } from './wire/writer.ts'

// opentelemetry/proto/trace/v1/trace.proto
const traceIdField = 1
const spanIdField = 2
const parentField = 4
const nameField = 5
const kindField = 6
const startField = 7
const endField = 8
/** The number of `Span.attributes`. */
export const spanAttributes = 9
const statusField = 15
const flagsField = 16
const statusCode = 3
const failed = 2
const isSampled = 0x01
const knowsRemote = 0x100
const isRemote = 0x200

export const spanKinds = { internal: 1, server: 2, client: 3 } as const

export interface Span {
  /** The field of the trace id, as `traceField` encodes it for all spans of a trace. */
  readonly trace: Uint8Array
  readonly spanId: string
  readonly parentId: string | undefined
  /** The parent is a span of the caller. */
  readonly hasRemoteParent?: boolean
  readonly at: number
  readonly elapsedMs: number
  readonly isFailed: boolean
}

export function traceField(traceId: string): Uint8Array {
  const bytes = new Uint8Array(18)
  bytes[0] = traceIdField * 8 + 2
  bytes[1] = 16
  writeDigits(bytes, 2, traceId)
  return bytes
}

/** Writes a span but for its name, its kind and its attributes. Returns what to give to `closeSpan` once these are written. */
export function openSpan(writer: Writer, span: Span): number {
  const start = writer.open(itemField)
  writer.raw(span.trace)
  writer.hex(spanIdField, span.spanId)
  if (span.parentId !== undefined) writer.hex(parentField, span.parentId)
  writer.time(startField, span.at)
  writer.time(endField, span.at + Math.max(0, span.elapsedMs))
  if (span.isFailed) {
    const status = writer.open(statusField)
    writer.number(statusCode, failed)
    writer.close(status)
  }
  writer.fixed32(flagsField, isSampled | knowsRemote | (span.hasRemoteParent ? isRemote : 0))
  return start
}

export function nameSpan(writer: Writer, name: string, kind: (typeof spanKinds)[keyof typeof spanKinds]): void {
  writer.text(nameField, name)
  writer.number(kindField, kind)
}

export function closeSpan(writer: Writer, start: number): void {
  writer.close(start)
}
