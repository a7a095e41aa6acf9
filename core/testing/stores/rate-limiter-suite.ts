import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import pTimeout from 'p-timeout'
import type { Hold } from '../../contracts/hold.ts'
import type { FullWindow, RateLimiter, TokenWindow, WindowState } from '../../contracts/rate-limiter.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** A limiter under test. Its buckets have random names, so it may keep what earlier tests counted. */
export interface LimiterUnderTest extends Closing {
  /** May be shared by tests. */
  readonly limiter: RateLimiter
  /** The limiter of another process that shares the store. Undefined if processes count apart. */
  readonly other?: RateLimiter
  /** Makes both exchange now what they otherwise exchange after a while. */
  exchange?(): Maybe<void>
  /** Lets time pass for the limiter. Without it, nothing tests that windows refill. */
  pass?(milliseconds: number): Maybe<void>
}

/** For `rateLimiterSuite`. */
export interface RateLimiterSuiteOptions {
  /** Called once per test. */
  open(): Maybe<LimiterUnderTest>
}

const hourMs = 3_600_000
const deadlineMs = 10_000

/** Tests for every implementation of `RateLimiter`. */
export function rateLimiterSuite(t: SuiteContext, { open }: RateLimiterSuiteOptions): void {
  const onEach = onEachStore(t, open)
  const test = (name: string, run: (under: LimiterUnderTest) => Promise<void>): void =>
    onEach(name, async under => await pTimeout(run(under), { milliseconds: deadlineMs, message: `"${name}" took too long` }))

  test('reserves in every window, or in none', holdsInAllOrNone)
  test('names the window with the longest wait', namesTheLongest)
  test('settles every window', settles)
  test('releases every window, once', releases)
  test('a hold grows in every window, or in none', extends_)
  test('requests at the same time, with windows in any order, never wait for each other', neverDeadlocks)
  test('another process sees a hold in every window', sharesHolds)
  test('a window refills, and gives nothing back to the next', refills)
  test('tells how the windows stand, if it does at all', tellsStates)
  test('refuses an amount that is no number from 0', refusesAmounts)
  test('counts requests in progress', countsRequests)
}

/** Two windows of an hour, of this many tokens. */
function twoWindows(first: number, second: number): readonly [TokenWindow, TokenWindow] {
  const id = randomUUID()
  return [
    { bucket: `suite:${id}:first`, tokens: first, windowMs: hourMs },
    { bucket: `suite:${id}:second`, tokens: second, windowMs: 2 * hourMs },
  ]
}

async function held(limiter: RateLimiter, windows: readonly TokenWindow[], tokens: number): Promise<Hold> {
  const reserved = await limiter.reserve(windows, tokens)
  assert.ok(!('retryAfterMs' in reserved), `${tokens} tokens fit, but were refused: ${JSON.stringify(reserved)}`)
  for (const member of ['extend', 'settle', 'release'] as const) assert.equal(typeof reserved[member], 'function', `a hold has ${member}`)
  return reserved
}

async function refused(limiter: RateLimiter, windows: readonly TokenWindow[], tokens: number): Promise<FullWindow> {
  const reserved = await limiter.reserve(windows, tokens)
  assert.ok('retryAfterMs' in reserved, `${tokens} tokens do not fit, but were held`)
  assert.ok(
    windows.some(({ bucket }) => bucket === reserved.full.bucket),
    '`full` is one of the windows',
  )
  return reserved
}

/** Exactly this many tokens are left in the window. */
async function hasLeft(limiter: RateLimiter, window: TokenWindow, tokens: number): Promise<void> {
  await (await held(limiter, [window], tokens)).release()
  await refused(limiter, [window], tokens + 1)
}

async function holdsInAllOrNone({ limiter }: LimiterUnderTest): Promise<void> {
  const [wide, narrow] = twoWindows(100, 10)
  assert.equal((await refused(limiter, [wide, narrow], 11)).full.bucket, narrow.bucket)
  assert.equal((await refused(limiter, [narrow, wide], 11)).full.bucket, narrow.bucket)
  await hasLeft(limiter, wide, 100)
  await hasLeft(limiter, narrow, 10)
  await held(limiter, [wide, narrow], 10)
  await hasLeft(limiter, wide, 90)
  await hasLeft(limiter, narrow, 0)
  await refused(limiter, [wide, narrow], 1)
  await hasLeft(limiter, wide, 90)
}

async function namesTheLongest({ limiter }: LimiterUnderTest): Promise<void> {
  const [short, long] = twoWindows(10, 10)
  await held(limiter, [short, long], 10)
  for (const windows of [
    [short, long],
    [long, short],
  ]) {
    const { full, retryAfterMs } = await refused(limiter, windows, 1)
    assert.equal(full.bucket, long.bucket)
    assert.ok(retryAfterMs !== undefined && retryAfterMs > hourMs && retryAfterMs <= 2 * hourMs, `waits ${retryAfterMs} ms`)
  }
  const [small] = twoWindows(5, 0)
  const never = await refused(limiter, [long, small], 6)
  assert.deepEqual([never.full.bucket, never.retryAfterMs], [small.bucket, undefined], 'no wait makes a whole window large enough')
}

async function settles({ limiter }: LimiterUnderTest): Promise<void> {
  const [first, second] = twoWindows(100, 50)
  await (await held(limiter, [first, second], 40)).settle(10)
  await hasLeft(limiter, first, 90)
  await hasLeft(limiter, second, 40)
  const hold = await held(limiter, [second, first], 10)
  await hold.settle(25)
  await hold.settle(0)
  await hold.release()
  await hasLeft(limiter, first, 65)
  await hasLeft(limiter, second, 15)
}

async function releases({ limiter }: LimiterUnderTest): Promise<void> {
  const [first, second] = twoWindows(100, 50)
  await held(limiter, [first, second], 10)
  const hold = await held(limiter, [first, second], 40)
  await hold.release()
  await hold.release()
  await hold.settle(40)
  await hasLeft(limiter, first, 90)
  await hasLeft(limiter, second, 40)
}

async function extends_({ limiter }: LimiterUnderTest): Promise<void> {
  const [wide, narrow] = twoWindows(100, 20)
  const hold = await held(limiter, [wide, narrow], 10)
  assert.equal(await hold.extend(11), false)
  await hasLeft(limiter, wide, 90)
  assert.equal(await hold.extend(10), true)
  await hasLeft(limiter, wide, 80)
  await hasLeft(limiter, narrow, 0)
  await hold.release()
  assert.equal(await hold.extend(1), false, 'a hold that ended does not grow')
  await hasLeft(limiter, wide, 100)
  await hasLeft(limiter, narrow, 20)
}

/** Each learns what the other counted, even one that learns it only as it counts something itself. */
async function meet({ limiter, other = limiter, exchange }: LimiterUnderTest, windows: readonly TokenWindow[]): Promise<void> {
  for (const each of [limiter, other, limiter]) {
    const hold = await each.reserve(windows, 1)
    await exchange?.()
    if (!('retryAfterMs' in hold)) await hold.release()
    await exchange?.()
  }
}

async function neverDeadlocks(under: LimiterUnderTest): Promise<void> {
  const { limiter, other = limiter } = under
  const [first, second] = twoWindows(100, 60)
  const [third] = twoWindows(80, 0)
  const orders = [
    [first, second, third],
    [third, second, first],
    [second, first],
    [third, first],
  ]
  const reserve = async (_: unknown, index: number): Promise<Hold | FullWindow> =>
    await (index % 2 ? other : limiter).reserve(orders[index % orders.length]!, 10)
  const reserved = await Promise.all(Array.from({ length: 40 }, reserve))
  const holds = reserved.filter((each): each is Hold => !('retryAfterMs' in each))
  assert.ok(holds.length >= 6, 'requests that fit are not refused')
  if (other === limiter) assert.ok(holds.length <= 10, `${holds.length} holds of 10 tokens are in a window of 100`)
  await Promise.all(holds.map((hold, index) => (index % 2 ? hold.release() : hold.settle(0))))
  await meet(under, [first, second, third])
  for (const window of [first, second, third]) {
    await hasLeft(limiter, window, window.tokens)
    await hasLeft(other, window, window.tokens)
  }
}

async function sharesHolds(under: LimiterUnderTest): Promise<void> {
  const { limiter, other, exchange } = under
  if (!other) return
  const [first, second] = twoWindows(100, 60)
  const hold = await held(limiter, [first, second], 30)
  await refused(limiter, [first, second], 31)
  await exchange?.()
  await refused(other, [second, first], 31)
  await held(other, [second, first], 20)
  await exchange?.()
  await hold.release()
  await meet(under, [first, second])
  await hasLeft(other, first, 80)
  await hasLeft(other, second, 40)
}

async function refills({ limiter, pass }: LimiterUnderTest): Promise<void> {
  if (!pass) return
  const [short, long] = twoWindows(10, 20)
  const hold = await held(limiter, [short, long], 10)
  await pass(hourMs)
  await held(limiter, [short, long], 10)
  await hold.release()
  await hasLeft(limiter, short, 0)
  await hasLeft(limiter, long, 10)
}

async function tellsStates({ limiter, pass }: LimiterUnderTest): Promise<void> {
  const windows = twoWindows(100, 50)
  const lefts = (states: readonly WindowState[]): readonly number[] => states.map(({ left }) => left)
  const before = await limiter.states?.(windows)
  if (before) {
    assert.deepEqual(lefts(before), [100, 50])
    assert.deepEqual(
      before.map(({ refillsAt }) => refillsAt),
      [undefined, undefined],
      'asking begins no window',
    )
  }
  const hold = await limiter.reserve(windows, 40)
  if ('retryAfterMs' in hold || !hold.states) return
  assert.deepEqual(lefts(hold.states), [60, 10], 'a hold counts in its own states')
  const [first, second] = hold.states
  assert.ok(second!.refillsAt! - first!.refillsAt! >= hourMs / 2, 'each window refills in its own time')
  const full = await limiter.reserve(windows.toReversed(), 20)
  assert.ok('retryAfterMs' in full)
  assert.deepEqual(full.states && lefts(full.states), [10, 60], 'one that is refused changes nothing')
  await hold.settle(70)
  const asked = await limiter.states?.(windows)
  if (asked) assert.deepEqual(lefts(asked), [30, 0], 'nothing is left of a window that was overrun')
  if (!pass || !limiter.states) return
  await pass(hourMs)
  assert.deepEqual(lefts(await limiter.states(windows)), [100, 0])
}

async function refusesAmounts({ limiter }: LimiterUnderTest): Promise<void> {
  const windows = twoWindows(10, 10)
  for (const amount of [-1, Number.NaN]) await assert.rejects(async () => await limiter.reserve(windows, amount))
  for (const window of windows) await hasLeft(limiter, window, 10)
}

async function countsRequests({ limiter }: LimiterUnderTest): Promise<void> {
  const bucket = `suite:${randomUUID()}`
  const leave = await limiter.enter(bucket, 2)
  assert.ok(leave && (await limiter.enter(bucket, 2)), 'two may enter')
  assert.equal(await limiter.enter(bucket, 2), undefined)
  leave()
  leave()
  assert.ok(await limiter.enter(bucket, 2), 'one has left')
  assert.equal(await limiter.enter(bucket, 2), undefined, 'leaving twice counts once')
}
