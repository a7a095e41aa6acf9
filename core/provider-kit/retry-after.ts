import type { UpstreamHeaders } from '../contracts/adapter.ts'

/** How long to wait before a retry: from `retry-after-ms`, else from `retry-after`, in seconds or as a date. */
export function retryAfterMs(headers: UpstreamHeaders): number | undefined {
  const milliseconds = numberIn(headers['retry-after-ms'])
  // Azure may send 0 in this header and one second in the other.
  if (milliseconds) return bounded(milliseconds)
  const after = headers['retry-after'] ?? ''
  // A proxy joins its own value and the vendor's.
  const seconds = after.split(',').map(numberIn)
  if (seconds.every(each => each !== undefined)) return bounded(Math.max(...seconds) * 1000)
  // Date.parse takes nearly any text with a digit for a date. A date counts from the vendor's own clock.
  const wait = /[a-z]{3}.*:/i.test(after) ? Date.parse(after) - Date.parse(headers['date'] ?? '') : Number.NaN
  return Number.isNaN(wait) ? undefined : bounded(wait)
}

/** A vendor that asks for more than a day means something else. */
function bounded(milliseconds: number): number {
  return Math.min(Math.max(0, Math.ceil(milliseconds)), 86_400_000)
}

function numberIn(value = ''): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}
