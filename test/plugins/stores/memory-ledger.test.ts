import t from 'tap'
import { systemClock } from '../../../core/foundation/clock.ts'
import { ledgerSuite } from '../../../core/testing/index.ts'
import { FakeClock } from '../../kit/set-up.ts'
import type { CreditHold, CreditRange, Spending } from '../../../core/stores.ts'
import { MemoryLedger } from '../../../plugins/stores/memory/ledger.ts'
import { capped, exactly } from '../../../core/testing/stores/ledger-suite.ts'

/** Returns undefined if the cap does not cover it. */
function reserve(ledger: MemoryLedger, range: CreditRange, spending: Spending = capped): CreditHold | undefined {
  const hold = ledger.reserve('req_1', spending, range)
  return 'short' in hold ? undefined : hold
}

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

t.test('the suite of ledgers', async t =>
  ledgerSuite(t, {
    open() {
      const clock = new FakeClock()
      return { ledger: new MemoryLedger(clock), pass: milliseconds => clock.pass(milliseconds) }
    },
  }),
)

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
