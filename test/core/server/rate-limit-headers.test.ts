import t from 'tap'
import { rateLimitHeaders, rateLimitHeadersUnder } from '../../../core/kit.ts'
import type { KeyWindow } from '../../../core/contracts/key-window.ts'

const now = Date.UTC(2026, 0, 1)
const window = (unit: KeyWindow['unit'], left: number, refillsInMs?: number): KeyWindow => {
  const refillsAt = refillsInMs === undefined ? undefined : now + refillsInMs
  return { unit, limit: 100, windowMs: 60_000, left, refillsAt }
}

t.test('headers name the window of each unit that has the least left', async t => {
  const windows = [window('tokens', 7, 1_000), window('requests', 9, 500), window('tokens', 5, 360_000), window('tokens', 5, 2_000)]
  t.same(rateLimitHeaders(windows, now), {
    'x-ratelimit-limit-requests': '100',
    'x-ratelimit-remaining-requests': '9',
    'x-ratelimit-reset-requests': '500ms',
    'x-ratelimit-limit-tokens': '100',
    'x-ratelimit-remaining-tokens': '5',
    'x-ratelimit-reset-tokens': '6m0s',
  })
  t.same(rateLimitHeadersUnder('acme-ratelimit')(windows, now), {
    'acme-ratelimit-requests-limit': '100',
    'acme-ratelimit-requests-remaining': '9',
    'acme-ratelimit-requests-reset': '2026-01-01T00:00:01Z',
    'acme-ratelimit-tokens-limit': '100',
    'acme-ratelimit-tokens-remaining': '5',
    'acme-ratelimit-tokens-reset': '2026-01-01T00:06:00Z',
  })
  t.same(rateLimitHeaders([], now), {})
})

t.test('the time until a window refills', async t => {
  for (const [milliseconds, text] of [
    [-5, '0s'],
    [0, '0s'],
    [0.5, '1ms'],
    [120, '120ms'],
    [1_000, '1s'],
    [1_001, '2s'],
    [59_999, '1m0s'],
    [360_000, '6m0s'],
    [3_661_000, '1h1m1s'],
    [86_400_000, '24h0m0s'],
  ] as const)
    t.equal(rateLimitHeaders([window('tokens', 1, milliseconds)], now)['x-ratelimit-reset-tokens'], text)
  t.equal(rateLimitHeaders([window('tokens', 1)], now)['x-ratelimit-reset-tokens'], '0s')
})
