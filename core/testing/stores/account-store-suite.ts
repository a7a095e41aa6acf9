import assert from 'node:assert/strict'
import type { Account, AccountStore } from '../../contracts/account-store.ts'
import type { KeyStore } from '../../contracts/key-store.ts'
import { freezeDeeply } from '../../foundation/freeze.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { leanKey } from './key-store-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** An account store under test, without accounts. */
export interface AccountsUnderTest extends Closing {
  /** Empty at first. */
  readonly accounts: AccountStore
  /** The keys of the same store, without keys. Undefined if it has none. */
  readonly keys?: KeyStore
  /** The store of another process, with the same accounts. Undefined if processes share none. */
  readonly other?: AccountStore
  /** Lets time pass for both, or waits. Without it, nothing tests how soon the other process sees a change. */
  pass?(milliseconds: number): Maybe<void>
}

/** For `accountStoreSuite`. */
export interface AccountStoreSuiteOptions {
  /** Called once per test. */
  open(): Maybe<AccountsUnderTest>
}

/** Tests for every implementation of `AccountStore`. */
export function accountStoreSuite(t: SuiteContext, { open }: AccountStoreSuiteOptions): void {
  const test = onEachStore(t, open)
  test('an account comes back to the letter, by its level, organization and id', comesBack)
  test('accounts change', changes)
  test('a function changes an account, and nothing else does meanwhile', changesByFunction)
  test('pages have the accounts of a level, an organization or a team', pages)
  test('an account with others or keys below it stays', keepsThoseInUse)
  test('an id is never used again', retiresIds)
  test('another process sees a change within a second', sharesChanges)
}

const at = Date.UTC(2026, 0, 1)
const org: Account = { level: 'org', org: 'example', id: 'example', name: 'Example', policy: {}, createdAt: at }
const team: Account = {
  level: 'team',
  org: 'example',
  id: 'research',
  name: 'Research “naïve”',
  policy: { zdr: { value: true, enforced: true } },
  spendCapUsd: 0.1,
  spendPeriod: 'week',
  metadata: { cost_center: '7' },
  createdAt: at + 1,
}
const user: Account = { level: 'user', org: 'example', id: 'ada', name: 'Ada', team: 'research', policy: {}, createdAt: at + 2 }
const namesake: Account = { ...team, org: 'another' }

async function addAll(accounts: AccountStore): Promise<void> {
  for (const account of [org, team, user, namesake]) assert.equal(await accounts.add(account), true)
}

async function comesBack({ accounts }: AccountsUnderTest): Promise<void> {
  assert.equal(typeof accounts.persistent, 'boolean')
  for (const account of [org, team, user]) assert.equal(await accounts.find(account), undefined)
  await addAll(accounts)
  assert.equal(await accounts.add({ ...team, name: 'Again' }), false)
  for (const account of [org, team, user, namesake]) assert.deepEqual(await accounts.find(account), account)
  assert.equal(await accounts.find(team), await accounts.find(team), 'the same object until the account changes')
  assert.equal(await accounts.find({ level: 'user', org: 'another', id: 'ada' }), undefined)
  assert.deepEqual((await accounts.named('team', 'research')).map(found => found.org).toSorted(), ['another', 'example'])
}

async function changes({ accounts }: AccountsUnderTest): Promise<void> {
  await addAll(accounts)
  freezeDeeply(await accounts.find(team))
  assert.equal(await accounts.update(team, { spendCapUsd: undefined, hasCredit: true }), true)
  const { spendCapUsd: _, ...uncapped } = team
  assert.partialDeepStrictEqual(await accounts.find(team), { ...uncapped, hasCredit: true })
  assert.equal((await accounts.find(team))?.spendCapUsd, undefined)
  const policy = { zdr: { value: true, enforced: true, setBy: 'org' } } as const
  await accounts.update(team, { policy })
  assert.deepEqual((await accounts.find(team))?.policy, policy, 'who made a lock is kept')
  assert.deepEqual(await accounts.find(namesake), namesake, 'the team of another organization stays')
  assert.equal(await accounts.update({ ...team, id: 'nobody' }, { name: 'x' }), false)
  assert.equal(await accounts.update({ ...team, id: 'nobody' }, {}), false)
}

async function changesByFunction({ accounts, other = accounts }: AccountsUnderTest): Promise<void> {
  await addAll(accounts)
  const refused = new Error('not allowed')
  const refusing = async (): Promise<unknown> =>
    await accounts.update(team, () => {
      throw refused
    })
  await assert.rejects(refusing(), refused, 'what the change throws reaches the caller')
  assert.deepEqual(await accounts.find(team), team)
  const grow = async (_: unknown, index: number): Promise<boolean> =>
    await (index % 2 ? other : accounts).update(org, ({ spendCapUsd = 0 }) => ({ spendCapUsd: spendCapUsd + 1 }))
  assert.ok((await Promise.all(Array.from({ length: 20 }, grow))).every(isThere => isThere))
  await accounts.update(org, ({ spendCapUsd }) => {
    assert.equal(spendCapUsd, 20, 'each change must begin with the result of the one before')
    return {}
  })
}

async function pages({ accounts }: AccountsUnderTest): Promise<void> {
  await addAll(accounts)
  assert.deepEqual((await accounts.page({ level: 'team' }, { limit: 10 })).map(found => found.org).toSorted(), ['another', 'example'])
  for (let index = 0; index < 5; index++) await accounts.add({ ...user, id: `u${index}`, team: undefined, createdAt: at + 10 })
  const first = await accounts.page({ level: 'user', org: 'example' }, { limit: 3 })
  const last = first.at(-1)
  assert.ok(last)
  const second = await accounts.page({ level: 'user', org: 'example' }, { limit: 3, after: { at: last.createdAt, id: last.id } })
  assert.deepEqual(
    [...first, ...second].map(({ id }) => id),
    ['ada', 'u0', 'u1', 'u2', 'u3', 'u4'],
  )
  const members = await accounts.page({ level: 'user', org: 'example', team: 'research' }, { limit: 3 })
  assert.deepEqual(
    members.map(({ id }) => id),
    ['ada'],
  )
}

async function keepsThoseInUse({ accounts, keys }: AccountsUnderTest): Promise<void> {
  await addAll(accounts)
  assert.equal(await accounts.remove({ ...team, id: 'nobody' }), 'unknown')
  assert.equal(await accounts.remove(org), 'in-use', 'it has teams')
  assert.equal(await accounts.remove(team), 'in-use', 'it has a user')
  if (!keys) return
  await keys.add({ ...leanKey, user: 'ada' })
  assert.equal(await accounts.remove(user), 'in-use', 'it has a key')
  assert.ok(await accounts.find(user))
  await keys.update(leanKey.id, { hidden: true })
  assert.equal(await accounts.remove(user), 'removed', 'a hidden key does not count')
}

async function retiresIds({ accounts }: AccountsUnderTest): Promise<void> {
  await addAll(accounts)
  assert.equal(await accounts.remove(user), 'removed')
  assert.equal(await accounts.find(user), undefined)
  assert.equal(await accounts.remove(team), 'removed')
  assert.equal(await accounts.remove(user), 'unknown')
  assert.equal(await accounts.add(user), false, 'an id is never used again')
  assert.equal(await accounts.find(user), undefined)
  assert.ok(await accounts.find(namesake))
}

async function sharesChanges({ accounts, other, pass }: AccountsUnderTest): Promise<void> {
  if (!other || !pass) return
  await addAll(accounts)
  assert.deepEqual(await other.find(team), team)
  await pass(600)
  await Promise.all([other.find(team), accounts.update(team, { name: 'Renamed' }), other.find(team)])
  for (let step = 0; step < 10; step++) {
    await pass(100)
    await other.find(team)
  }
  assert.equal((await other.find(team))?.name, 'Renamed')
}
