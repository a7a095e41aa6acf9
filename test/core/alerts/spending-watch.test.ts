import t from 'tap'
import { FullCredits } from '../../../core/alerts/full-credits.ts'
import { SpendingWatch } from '../../../core/alerts/spending-watch.ts'
import { keysInPage, usedKeys } from '../../../core/alerts/used-keys.ts'
import { Accounts, noAccounts } from '../../../core/admission/accounts.ts'
import { noRecords } from '../../../core/records/no-records.ts'
import type { Account, KeyUse, RecordStore } from '../../../core/stores.ts'
import { leanKey } from '../../../core/testing/stores/key-store-suite.ts'
import { testRecord } from '../../../core/testing/test-record.ts'
import { MemoryKeys } from '../../../plugins/stores/memory/keys.ts'
import { MemoryLedger } from '../../../plugins/stores/memory/ledger.ts'
import { MemoryRecords } from '../../../plugins/stores/memory/records.ts'
import { AlertStage, dayMs } from './stage.ts'

/** Gateways that share accounts, a ledger and a store of alerts. */
function stage({ gateways = 1, percent = [50, 80, 100] } = {}) {
  const shared = new AlertStage()
  const { clock, store } = shared
  const ledger = new MemoryLedger(clock)
  const keys = new MemoryKeys()
  const accounts = new Map<string, Account>()
  const found = new Accounts({ ...noAccounts, find: ({ level, id }) => accounts.get(`${level}:${id}`) })
  const credits = new FullCredits(store, ledger)
  const uses = new Map<string, KeyUse>()
  // As of a store that cannot name the keys that were used lately.
  const { usedKeys: _, ...unnaming } = noRecords
  const records = { ...unnaming, keyUse: () => uses }
  const make = (): SpendingWatch =>
    new SpendingWatch({ announcer: shared.announcer(), ledger, keys, records, accounts: found, credits, percent, now: () => clock.now() })
  const watches = Array.from({ length: gateways }, make)
  const key = { ...leanKey, id: 'demo', name: 'demo', org: 'example', createdAt: clock.now() }
  keys.add(key)
  /** Each gateway sees that the key spent something, or could not. */
  const touch = async (short?: 'credit' | { account: string }): Promise<void> => {
    const caller = { key: keys.find('demo') ?? key } as never
    await Promise.all(
      watches.map(watch => {
        watch.touch(caller, short as never)
        return watch.check()
      }),
    )
  }
  /** By a gateway that tells nobody. */
  const spendUnseen = async (account: string, usd: number, period?: 'day' | 'month'): Promise<void> => {
    const hold = ledger.reserve('req', { caps: [{ account, level: 'key', capUsd: 1e6, period }] }, { atLeast: usd, atMost: usd })
    if (!('settle' in hold)) throw new Error('short')
    await hold.settle(usd)
  }
  const spend = async (...spending: Parameters<typeof spendUnseen>): Promise<void> => {
    await spendUnseen(...spending)
    await touch()
  }
  const account = (level: Account['level'], id: string, members: Partial<Account>): void =>
    void accounts.set(`${level}:${id}`, { level, id, org: 'example', name: id, policy: {}, createdAt: 0, ...members })
  return {
    ...shared,
    shared,
    clock,
    store,
    ledger,
    keys,
    uses,
    watches,
    credits,
    touch,
    spend,
    spendUnseen,
    account,
    titles: () => shared.titles,
  }
}

t.test('a cap is told of at each part, once over three gateways', async t => {
  const { keys, shared, spend, titles } = stage({ gateways: 3 })
  keys.update('demo', { spendCapUsd: 10 })
  await spend('key:demo', 4.9)
  t.same(titles(), [])
  await spend('key:demo', 0.1)
  t.same(titles(), ['API key "demo" (demo) has used 50% of its spend cap'])
  await spend('key:demo', 2.9)
  t.equal(titles().length, 1)
  await spend('key:demo', 0.2)
  await spend('key:demo', 1)
  await spend('key:demo', 1)
  t.same(titles().slice(1), ['API key "demo" (demo) has used 80% of its spend cap', 'API key "demo" (demo) has used 100% of its spend cap'])
  t.match(shared.alerts, [
    {
      kind: 'cap',
      subject: 'key:demo',
      org: 'example',
      severity: 'warning',
      facts: { percent: 50, spent_usd: 5, cap_usd: 10, period: null },
    },
    { severity: 'warning', message: '8.10 of 10.00 USD are spent.' },
    { severity: 'critical', message: '10.10 of 10.00 USD are spent. Requests that do not fit get a 402 until the cap is raised.' },
  ])
})

t.test('several parts at once are one alert, and none below comes after it', async t => {
  const { keys, spend, titles, ledger, touch } = stage({ gateways: 2 })
  keys.update('demo', { spendCapUsd: 10 })
  await spend('key:demo', 9)
  t.same(titles(), ['API key "demo" (demo) has used 80% of its spend cap'])
  ledger.spent = () => [5.5]
  await touch()
  t.equal(titles().length, 1, 'a gateway that reads late')
})

t.test('a raised cap, and a new period, start anew', async t => {
  const { clock, keys, spend, titles, touch, shared } = stage()
  keys.update('demo', { spendCapUsd: 10, spendPeriod: 'day' })
  await spend('key:demo', 8.5, 'day')
  keys.update('demo', { spendCapUsd: 20 })
  await touch()
  t.equal(titles().length, 1)
  await spend('key:demo', 2, 'day')
  t.same(
    shared.alerts.map(({ facts }) => [facts['percent'], facts['cap_usd']]),
    [
      [80, 10],
      [50, 20],
    ],
  )
  t.match(shared.alerts[1], { message: '10.50 of 20.00 USD today are spent. The next day begins at 2026-01-16T00:00:00.000Z.' })
  clock.pass(dayMs)
  await touch()
  await spend('key:demo', 1, 'day')
  t.equal(titles().length, 2)
  await spend('key:demo', 9, 'day')
  t.equal(titles().length, 3)
})

t.test('a request that began under a lower cap says nothing of the new one', async t => {
  const { keys, spend, titles } = stage()
  keys.update('demo', { spendCapUsd: 100 })
  await spend('key:demo', 10.5)
  t.same(titles(), [])
})

t.test('a refusal near the end of a cap says that it is used up, and one far from it does not', async t => {
  const { keys, spend, touch, titles } = stage({ gateways: 2 })
  keys.update('demo', { spendCapUsd: 10 })
  await spend('key:demo', 3)
  await touch({ account: 'key:demo' })
  t.same(titles(), [], 'a large request')
  await spend('key:demo', 6.7)
  await touch({ account: 'org:example' })
  t.equal(titles().length, 1)
  await touch({ account: 'key:demo' })
  await touch({ account: 'key:demo' })
  t.same(titles(), ['API key "demo" (demo) has used 80% of its spend cap', 'API key "demo" (demo) has used 100% of its spend cap'])
})

t.test('caps of user, team and organization are told by their own names', async t => {
  const { account, keys, spend, shared } = stage()
  keys.update('demo', { team: 'research', user: 'ada' })
  account('user', 'ada', { spendCapUsd: 10, spendPeriod: 'month' })
  account('team', 'research', { spendCapUsd: 10 })
  account('org', 'example', { spendCapUsd: 10 })
  await spend('user:example/ada', 5, 'month')
  await spend('team:example/research', 8)
  await spend('org:example', 10)
  t.same(shared.titles, [
    'User ada has used 50% of its spend cap',
    'Team research has used 80% of its spend cap',
    'Organization example has used 100% of its spend cap',
  ])
  t.same(
    shared.alerts.map(({ subject }) => subject),
    ['user:example/ada', 'team:example/research', 'org:example'],
  )
})

t.test('credit is told of by parts of what was there when it was last added to', async t => {
  const { account, credits, ledger, touch, shared } = stage({ gateways: 3 })
  account('org', 'example', { hasCredit: true })
  const pay = async (usd: number): Promise<void> => {
    const hold = ledger.reserve('req', { caps: [], creditOf: 'example' }, { atLeast: usd, atMost: usd })
    if (!('settle' in hold)) throw new Error('short')
    await hold.settle(usd)
    await touch()
  }
  const add = (id: string, amountUsd: number): number =>
    ledger.addCredit({ id, org: 'example', at: 0, amountUsd, note: null, requestId: null })!
  await credits.added('example', add('one', 100))
  await pay(40)
  t.same(shared.titles, [])
  await pay(50)
  t.same(shared.titles, ['Organization example has used 80% of its credit'])
  await credits.added('example', add('two', 50))
  await touch()
  t.equal(shared.titles.length, 1)
  await pay(31)
  t.match(shared.alerts.at(-1), { kind: 'credit', org: 'example', facts: { percent: 50, balance_usd: 29, full_usd: 60 } })
  add('three', 200)
  await touch()
  await pay(100)
  t.equal(shared.titles.length, 2, 'it was added where nobody watched')
  await pay(20)
  t.match(shared.alerts.at(-1), { facts: { percent: 50, full_usd: 229 } })
  await touch('credit')
  t.equal(shared.titles.length, 3)
})

t.test('other parts', async t => {
  const { keys, spend, titles, touch } = stage({ percent: [90] })
  keys.update('demo', { spendCapUsd: 1 })
  await spend('key:demo', 0.89)
  await touch({ account: 'key:demo' })
  t.same(titles(), [])
  await spend('key:demo', 0.01)
  t.same(titles(), ['API key "demo" (demo) has used 90% of its spend cap'])
})

t.test('what could not be looked at is looked at again', async t => {
  const { keys, ledger, spend, titles, touch } = stage()
  keys.update('demo', { spendCapUsd: 10 })
  const { spent } = ledger
  ledger.spent = () => {
    throw new Error('down')
  }
  await t.rejects(spend('key:demo', 6), { message: 'down' })
  ledger.spent = spent
  await touch()
  t.equal(titles().length, 1)
})

t.test('another gateway raises the alerts that a killed gateway missed', async t => {
  const { clock, keys, uses, watches, spend, spendUnseen, titles, touch } = stage({ gateways: 2 })
  const catchUp = async (): Promise<void> => void (await Promise.all(watches.map(watch => watch.catchUp())))
  keys.update('demo', { spendCapUsd: 10 })
  for (let index = 0; index < 250; index++) keys.add({ ...leanKey, id: `other${index}`, name: 'other', createdAt: clock.now() + 1 })
  await spend('key:demo', 6)
  t.equal(titles().length, 1)
  await spendUnseen('key:demo', 3)
  await catchUp()
  t.equal(titles().length, 1, 'nobody used it')
  uses.set('demo', { requests: 2, costUsd: 9, lastUsedAt: clock.now() })
  await catchUp()
  await catchUp()
  await touch()
  t.same(titles().slice(1), ['API key "demo" (demo) has used 80% of its spend cap'])
  await spendUnseen('key:demo', 1)
  clock.pass(dayMs + 1)
  await catchUp()
  t.equal(titles().length, 2, 'nobody used it for a day')
  await Promise.all(watches.map(watch => watch.checkAll()))
  t.match(titles().slice(2), ['API key "demo" (demo) has used 100% of its spend cap'], 'after a start, whatever the records say')
})

t.test('keys that nobody used lately are not read', async t => {
  const { clock } = new AlertStage()
  const records = new MemoryRecords(10)
  const keys = new MemoryKeys()
  for (let index = 0; index < 3 * keysInPage; index++) keys.add({ ...leanKey, id: `k${index}` })
  const used = (id: string, at: number) => testRecord({ id: `req_${id}`, keyId: id, at })
  await records.write([used('k7', clock.now()), used('k8', clock.now() - 2 * dayMs), used('k9', clock.now() - 1)])
  let calls = 0
  const counted = <T extends object>(store: T): T =>
    new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        return typeof member === 'function' ? (...args: unknown[]) => (calls++, Reflect.apply(member, target, args) as unknown) : member
      },
    })
  const found: string[] = []
  for await (const page of usedKeys(counted(keys), counted(records), clock.now() - dayMs, clock.now()))
    found.push(...page.map(({ id }) => id))
  t.same(found, ['k9', 'k7'])
  t.equal(calls, 2)
})

t.test('a page of keys that are used over and over ends', async t => {
  const now = 1_000
  const endless: RecordStore = {
    ...noRecords,
    usedKeys: (_, { limit, after = { at: now - 1, id: '' } }) =>
      Array.from({ length: limit }, (__, index) => ({ at: after.at + 1, id: `k${index}` })),
  }
  let pages = 0
  for await (const _ of usedKeys(new MemoryKeys(), endless, 0, now)) pages++
  t.equal(pages, 2)
})
