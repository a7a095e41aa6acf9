import t from 'tap'
import { systemClock } from '../../../core/foundation/clock.ts'
import type { CreditHold, CreditRange, Spending } from '../../../core/stores.ts'
import { MemoryLedger } from '../../../plugins/stores/memory/ledger.ts'
import { cap, capped, checkLedger, exactly } from './ledger.ts'

/** Returns undefined if the cap does not cover it. */
function reserve(ledger: MemoryLedger, range: CreditRange, spending: Spending = capped): CreditHold | undefined {
  const hold = ledger.reserve('req_1', spending, range)
  return 'short' in hold ? undefined : hold
}

t.test('holds count against the cap, and settling replaces the hold by the actual amount', async t => {
  const ledger = new MemoryLedger(systemClock)
  const hold = reserve(ledger, exactly(0.7))
  t.ok(hold)
  t.equal(reserve(ledger, exactly(0.4)), undefined)
  await hold!.settle(0.2)
  t.ok(reserve(ledger, exactly(0.8)), 'exactly the rest')
  t.equal(reserve(ledger, exactly(0.000000001)), undefined)
  t.ok(reserve(ledger, exactly(0)), 'what costs nothing passes')
})

t.test('release gives everything back', async t => {
  const ledger = new MemoryLedger(systemClock)
  reserve(ledger, exactly(1))!.release()
  t.ok(reserve(ledger, exactly(1)))
})

t.test('a hold can grow up to the cap, and ends once', async t => {
  const ledger = new MemoryLedger(systemClock)
  const hold = reserve(ledger, exactly(0.5))!
  t.equal(await hold.extend(exactly(0.3)), true)
  t.match(await hold.extend(exactly(0.3)), { short: cap, heldUsd: 0.8 })
  await hold.settle(0.6)
  await hold.settle(0.6)
  await hold.release()
  t.match(await hold.extend(exactly(0.1)), { short: cap })
  t.equal(reserve(ledger, exactly(0.41)), undefined)
  t.ok(reserve(ledger, exactly(0.4)))
})

t.test('what was spent beyond the hold counts', async t => {
  const ledger = new MemoryLedger(systemClock)
  reserve(ledger, exactly(0.1))!.settle(1.5)
  t.equal(reserve(ledger, exactly(0)), undefined)
  t.ok(reserve(ledger, exactly(1), { caps: [{ ...cap, account: 'key:other' }] }), 'of this key alone')
  t.ok(reserve(ledger, exactly(0.5), { caps: [{ ...cap, capUsd: 2 }] }), 'a cap that was raised holds at once')
})

t.test('sums do not drift', async t => {
  const ledger = new MemoryLedger(systemClock)
  for (let request = 0; request < 10_000; request++) reserve(ledger, exactly(0.0001))!.settle(0.0001)
  t.equal(reserve(ledger, exactly(0.000000001)), undefined)
  const fresh = new MemoryLedger(systemClock)
  for (let request = 0; request < 9_999; request++) reserve(fresh, exactly(0.0001))!.settle(0.0001)
  t.ok(reserve(fresh, exactly(0.0001)))
})

t.test('concurrent holds never pass the cap', async t => {
  const ledger = new MemoryLedger(systemClock)
  const holds = await Promise.all(Array.from({ length: 200 }, async () => reserve(ledger, exactly(0.03))))
  t.equal(holds.filter(hold => hold).length, 33)
})

t.test('refuses what is no amount', async t => {
  const ledger = new MemoryLedger(systemClock)
  t.throws(() => reserve(ledger, exactly(Number.NaN)), RangeError)
  t.throws(() => reserve(ledger, exactly(-1)), RangeError)
})

t.test('where less is left than wanted, the rest is held', async t => {
  const ledger = new MemoryLedger(systemClock)
  const first = reserve(ledger, { atLeast: 0.1, atMost: 0.6 })!
  t.equal(first.usd, 0.6)
  const second = reserve(ledger, { atLeast: 0.1, atMost: 0.6 })!
  t.equal(second.usd, 0.4)
  t.equal(reserve(ledger, { atLeast: 0.1, atMost: 0.6 }), undefined)
  t.ok(reserve(ledger, { atLeast: 0, atMost: 0.6 }), 'nothing is enough for what may cost nothing')
  t.match(second.extend({ atLeast: 0.1, atMost: 0.2 }), { short: cap, leftUsd: 0 })
  t.equal(second.usd, 0.4)
  await first.settle(0.5)
  t.equal(second.extend({ atLeast: 0.05, atMost: 0.2 }), true)
  t.equal(second.usd, 0.5)
  await second.settle(0.5)
  t.equal(reserve(ledger, exactly(0.000000001)), undefined)
})

t.test('the suite of ledgers', async t => {
  await checkLedger(t, clock => new MemoryLedger(clock))
})

t.test('a long list of entries is added up, and the balance stays their sum', async t => {
  const ledger = new MemoryLedger(systemClock)
  const prepaid: Spending = { caps: [], creditOf: 'example' }
  ledger.addCredit({ id: 'cred_1', org: 'example', at: 0, amountUsd: 100, note: null, requestId: null })
  for (let request = 0; request < 12_000; request++) await reserve(ledger, exactly(0.001), prepaid)!.settle(0.001)
  const entries = ledger.entries('example', { limit: 100_000 })
  t.ok(entries.length <= 10_000)
  t.equal(Math.round(entries.reduce((sum, { amountUsd }) => sum + amountUsd, 0) * 1e6) / 1e6, 88)
  t.equal(ledger.balance('example'), 88)
})
