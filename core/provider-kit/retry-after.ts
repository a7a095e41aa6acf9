import type { UpstreamHeaders } from '../contracts/adapter.ts'

/** How long to wait before a retry: from `retry-after-ms`, else from `retry-after`, in seconds or as a date. */
export function retryAfterMs(headers: UpstreamHeaders): number | undefined {
  const milliseconds = numberIn(headers['retry-after-ms'])
  // Azure sends 0 here and a second in `retry-after`.
  if (milliseconds) return Math.ceil(milliseconds)
  const after = headers['retry-after'] ?? ''
  const seconds = numberIn(after)
  if (seconds !== undefined) return Math.ceil(seconds * 1000)
  // A date is relative to the vendor's clock.
  const wait = Date.parse(after) - Date.parse(headers['date'] ?? '')
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

function numberIn(value = ''): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}
