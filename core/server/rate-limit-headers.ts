import type { KeyWindow } from '../contracts/key-window.ts'
import type { ParameterDescription } from '../contracts/route.ts'

/** The headers of a reply about the windows of its key. `now` in milliseconds since the epoch. */
export type RateLimitHeaders = (windows: readonly KeyWindow[], now: number) => Readonly<Record<string, string>>

/** As `x-ratelimit-remaining-requests`, with the time until the window refills, such as `6m0s`. */
export const rateLimitHeaders: RateLimitHeaders = (windows, now) => {
  const headers: Record<string, string> = {}
  for (const { unit, limit, left, refillsAt } of tightest(windows)) {
    headers[`x-ratelimit-limit-${unit}`] = String(limit)
    headers[`x-ratelimit-remaining-${unit}`] = String(left)
    headers[`x-ratelimit-reset-${unit}`] = durationText(Math.max(0, (refillsAt ?? now) - now))
  }
  return headers
}

/** Describes the headers of `rateLimitHeaders` for OpenAPI. */
export function describeRateLimits(): Readonly<Record<string, ParameterDescription>> {
  const of = (unit: string): readonly (readonly [string, ParameterDescription])[] => [
    [`x-ratelimit-limit-${unit}`, { description: `The ${unit} of a whole window.`, schema: { type: 'integer', minimum: 1 } }],
    [`x-ratelimit-remaining-${unit}`, { description: `The ${unit} that are left of it.`, schema: { type: 'integer', minimum: 0 } }],
    [`x-ratelimit-reset-${unit}`, { description: 'The time until it refills, such as 6m0s.', schema: { type: 'string' } }],
  ]
  return Object.fromEntries([...of('requests'), ...of('tokens')])
}

/** As `<prefix>-requests-remaining`, with the instant at which the window refills, in RFC 3339. */
export function rateLimitHeadersUnder(prefix: string): RateLimitHeaders {
  return (windows, now) => {
    const headers: Record<string, string> = {}
    for (const { unit, limit, left, refillsAt } of tightest(windows)) {
      headers[`${prefix}-${unit}-limit`] = String(limit)
      headers[`${prefix}-${unit}-remaining`] = String(left)
      headers[`${prefix}-${unit}-reset`] = instantText(refillsAt ?? now)
    }
    return headers
  }
}

/** For each unit, the window with the least left and, of equals, the one that refills last. */
function tightest(windows: readonly KeyWindow[]): readonly KeyWindow[] {
  const found: { [Unit in KeyWindow['unit']]?: KeyWindow } = {}
  for (const window of windows) {
    const { unit, left, refillsAt = 0 } = window
    const other = found[unit]
    if (!other || left < other.left || (left === other.left && refillsAt > (other.refillsAt ?? 0))) found[unit] = window
  }
  return Object.values(found)
}

/** Such as `120ms`, `1s`, `6m0s` and `24h0m0s`. From a second on, whole seconds, rounded up. */
function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) return milliseconds === 0 ? '0s' : `${Math.ceil(milliseconds)}ms`
  const seconds = Math.ceil(milliseconds / 1_000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const end = `${seconds % 60}s`
  if (hours > 0) return `${hours}h${minutes % 60}m${end}`
  return minutes > 0 ? `${minutes}m${end}` : end
}

/** Rounded up to whole seconds, as clients expect it. */
function instantText(at: number): string {
  return new Date(Math.ceil(at / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')
}
