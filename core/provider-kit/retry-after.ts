import type { UpstreamHeaders } from '../contracts/adapter.ts'

/** How long the vendor asks to be left alone: by `retry-after-ms`, else by `retry-after` in seconds or as a date. */
export function retryAfterMs(headers: UpstreamHeaders): number | undefined {
  const milliseconds = numberIn(headers['retry-after-ms'])
  // Azure says none here, and a second there.
  if (milliseconds) return Math.ceil(milliseconds)
  const after = headers['retry-after'] ?? ''
  const seconds = numberIn(after)
  if (seconds !== undefined) return Math.ceil(seconds * 1000)
  // A date counts from the vendor's own clock.
  const wait = Date.parse(after) - Date.parse(headers['date'] ?? '')
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

function numberIn(value = ''): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}
