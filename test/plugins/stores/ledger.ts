import type { Test } from 'tap'
import type { Clock } from '../../../core/index.ts'
import {
  maxCreditUsd,
  type CreditHold,
  type CreditRange,
  type CreditShortage,
  type Ledger,
  type SpendCap,
  type Spending,
} from '../../../core/stores.ts'

export const cap: SpendCap = { account: 'key:k1', level: 'key', capUsd: 1 }
export const capped: Spending = { caps: [cap] }

export function exactly(usd: number): CreditRange {
  return { atLeast: usd, atMost: usd }
}

export function isHold(held: CreditHold | CreditShortage): held is CreditHold {
  return !('short' in held)
}

export async function held(ledger: Ledger, spending: Spending, usd: number, requestId = 'req_1'): Promise<CreditHold> {
  const hold = await ledger.reserve(requestId, spending, exactly(usd))
  if (!isHold(hold)) throw new Error(`expected a hold, got ${JSON.stringify(hold)}`)
  return hold
}

/** Every ledger passes this. `make` returns an empty one, which uses `clock`. The test sets the clock. */
export async function checkLedger(t: Test, make: (clock: Clock & { time: number }) => Promise<Ledger> | Ledger): Promise<void> {
  const start = Date.UTC(2026, 10, 20, 12)
  const clock = { time: start, now: () => clock.time, elapsed: () => clock.time }
  const fresh = async (): Promise<Ledger> => {
    clock.time = start
    return await make(clock)
  }

  await t.test('what was spent before there was a cap can be raised, never lowered', async t => {
    const ledger = await fresh()
    const monthly: SpendCap = { ...cap, period: 'month' }
    await ledger.raiseSpent(monthly, 0.75)
    t.same(await ledger.spent([monthly, cap]), [0.75, 0], 'for this period only')
    t.match(await ledger.reserve('req_1', { caps: [monthly] }, exactly(0.5)), { short: monthly })
    const rest = await held(ledger, { caps: [monthly] }, 0.25)
    await ledger.raiseSpent(monthly, 0.5)
    await rest.settle(0.2)
    t.same(await ledger.spent([monthly]), [0.95])
    clock.time += 31 * 86_400_000
    t.same(await ledger.spent([monthly]), [0])
  })

  await t.test('a request counts against every cap, or against none', async t => {
    const ledger = await fresh()
    const team: SpendCap = { account: 'team:example/research', level: 'team', capUsd: 0.5 }
    const both: Spending = { caps: [cap, team] }
    const first = await held(ledger, both, 0.3)
    t.match(await ledger.reserve('req_2', both, exactly(0.3)), { short: team }, 'the team is short')
    t.ok(isHold(await ledger.reserve('req_3', capped, exactly(0.7))), 'and nothing of the key was held for it')
    await first.settle(0.1)
    t.same(await ledger.spent([cap, team, { account: 'key:other' }]), [0.1, 0.1, 0])
    t.ok(isHold(await ledger.reserve('req_4', { caps: [team] }, exactly(0.4))))
    t.match(await ledger.reserve('req_5', { caps: [team] }, exactly(0.01)), { short: team })
  })

  await t.test('a period starts again, and a request counts in the one in which it was reserved', async t => {
    const ledger = await fresh()
    const daily: SpendCap = { account: 'key:daily', level: 'key', capUsd: 1, period: 'day' }
    const hold = await held(ledger, { caps: [daily] }, 0.9)
    clock.time += 24 * 3_600_000
    t.ok(isHold(await ledger.reserve('req_2', { caps: [daily] }, exactly(1))), 'a new day')
    await hold.settle(0.9)
    t.same(await ledger.spent([daily]), [0], 'yesterday does not count today')
  })

  await t.test('a balance is the sum of its entries, and no request passes it', async t => {
    const ledger = await fresh()
    const prepaid: Spending = { caps: [], creditOf: 'example' }
    t.match(await ledger.reserve('req_0', prepaid, exactly(0.01)), { short: 'credit' })
    await ledger.addCredit({ id: 'cred_1', org: 'example', at: clock.time, amountUsd: 2, note: 'Invoice 7', requestId: null })
    await ledger.addCredit({ id: 'cred_1', org: 'example', at: clock.time, amountUsd: 2, note: 'Invoice 7', requestId: null })
    t.equal(await ledger.balance('example'), 2, 'an entry with the same id counts once')
    clock.time += 1_000
    const hold = await held(ledger, prepaid, 1.5, 'req_1')
    t.equal(await ledger.balance('example'), 2, 'what is held is not spent yet')
    t.match(await ledger.reserve('req_2', prepaid, exactly(0.6)), { short: 'credit' })
    await hold.settle(0.25)
    t.equal(await ledger.balance('example'), 1.75)
    const [newest, oldest] = await ledger.entries('example', { limit: 10 })
    t.match(newest, { org: 'example', amountUsd: -0.25, note: null, requestId: 'req_1' })
    t.match(oldest, { id: 'cred_1', amountUsd: 2, note: 'Invoice 7', requestId: null })
    t.same(await ledger.entries('example', { limit: 10, after: newest! }), [oldest], 'pages go back in time')
    await ledger.addCredit({ id: 'cred_2', org: 'example', at: clock.time, amountUsd: -1.75, note: 'Refund', requestId: null })
    t.equal(await ledger.balance('example'), 0)
    t.match(await ledger.reserve('req_3', prepaid, exactly(0.000000001)), { short: 'credit' })
    t.equal(await ledger.balance('nobody'), 0)
  })

  await t.test('credits at once pass no bound together', async t => {
    const ledger = await fresh()
    const add = async (id: string, amountUsd: number): Promise<number | undefined> =>
      await ledger.addCredit({ id, org: 'example', at: clock.time, amountUsd, note: null, requestId: null })
    t.same(await Promise.all([add('cred_1', maxCreditUsd - 1), add('cred_2', 0.6), add('cred_3', 0.6)]), [
      maxCreditUsd - 1,
      maxCreditUsd - 0.4,
      undefined,
    ])
    t.same(await add('cred_3', 0.4), maxCreditUsd, 'what was refused left nothing behind')
    t.same(await Promise.all([add('cred_4', -maxCreditUsd + 1), add('cred_5', -0.7), add('cred_6', -0.7)]), [1, 0.3, undefined])
    t.same(await add('cred_5', -0.7), 0.3, 'an entry that is there already is not refused')
    const hold = await held(ledger, { caps: [], creditOf: 'example' }, 0.1)
    await hold.settle(0.5)
    t.same([await add('cred_7', 0.05), await add('cred_8', -0.01)], [-0.15, undefined], 'less debt is better than more')
    t.equal((await ledger.entries('example', { limit: 100 })).length, 7)
  })

  await t.test('500 requests at once pass neither cap nor balance', async t => {
    const ledger = await fresh()
    await ledger.addCredit({ id: 'cred_1', org: 'example', at: clock.time, amountUsd: 0.5, note: null, requestId: null })
    const spending: Spending = { caps: [cap], creditOf: 'example' }
    const held = await Promise.all(Array.from({ length: 500 }, async (_, index) => ledger.reserve(`req_${index}`, spending, exactly(0.03))))
    const holds = held.filter(isHold)
    t.equal(holds.length, 16)
    await Promise.all(holds.map(hold => hold.settle(0.03)))
    t.ok(Math.abs((await ledger.balance('example')) - 0.02) < 1e-9)
    const entries = await ledger.entries('example', { limit: 100 })
    t.equal(entries.length, 17)
    t.ok(Math.abs(entries.reduce((sum, { amountUsd }) => sum + amountUsd, 0) - (await ledger.balance('example'))) < 1e-9)
  })
}
