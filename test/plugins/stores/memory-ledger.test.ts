import t from 'tap'
import type { CreditRange } from '../../../core/index.ts'
import { MemoryLedger } from '../../../plugins/stores/memory/ledger.ts'
import { leanKey } from './keys.ts'

const key = { ...leanKey, spendCapUsd: 1 }

function exactly(usd: number): CreditRange {
  return { atLeast: usd, atMost: usd }
}

t.test('holds count against the cap, and settling replaces the hold by the actual amount', async t => {
  const ledger = new MemoryLedger()
  const hold = await ledger.reserve(key, exactly(0.7))
  t.ok(hold)
  t.equal(ledger.reserve(key, exactly(0.4)), undefined)
  await hold!.settle(0.2)
  t.ok(ledger.reserve(key, exactly(0.8)), 'exactly the rest')
  t.equal(ledger.reserve(key, exactly(0.000000001)), undefined)
  t.ok(ledger.reserve(key, exactly(0)), 'what costs nothing passes')
})

t.test('release gives everything back', async t => {
  const ledger = new MemoryLedger()
  await ledger.reserve(key, exactly(1))!.release()
  t.ok(ledger.reserve(key, exactly(1)))
})

t.test('a hold can grow up to the cap, and ends once', async t => {
  const ledger = new MemoryLedger()
  const hold = ledger.reserve(key, exactly(0.5))!
  t.equal(await hold.extend(exactly(0.3)), true)
  t.equal(await hold.extend(exactly(0.3)), false)
  await hold.settle(0.6)
  await hold.settle(0.6)
  await hold.release()
  t.equal(await hold.extend(exactly(0.1)), false)
  t.equal(ledger.reserve(key, exactly(0.41)), undefined)
  t.ok(ledger.reserve(key, exactly(0.4)))
})

t.test('what was spent beyond the hold counts', async t => {
  const ledger = new MemoryLedger()
  await ledger.reserve(key, exactly(0.1))!.settle(1.5)
  t.equal(ledger.reserve(key, exactly(0)), undefined)
  t.ok(ledger.reserve({ ...key, id: 'other' }, exactly(1)), 'of this key alone')
  t.ok(ledger.reserve({ ...key, spendCapUsd: 2 }, exactly(0.5)), 'a cap that was raised holds at once')
})

t.test('sums do not drift', async t => {
  const ledger = new MemoryLedger()
  for (let request = 0; request < 10_000; request++) await ledger.reserve(key, exactly(0.0001))!.settle(0.0001)
  t.equal(ledger.reserve(key, exactly(0.000000001)), undefined)
  const fresh = new MemoryLedger()
  for (let request = 0; request < 9_999; request++) await fresh.reserve(key, exactly(0.0001))!.settle(0.0001)
  t.ok(fresh.reserve(key, exactly(0.0001)))
})

t.test('concurrent holds never pass the cap', async t => {
  const ledger = new MemoryLedger()
  const holds = await Promise.all(Array.from({ length: 200 }, async () => ledger.reserve(key, exactly(0.03))))
  t.equal(holds.filter(hold => hold).length, 33)
})

t.test('without a cap everything is counted and nothing refused', async t => {
  const ledger = new MemoryLedger()
  await ledger.reserve(leanKey, exactly(1_000_000))!.settle(5)
  t.equal(ledger.reserve({ ...leanKey, spendCapUsd: 5 }, exactly(0.1)), undefined)
})

t.test('refuses what is no amount', async t => {
  const ledger = new MemoryLedger()
  t.throws(() => ledger.reserve(key, exactly(Number.NaN)), RangeError)
  t.throws(() => ledger.reserve(key, exactly(-1)), RangeError)
})

t.test('where less is left than wanted, the rest is held', async t => {
  const ledger = new MemoryLedger()
  const first = ledger.reserve(key, { atLeast: 0.1, atMost: 0.6 })!
  t.equal(first.usd, 0.6)
  const second = ledger.reserve(key, { atLeast: 0.1, atMost: 0.6 })!
  t.equal(second.usd, 0.4)
  t.equal(ledger.reserve(key, { atLeast: 0.1, atMost: 0.6 }), undefined)
  t.ok(ledger.reserve(key, { atLeast: 0, atMost: 0.6 }), 'nothing is enough for what may cost nothing')
  t.equal(second.extend({ atLeast: 0.1, atMost: 0.2 }), false)
  t.equal(second.usd, 0.4)
  await first.settle(0.5)
  t.equal(second.extend({ atLeast: 0.05, atMost: 0.2 }), true)
  t.equal(second.usd, 0.5)
  await second.settle(0.5)
  t.equal(ledger.reserve(key, exactly(0.000000001)), undefined)
})
