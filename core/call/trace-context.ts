import type { TraceContext } from '../contracts/call-observer.ts'

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ofVersion00 = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
/** Longer than that of any version, and short enough to look at. */
const maxLength = 512

/** Reads a header `traceparent`. Null unless it is valid: https://www.w3.org/TR/trace-context/#traceparent-header. */
export function traceContext(header: string | null | undefined): TraceContext | null {
  if (!header || header.length > maxLength) return null
  const [, version, traceId, spanId, flags, rest] = form.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return null
  if (isZero(traceId!) || isZero(spanId!)) return null
  return Object.freeze({ traceId: traceId!, spanId: spanId!, isSampled: (Number.parseInt(flags!, 16) & 1) === 1 })
}

/** True if a header of this value may be sent. */
export function isTraceparent(value: unknown): value is string {
  return typeof value === 'string' && ofVersion00.test(value)
}

function isZero(id: string): boolean {
  return /^0+$/.test(id)
}
