import assert from 'node:assert/strict'
import { maxCreditUsd, type CreditHold, type CreditRange, type CreditShortage, type Ledger } from '../../contracts/ledger.ts'
import type { SpendCap, Spending } from '../../contracts/ledger.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** A ledger under test, without spending and credit. */
export interface LedgerUnderTest extends Closing {
  /** Empty at first. */
  readonly ledger: Ledger
  /** The ledger of another process, with the same spending and credit. Undefined if processes share none. */
  readonly other?: Ledger
  /** Moves the clock of the ledger. Without it, nothing tests that periods start again. */
  pass?(milliseconds: number): Maybe<void>
}

/** For `ledgerSuite`. */
export interface LedgerSuiteOptions {
  /** Called once per test. */
  open(): Maybe<LedgerUnderTest>
}

/** Tests for every implementation of `Ledger`. */
export function ledgerSuite(t: SuiteContext, { open }: LedgerSuiteOptions): void {
  const test = onEachStore(t, open)
  test('holds count against the cap, and settling replaces the hold by the amount spent', settles)
  test('release gives everything back', releases)
  test('a hold can grow up to the cap, and ends once', grows)
  test('the amount spent beyond the hold counts', overspends)
  test('where less is left than wanted, the rest is held', holdsTheRest)
  test('an amount that is no number from 0 is refused', refusesAmounts)
  test('the spending before there was a cap can be raised, never lowered', raises)
  test('a request counts against every cap, or against none', countsInAllOrNone)
  test('a period starts again, and a request counts in the one in which it was reserved', startsAgain)
  test('a balance is the sum of its entries, and no request passes it', balances)
  test('credits at once pass no bound together', boundsCredit)
  test('500 requests at once pass neither cap nor balance', neverPasses)
}

const dayMs = 86_400_000
/** Before all that the ledger enters itself. */
const at = Date.UTC(2025, 0, 1)
export const cap: SpendCap = { account: 'key:k1', level: 'key', capUsd: 1 }
export const capped: Spending = { caps: [cap] }
const prepaid: Spending = { caps: [], creditOf: 'example' }

export function exactly(usd: number): CreditRange {
  return { atLeast: usd, atMost: usd }
}

export function isHold(held: CreditHold | CreditShortage): held is CreditHold {
  return !('short' in held)
}

export async function held(ledger: Ledger, spending: Spending, usd: number, requestId = 'req_1'): Promise<CreditHold> {
  return await heldIn(ledger, spending, exactly(usd), requestId)
}

async function heldIn(ledger: Ledger, spending: Spending, range: CreditRange, requestId = 'req_1'): Promise<CreditHold> {
  const hold = await ledger.reserve(requestId, spending, range)
  assert.ok(isHold(hold), `expected a hold, got ${JSON.stringify(hold)}`)
  return hold
}

async function isShort(
  ledger: Ledger,
  spending: Spending,
  usd: number,
  short: CreditShortage['short'],
  requestId = 'req_1',
): Promise<void> {
  const shortage = await ledger.reserve(requestId, spending, exactly(usd))
  assert.ok(!isHold(shortage), `$${usd} are not left, but were held`)
  assert.deepEqual(shortage.short, short)
  assert.deepEqual([typeof shortage.leftUsd, typeof shortage.heldUsd], ['number', 'number'])
}

async function settles({ ledger }: LedgerUnderTest): Promise<void> {
  const hold = await held(ledger, capped, 0.7)
  assert.equal(hold.usd, 0.7)
  assert.notEqual(hold.isSure, false)
  assert.deepEqual((await ledger.held?.(capped.caps)) ?? [0.7], [0.7])
  await isShort(ledger, capped, 0.4, cap)
  await hold.settle(0.2)
  await held(ledger, capped, 0.8)
  await isShort(ledger, capped, 0.000000001, cap)
  await held(ledger, capped, 0)
}

async function releases({ ledger }: LedgerUnderTest): Promise<void> {
  await (await held(ledger, capped, 1)).release()
  await held(ledger, capped, 1)
}

async function grows({ ledger }: LedgerUnderTest): Promise<void> {
  const hold = await held(ledger, capped, 0.5)
  assert.equal(await hold.extend(exactly(0.3)), true)
  assert.partialDeepStrictEqual(await hold.extend(exactly(0.3)), { short: cap, heldUsd: 0.8 })
  await hold.settle(0.6)
  await hold.settle(0.6)
  await hold.release()
  assert.partialDeepStrictEqual(await hold.extend(exactly(0.1)), { short: cap }, 'a hold that ended does not grow')
  await isShort(ledger, capped, 0.41, cap)
  await held(ledger, capped, 0.4)
}

async function overspends({ ledger }: LedgerUnderTest): Promise<void> {
  await (await held(ledger, capped, 0.1)).settle(1.5)
  await isShort(ledger, capped, 0, cap)
  await held(ledger, { caps: [{ ...cap, account: 'key:other' }] }, 1)
  await held(ledger, { caps: [{ ...cap, capUsd: 2 }] }, 0.5)
}

async function holdsTheRest({ ledger }: LedgerUnderTest): Promise<void> {
  const first = await heldIn(ledger, capped, { atLeast: 0.1, atMost: 0.6 })
  assert.equal(first.usd, 0.6)
  const second = await heldIn(ledger, capped, { atLeast: 0.1, atMost: 0.6 })
  assert.equal(second.usd, 0.4)
  assert.ok(!isHold(await ledger.reserve('req_1', capped, { atLeast: 0.1, atMost: 0.6 })))
  const nothing = await heldIn(ledger, capped, { atLeast: 0, atMost: 0.6 })
  assert.equal(nothing.usd, 0, 'nothing is enough for a request that may cost nothing')
  assert.partialDeepStrictEqual(await second.extend({ atLeast: 0.1, atMost: 0.2 }), { short: cap, leftUsd: 0 })
  assert.equal(second.usd, 0.4)
  await first.settle(0.5)
  assert.equal(await second.extend({ atLeast: 0.05, atMost: 0.2 }), true)
  assert.equal(second.usd, 0.5)
  await second.settle(0.5)
  await isShort(ledger, capped, 0.000000001, cap)
}

async function refusesAmounts({ ledger }: LedgerUnderTest): Promise<void> {
  for (const usd of [Number.NaN, -1]) await assert.rejects(async () => await ledger.reserve('req_1', capped, exactly(usd)))
  await held(ledger, capped, 1)
}

async function raises({ ledger, pass }: LedgerUnderTest): Promise<void> {
  const monthly: SpendCap = { ...cap, period: 'month' }
  await ledger.raiseSpent(monthly, 0.75)
  assert.deepEqual(await ledger.spent([monthly, cap]), [0.75, 0], 'for this period only')
  await isShort(ledger, { caps: [monthly] }, 0.5, monthly)
  const rest = await held(ledger, { caps: [monthly] }, 0.25)
  await ledger.raiseSpent(monthly, 0.5)
  await rest.settle(0.2)
  assert.deepEqual(await ledger.spent([monthly]), [0.95])
  if (!pass) return
  await pass(31 * dayMs)
  assert.deepEqual(await ledger.spent([monthly]), [0])
}

async function countsInAllOrNone({ ledger }: LedgerUnderTest): Promise<void> {
  const team: SpendCap = { account: 'team:example/research', level: 'team', capUsd: 0.5 }
  const both: Spending = { caps: [cap, team] }
  const first = await held(ledger, both, 0.3)
  await isShort(ledger, both, 0.3, team, 'req_2')
  // Nothing of the key was held for it.
  await held(ledger, capped, 0.7, 'req_3')
  await first.settle(0.1)
  assert.deepEqual(await ledger.spent([cap, team, { account: 'key:other' }]), [0.1, 0.1, 0])
  await held(ledger, { caps: [team] }, 0.4, 'req_4')
  await isShort(ledger, { caps: [team] }, 0.01, team, 'req_5')
}

async function startsAgain({ ledger, pass }: LedgerUnderTest): Promise<void> {
  if (!pass) return
  const daily: SpendCap = { account: 'key:daily', level: 'key', capUsd: 1, period: 'day' }
  const hold = await held(ledger, { caps: [daily] }, 0.9)
  await pass(dayMs)
  await held(ledger, { caps: [daily] }, 1, 'req_2')
  await hold.settle(0.9)
  assert.deepEqual(await ledger.spent([daily]), [0], 'yesterday does not count today')
}

async function balances({ ledger }: LedgerUnderTest): Promise<void> {
  const credit = { org: 'example', at, requestId: null } as const
  await isShort(ledger, prepaid, 0.01, 'credit', 'req_0')
  for (let times = 0; times < 2; times++) await ledger.addCredit({ ...credit, id: 'cred_1', amountUsd: 2, note: 'Invoice 7' })
  assert.equal(await ledger.balance('example'), 2, 'an entry with the same id counts once')
  const hold = await held(ledger, prepaid, 1.5, 'req_1')
  assert.equal(await ledger.balance('example'), 2, 'a hold is not spent yet')
  assert.equal((await ledger.heldCredit?.('example')) ?? 1.5, 1.5)
  await isShort(ledger, prepaid, 0.6, 'credit', 'req_2')
  await hold.settle(0.25)
  assert.equal(await ledger.balance('example'), 1.75)
  const [newest, oldest] = await ledger.entries('example', { limit: 10 })
  assert.ok(newest && oldest)
  assert.partialDeepStrictEqual(newest, { org: 'example', amountUsd: -0.25, note: null, requestId: 'req_1' })
  assert.partialDeepStrictEqual(oldest, { id: 'cred_1', amountUsd: 2, note: 'Invoice 7', requestId: null })
  assert.deepEqual(await ledger.entries('example', { limit: 10, after: newest }), [oldest], 'pages go back in time')
  await ledger.addCredit({ ...credit, id: 'cred_2', amountUsd: -1.75, note: 'Refund' })
  assert.equal(await ledger.balance('example'), 0)
  await isShort(ledger, prepaid, 0.000000001, 'credit', 'req_3')
  assert.equal(await ledger.balance('nobody'), 0)
}

async function boundsCredit({ ledger }: LedgerUnderTest): Promise<void> {
  const add = async (id: string, amountUsd: number): Promise<number | undefined> =>
    await ledger.addCredit({ id, org: 'example', at, amountUsd, note: null, requestId: null })
  assert.deepEqual(await Promise.all([add('cred_1', maxCreditUsd - 1), add('cred_2', 0.6), add('cred_3', 0.6)]), [
    maxCreditUsd - 1,
    maxCreditUsd - 0.4,
    undefined,
  ])
  assert.equal(await add('cred_3', 0.4), maxCreditUsd, 'a refused entry left nothing behind')
  assert.deepEqual(await Promise.all([add('cred_4', -maxCreditUsd + 1), add('cred_5', -0.7), add('cred_6', -0.7)]), [1, 0.3, undefined])
  assert.equal(await add('cred_5', -0.7), 0.3, 'an entry that is there already is not refused')
  const hold = await held(ledger, prepaid, 0.1)
  await hold.settle(0.5)
  assert.deepEqual([await add('cred_7', 0.05), await add('cred_8', -0.01)], [-0.15, undefined], 'less debt is better than more')
  assert.equal((await ledger.entries('example', { limit: 100 })).length, 7)
}

async function neverPasses({ ledger, other = ledger }: LedgerUnderTest): Promise<void> {
  await ledger.addCredit({ id: 'cred_1', org: 'example', at, amountUsd: 0.5, note: null, requestId: null })
  const spending: Spending = { caps: [cap], creditOf: 'example' }
  const reserve = async (_: unknown, index: number): Promise<CreditHold | CreditShortage> =>
    await (index % 2 ? other : ledger).reserve(`req_${index}`, spending, exactly(0.03))
  const reserved = await Promise.all(Array.from({ length: 500 }, reserve))
  const holds = reserved.filter(isHold)
  assert.equal(holds.length, 16)
  await Promise.all(holds.map(hold => hold.settle(0.03)))
  assert.ok(Math.abs((await ledger.balance('example')) - 0.02) < 1e-9)
  const entries = await other.entries('example', { limit: 100 })
  assert.equal(entries.length, 17)
  assert.ok(Math.abs(entries.reduce((sum, { amountUsd }) => sum + amountUsd, 0) - (await ledger.balance('example'))) < 1e-9)
}
