import type { Test } from 'tap'
import type { ApiKey, KeyStore } from '../../../core/stores.ts'
import type { FakeClock } from '../../kit/set-up.ts'

export const leanKey: ApiKey = {
  id: 'lean',
  hash: 'aGFzaA',
  name: 'Lean',
  org: 'example',
  policy: {},
  createdAt: 1_767_225_600_000,
}

export const fullKey: ApiKey = {
  id: 'full',
  hash: 'aGFzaDI',
  name: 'Full “naïve” 🔑',
  org: 'example',
  team: 'research',
  user: 'ada',
  policy: { zdr: { value: true, enforced: false }, redaction: { value: true, enforced: true, settings: { detectors: ['email'] } } },
  models: ['example/one', 'two'],
  providers: [],
  spendCapUsd: 0.1,
  allowUnpriced: false,
  limits: [{ tokens: 100_000, windowMs: 60_000 }],
  disabled: true,
  previous: [
    { hash: 'aGFzaDE', validUntil: 1_767_225_700_000 },
    { hash: 'aGFzaDA', validUntil: 1_767_225_650_000 },
  ],
  createdAt: 1_767_225_600_001,
}

/** A key that one process revokes stops working in another within a second, however often it is looked up meanwhile. */
export async function checkRevocation(t: Test, [one, two]: readonly KeyStore[], clock: FakeClock): Promise<void> {
  const lookUps = async (): Promise<readonly (ApiKey | undefined)[]> =>
    await Promise.all(Array.from({ length: 200 }, async () => await two!.find('lean')))
  await one!.add(leanKey)
  t.ok((await lookUps()).every(key => key && !key.disabled))
  clock.pass(600)
  const [, revoked] = await Promise.all([lookUps(), one!.update('lean', { disabled: true }), lookUps()])
  t.equal(revoked, true)
  for (let step = 0; step < 10; step++) {
    clock.pass(100)
    await lookUps()
  }
  t.ok((await lookUps()).every(key => key?.disabled))
}

/** Every key store passes this. */
export async function checkKeyChanges(t: Test, keys: KeyStore): Promise<void> {
  t.same(await keys.list(), [])
  await keys.add(leanKey)
  await keys.add(fullKey)
  t.same(await keys.list(), [leanKey, fullKey], 'the oldest first')
  t.equal(await keys.update('lean', { disabled: true }), true)
  t.match(await keys.find('lean'), { ...leanKey, disabled: true }, 'at once in this process')
  const previous = [{ hash: leanKey.hash, validUntil: 1 }]
  t.equal(await keys.update('lean', { hash: 'bmV3', previous }), true)
  t.match(await keys.find('lean'), { ...leanKey, disabled: true, hash: 'bmV3', previous }, 'other members stay')
  t.equal(await keys.update('full', { previous: undefined, models: undefined, spendCapUsd: 2 }), true)
  const changed = (await keys.find('full'))!
  t.same([changed.previous, changed.models, changed.spendCapUsd, changed.team], [undefined, undefined, 2, 'research'])
  t.equal(await keys.update('full', {}), true)
  t.equal(await keys.update('nobody', { disabled: true }), false)
  t.equal(await keys.update('nobody', {}), false)
  t.equal((await keys.list()).length, 2)
}
