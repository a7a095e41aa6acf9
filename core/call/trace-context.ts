import type { TraceContext } from '../contracts/call-observer.ts'

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
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
  return (
    typeof value === 'string' &&
    value.length === 55 &&
    value.startsWith('00-') &&
    isId(value, 3, 35) &&
    value[35] === '-' &&
    isId(value, 36, 52) &&
    value[52] === '-' &&
    areDigits(value, 53, 55)
  )
}

function isId(text: string, start: number, end: number): boolean {
  return areDigits(text, start, end) && !(text[start] === '0' && isZero(text.slice(start, end)))
}

/** A loop, because every attempt is checked, and this takes a quarter of the time that a pattern does. */
function areDigits(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (!((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return false
  }
  return true
}

function isZero(id: string): boolean {
  return /^0+$/.test(id)
}
