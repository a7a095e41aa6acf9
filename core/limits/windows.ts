import type { Hold } from '../contracts/hold.ts'
import type { ApiKey, KeyLimit } from '../contracts/key-store.ts'
import type { KeyWindow } from '../contracts/key-window.ts'
import type { EarlyHold, FullWindow, RateLimiter, TokenWindow, WindowState } from '../contracts/rate-limiter.ts'
import type { RunContext } from '../contracts/run-context.ts'

/** A limit that leaves no room. `retryAfterMs` is undefined if even a whole window is too small. */
export interface FullLimit {
  readonly limit: KeyLimit
  readonly retryAfterMs: number | undefined
}

/** A limit of a key, and its window as the limiter knows it. */
export interface LimitedWindow {
  readonly window: TokenWindow
  readonly limit: KeyLimit
}

/** The windows that these limits of a key have. Of two limits with the same unit and window, the smaller one applies. */
export function windowsOf(keyId: string, limits: readonly KeyLimit[]): readonly LimitedWindow[] {
  const windows = new Map<string, LimitedWindow>()
  for (const limit of limits) {
    const window = windowOf(keyId, limit)
    const same = windows.get(window.bucket)
    const exact = window.exact || same?.window.exact
    const smaller = same && same.window.tokens <= window.tokens ? same : { window, limit }
    windows.set(window.bucket, exact ? { ...smaller, window: { ...smaller.window, exact } } : smaller)
  }
  return [...windows.values()]
}

/**
 * Reserves in the windows of all these limits, or in none. `limits` has at least one. `context` gets how they stand then. `early`: what was
 * held for these tokens when the request began.
 */
export async function reserveIn(
  limiter: RateLimiter,
  { id, org }: Pick<ApiKey, 'id' | 'org'>,
  limits: readonly KeyLimit[],
  amount: number,
  context?: Pick<RunContext, 'windows'>,
  early?: EarlyHold,
): Promise<Hold | FullLimit> {
  const windows = windowsOf(id, limits)
  const reserved = early
    ? await early.fit(amount)
    : await limiter.reserve(
        windows.map(({ window }) => window),
        amount,
        org,
      )
  show(windows, reserved.states, context)
  return 'retryAfterMs' in reserved ? fullLimit(windows, reserved) : reserved
}

/** Adds how windows stand to what the caller is told. */
export function show(
  windows: readonly LimitedWindow[],
  states: readonly WindowState[] | undefined,
  context: Pick<RunContext, 'windows'> | undefined,
): void {
  if (context && states) context.windows = [...(context.windows ?? []), ...keyWindows(windows, states)]
}

/** The limit that has no room. */
export function fullLimit(windows: readonly LimitedWindow[], { full, retryAfterMs }: FullWindow): FullLimit {
  const { limit } = windows.find(({ window }) => window.bucket === full.bucket) ?? windows[0]!
  return { limit, retryAfterMs }
}

/** How all windows of a key stand. Counts nothing. Undefined if the limiter cannot tell. */
export async function windowsOfKey(
  limiter: RateLimiter,
  { id, org, limits = [] }: Pick<ApiKey, 'id' | 'org' | 'limits'>,
): Promise<readonly KeyWindow[] | undefined> {
  const windows = windowsOf(id, limits)
  if (windows.length === 0) return []
  const states = await limiter.states?.(
    windows.map(({ window }) => window),
    org,
  )
  return states && keyWindows(windows, states)
}

/** The windows with their states, which are in the same order. */
function keyWindows(windows: readonly LimitedWindow[], states: readonly WindowState[]): readonly KeyWindow[] {
  return states.slice(0, windows.length).map(({ left, refillsAt }, index) => {
    const { tokens, requests, windowMs } = windows[index]!.limit
    return { unit: tokens === undefined ? 'requests' : 'tokens', limit: tokens ?? requests, windowMs, left, refillsAt }
  })
}

/** A changed limit keeps what its window has counted. */
function windowOf(keyId: string, { tokens, requests, windowMs, exact }: KeyLimit): TokenWindow {
  const unit = tokens === undefined ? 'requests' : 'tokens'
  return { bucket: `key:${keyId}:${unit}:${windowMs}`, tokens: tokens ?? requests, windowMs, ...(exact && { exact }) }
}

/** Such as `1000 tokens per minute` or `5 requests per 90 seconds`. */
export function windowText({ tokens, requests, windowMs }: KeyLimit): string {
  const amount = tokens ?? requests
  const unit = tokens === undefined ? 'request' : 'token'
  return `${amount} ${unit}${amount === 1 ? '' : 's'} per ${lengthText(windowMs)}`
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

function lengthText(windowMs: number): string {
  for (const [unit, unitMs] of units) {
    if (windowMs === unitMs) return unit
    if (windowMs % unitMs === 0) return `${windowMs / unitMs} ${unit}s`
  }
  return windowMs === 1_000 ? 'second' : `${windowMs / 1_000} seconds`
}
