import type { UpstreamHeaders } from '../contracts/adapter.ts'

/** How long to wait before a retry: from `retry-after-ms`, else from `retry-after`, in seconds or as a date. */
export function retryAfterMs(headers: UpstreamHeaders): number | undefined {
  const milliseconds = numberIn(headers['retry-after-ms'])
  // Azure says none here, and a second there.
  if (milliseconds) return bounded(milliseconds)
  const after = headers['retry-after'] ?? ''
  const seconds = numberIn(after)
  if (seconds !== undefined) return bounded(seconds * 1000)
  // A date counts from the vendor's own clock.
  const wait = Date.parse(after) - Date.parse(headers['date'] ?? '')
  return Number.isNaN(wait) ? undefined : bounded(wait)
}

/** Whoever asks for more than a day means something else. */
function bounded(milliseconds: number): number {
  return Math.min(Math.max(0, Math.ceil(milliseconds)), 86_400_000)
}

function numberIn(value = ''): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}
