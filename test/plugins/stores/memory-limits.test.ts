import t from 'tap'
import type { Hold, TokenWindow } from '../../../core/stores.ts'
import { MemoryLimits } from '../../../plugins/stores/memory/limits.ts'
import { rateLimiterSuite } from '../../../core/testing/index.ts'
import { FakeClock } from '../../kit/set-up.ts'

const window: TokenWindow = { bucket: 'key:demo', tokens: 100, windowMs: 60_000 }

async function held(limits: MemoryLimits, tokens: number): Promise<Hold> {
  const hold = await limits.reserve([window], tokens)
  if ('retryAfterMs' in hold) throw new Error('expected a hold')
  return hold
}

/** How many tokens could be reserved now. */
async function left(limits: MemoryLimits): Promise<number> {
  for (let tokens = window.tokens; ; tokens--) {
    const hold = await limits.reserve([window], tokens)
    if ('retryAfterMs' in hold) continue
    await hold.release()
    return tokens
  }
}

t.test('a full window says how long to wait, and fills up again', async t => {
  const clock = new FakeClock()
  const limits = new MemoryLimits(clock)
  await held(limits, 60)
  clock.pass(20_000)
  t.same(await limits.reserve([window], 41), { full: window, retryAfterMs: 40_000 })
  await held(limits, 40)
  t.same(await limits.reserve([window], 1), { full: window, retryAfterMs: 40_000 })
  clock.pass(40_000)
  t.equal(await left(limits), 100)
})

t.test('more than the whole window is refused without a wait', async t => {
  t.same(await new MemoryLimits(new FakeClock()).reserve([window], 101), { full: window, retryAfterMs: undefined })
})

t.test('settling gives back or takes the difference', async t => {
  const limits = new MemoryLimits(new FakeClock())
  await (await held(limits, 80)).settle(30)
  t.equal(await left(limits), 70)
  await (await held(limits, 10)).settle(25)
  t.equal(await left(limits), 45)
  await (await held(limits, 5)).settle(500)
  t.same(await limits.reserve([window], 1), { full: window, retryAfterMs: 60_000 }, 'even beyond the window')
})

t.test('a hold can grow and ends once', async t => {
  const limits = new MemoryLimits(new FakeClock())
  const hold = await held(limits, 50)
  t.equal(await hold.extend(30), true)
  t.equal(await hold.extend(30), false)
  await hold.release()
  await hold.release()
  await hold.settle(90)
  t.equal(await hold.extend(1), false)
  t.equal(await left(limits), 100)
})

t.test('nothing comes back into a window in which it was not taken', async t => {
  const clock = new FakeClock()
  const limits = new MemoryLimits(clock)
  const old = await held(limits, 80)
  const growing = await held(limits, 20)
  clock.pass(60_000)
  await old.settle(10)
  t.equal(await left(limits), 100)
  t.equal(await growing.extend(30), true)
  t.equal(await left(limits), 70)
  await growing.release()
  t.equal(await left(limits), 100, 'the 30 of this window, not the 20 of the last')
})

t.test('usage beyond a hold counts in the window in which it becomes known', async t => {
  const clock = new FakeClock()
  const limits = new MemoryLimits(clock)
  const hold = await held(limits, 10)
  clock.pass(60_000)
  await hold.settle(50)
  t.equal(await left(limits), 60)
})

t.test('concurrent holds never pass the window, and none is refused that fits', async t => {
  const limits = new MemoryLimits(new FakeClock())
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => limits.reserve([window], index % 2 ? 60 : 10)))
  let taken = 0
  for (const [index, answer] of answers.entries()) if (!('retryAfterMs' in answer)) taken += index % 2 ? 60 : 10
  t.equal(taken, 100)
})

const vendor: TokenWindow = { bucket: 'account:vendor', tokens: 1_000_000, windowMs: 1000 }

t.test('buckets are apart, and sizes may differ', async t => {
  const clock = new FakeClock()
  const limits = new MemoryLimits(clock)
  await held(limits, 100)
  t.notMatch(await limits.reserve([vendor], 1_000_000), { retryAfterMs: Number })
  clock.pass(1000)
  t.notMatch(await limits.reserve([vendor], 1_000_000), { retryAfterMs: Number })
  t.same(await limits.reserve([window], 1), { full: window, retryAfterMs: 59_000 })
})

t.test('refuses what is no number of tokens', async t => {
  await t.rejects(new MemoryLimits(new FakeClock()).reserve([window], Number.NaN), RangeError)
})

rateLimiterSuite(t, {
  open() {
    const clock = new FakeClock()
    const limiter = new MemoryLimits(clock)
    return { limiter, other: limiter, pass: milliseconds => clock.pass(milliseconds) }
  },
})
