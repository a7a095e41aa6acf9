import type { Test } from 'tap'
import type { Account, AccountStore, AdminTokenStore, AuditEntry, AuditTrail, KeyStore } from '../../../core/stores.ts'
import { leanKey } from './keys.ts'

const at = Date.UTC(2026, 0, 1)
export const org: Account = { level: 'org', org: 'example', id: 'example', name: 'Example', policy: {}, createdAt: at }
export const team: Account = {
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
export const user: Account = { level: 'user', org: 'example', id: 'ada', name: 'Ada', team: 'research', policy: {}, createdAt: at + 2 }

/** Every store of accounts passes this. */
export async function checkAccounts(t: Test, accounts: AccountStore, keys: KeyStore): Promise<void> {
  for (const account of [org, team, user]) t.equal(await accounts.find(account), undefined)
  for (const account of [org, team, user, { ...team, org: 'another' }]) t.equal(await accounts.add(account), true)
  t.equal(await accounts.add({ ...team, name: 'Again' }), false)
  for (const account of [org, team, user]) t.same(await accounts.find(account), account)
  t.equal(await accounts.find(team), await accounts.find(team), 'the same object')
  t.same(await accounts.find({ level: 'user', org: 'another', id: 'ada' }), undefined)
  t.same((await accounts.named('team', 'research')).map(found => found.org).toSorted(), ['another', 'example'])

  t.equal(await accounts.update(team, { spendCapUsd: undefined, hasCredit: true }), true)
  const { spendCapUsd: _, ...uncapped } = team
  t.match(await accounts.find(team), { ...uncapped, hasCredit: true })
  t.equal((await accounts.find(team))?.spendCapUsd, undefined)
  const policy = { zdr: { value: true, enforced: true, setBy: 'org' } } as const
  await accounts.update(team, { policy })
  t.same((await accounts.find(team))?.policy, policy, 'who made a lock is kept')
  t.equal(await accounts.update({ ...team, id: 'nobody' }, { name: 'x' }), false)
  const refused = new Error('not allowed')
  const refusing = async (): Promise<unknown> =>
    await accounts.update(team, () => {
      throw refused
    })
  await t.rejects(refusing(), refused, 'what the change throws reaches the caller')
  t.equal(await accounts.update({ ...team, id: 'nobody' }, {}), false)

  t.same((await accounts.page({ level: 'team' }, { limit: 10 })).map(found => found.org).toSorted(), ['another', 'example'])
  for (let index = 0; index < 5; index++) await accounts.add({ ...user, id: `u${index}`, team: undefined, createdAt: at + 10 })
  const first = await accounts.page({ level: 'user', org: 'example' }, { limit: 3 })
  const { createdAt, id } = first.at(-1)!
  const second = await accounts.page({ level: 'user', org: 'example' }, { limit: 3, after: { at: createdAt, id } })
  t.same(
    [...first, ...second].map(found => found.id),
    ['ada', 'u0', 'u1', 'u2', 'u3', 'u4'],
  )
  t.same(
    (await accounts.page({ level: 'user', org: 'example', team: 'research' }, { limit: 3 })).map(found => found.id),
    ['ada'],
  )

  t.equal(await accounts.remove({ ...team, id: 'nobody' }), 'unknown')
  t.equal(await accounts.remove(org), 'in-use', 'it has teams')
  t.equal(await accounts.remove(team), 'in-use', 'it has a user')
  await keys.add({ ...leanKey, user: 'ada' })
  t.equal(await accounts.remove(user), 'in-use', 'it has a key')
  await keys.update(leanKey.id, { hidden: true })
  t.equal(await accounts.remove(user), 'removed', 'a hidden key does not count')
  t.equal(await accounts.find(user), undefined)
  t.equal(await accounts.remove(team), 'removed')
  t.equal(await accounts.remove(user), 'unknown')
  t.equal(await accounts.add(user), false, 'an id is never used again')
  t.equal(await accounts.find(user), undefined)
  t.ok(await accounts.find({ ...team, org: 'another' }))
}

/** Every audit trail passes this. */
export async function checkAuditTrail(t: Test, trail: AuditTrail): Promise<void> {
  const entry = (index: number): AuditEntry => ({
    id: `audit_${index}`,
    at: at + Math.floor(index / 2),
    actor: index % 2 ? 'command-line' : 'token_1',
    action: 'keys.update',
    target: `key_${index}`,
    org: index < 3 ? null : 'example',
    changes: { disabled: { from: false, to: true } },
  })
  for (let index = 0; index < 7; index++) await trail.add(entry(index))
  const ids = (entries: readonly AuditEntry[]): readonly string[] => entries.map(({ id }) => id.slice(-1))
  const first = await trail.page({}, { limit: 4 })
  t.same(first[0], entry(6))
  t.same(ids([...first, ...(await trail.page({}, { limit: 4, after: first.at(-1)! }))]), ['6', '5', '4', '3', '2', '1', '0'])
  t.same(ids(await trail.page({ org: 'example' }, { limit: 9 })), ['6', '5', '4', '3'])
  t.same(ids(await trail.page({ actor: 'command-line', from: at + 1 }, { limit: 9 })), ['5', '3'])
  t.same(ids(await trail.page({ target: 'key_2', to: at + 2 }, { limit: 9 })), ['2'])
}

/** Every store of admin tokens passes this. */
export async function checkAdminTokens(t: Test, tokens: AdminTokenStore): Promise<void> {
  const owner = { id: 'one', hash: 'aGFzaA', name: 'First', role: 'owner', createdAt: at } as const
  const viewer = { id: 'two', hash: 'aGFzaDI', name: 'Second', role: 'viewer', org: 'example', createdAt: at + 1 } as const
  t.same(await tokens.list(), [])
  await tokens.add(owner)
  await tokens.add(viewer)
  t.same(await tokens.find('one'), owner)
  t.same(await tokens.find('nobody'), undefined)
  t.same(await tokens.list(), [owner, viewer])
  t.equal(await tokens.remove('one'), true)
  t.equal(await tokens.remove('one'), false)
  t.same(await tokens.find('one'), undefined)
}
