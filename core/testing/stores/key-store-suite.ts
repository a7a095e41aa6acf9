import assert from 'node:assert/strict'
import type { ApiKey, KeyFilter, KeyStore } from '../../contracts/key-store.ts'
import { freezeDeeply } from '../../foundation/freeze.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** A key store under test, without keys. */
export interface KeysUnderTest extends Closing {
  /** Empty at first. */
  readonly keys: KeyStore
  /** The store of another process, with the same keys. Undefined if processes share none. */
  readonly other?: KeyStore
  /** Lets time pass for both, or waits. Without it, nothing tests how soon the other process sees a change. */
  pass?(milliseconds: number): Maybe<void>
}

/** For `keyStoreSuite`. */
export interface KeyStoreSuiteOptions {
  /** Called once per test. */
  open(): Maybe<KeysUnderTest>
}

/** Tests for every implementation of `KeyStore`. */
export function keyStoreSuite(t: SuiteContext, { open }: KeyStoreSuiteOptions): void {
  const test = onEachStore(t, open)
  test('a key comes back to the letter', comesBack)
  test('an id is given once', givesOnce)
  test('keys change', changes)
  test('a function changes a key, and nothing else does meanwhile', changesByFunction)
  test('pages have the keys of an organization, a team or a user', pages)
  test('a hidden key is found, but not listed', hides)
  test('pages have the keys that expire in some time', expires)
  test('many keys are found at once', findsAll)
  test('a key is removed once', removes)
  test('a key that one process revokes stops working in another within a second', revokes)
}

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

async function comesBack({ keys }: KeysUnderTest): Promise<void> {
  assert.equal(typeof keys.persistent, 'boolean')
  assert.equal(await keys.empty(), true)
  await keys.add(leanKey)
  assert.equal(await keys.empty(), false)
  await keys.add(fullKey)
  assert.deepEqual(await keys.find('lean'), leanKey)
  assert.deepEqual(await keys.find('full'), fullKey)
  assert.equal(await keys.find('lean'), await keys.find('lean'), 'the same object until the key changes')
  for (const id of ['other', '', 'Lean', "' or 1=1 --"]) assert.equal(await keys.find(id), undefined, `the key ${id}`)
}

async function givesOnce({ keys }: KeysUnderTest): Promise<void> {
  await keys.add(leanKey)
  await assert.rejects(async () => await keys.add({ ...fullKey, id: 'lean' }), 'an id that is taken must be refused')
  assert.deepEqual(await keys.find('lean'), leanKey)
}

async function changes({ keys }: KeysUnderTest): Promise<void> {
  assert.deepEqual(await keys.list(), [])
  await keys.add(leanKey)
  await keys.add(fullKey)
  assert.deepEqual(await keys.list(), [leanKey, fullKey], 'the oldest first')
  freezeDeeply(await keys.find('lean'))
  assert.equal(await keys.update('lean', { disabled: true }), true)
  assert.partialDeepStrictEqual(await keys.find('lean'), { ...leanKey, disabled: true }, 'at once in this process')
  const previous = [{ hash: leanKey.hash, validUntil: 1 }]
  assert.equal(await keys.update('lean', { hash: 'bmV3', previous }), true)
  assert.partialDeepStrictEqual(await keys.find('lean'), { ...leanKey, disabled: true, hash: 'bmV3', previous }, 'other members stay')
  assert.equal(await keys.update('full', { previous: undefined, models: undefined, spendCapUsd: 2 }), true)
  const changed = await keys.find('full')
  assert.ok(changed)
  assert.deepEqual([changed.previous, changed.models, changed.spendCapUsd, changed.team], [undefined, undefined, 2, 'research'])
  assert.equal(await keys.update('full', {}), true)
  assert.equal(await keys.update('nobody', { disabled: true }), false)
  assert.equal(await keys.update('nobody', {}), false)
  assert.equal((await keys.list()).length, 2)
}

async function changesByFunction({ keys, other = keys }: KeysUnderTest): Promise<void> {
  await keys.add(leanKey)
  const refused = new Error('not allowed')
  const refusing = async (): Promise<unknown> =>
    await keys.update('lean', () => {
      throw refused
    })
  await assert.rejects(refusing(), refused, 'what the change throws reaches the caller')
  assert.deepEqual(await keys.find('lean'), leanKey)
  const grow = async (_: unknown, index: number): Promise<boolean> =>
    await (index % 2 ? other : keys).update('lean', ({ spendCapUsd = 0 }) => ({ spendCapUsd: spendCapUsd + 1 }))
  assert.ok((await Promise.all(Array.from({ length: 20 }, grow))).every(isThere => isThere))
  await keys.update('lean', ({ spendCapUsd }) => {
    assert.equal(spendCapUsd, 20, 'each change must begin with the result of the one before')
    return {}
  })
  assert.equal(await keys.update('nobody', () => ({ disabled: true })), false)
}

async function expires({ keys }: KeysUnderTest): Promise<void> {
  const { createdAt } = leanKey
  for (const [id, expiresAt] of Object.entries({ c: 1_000, b: 2_000, a: 3_000, never: undefined }))
    await keys.add({ ...leanKey, id, createdAt: createdAt - (expiresAt ?? 0), ...(expiresAt !== undefined && { expiresAt }) })
  await keys.add({ ...leanKey, id: 'hidden', expiresAt: 2_000, disabled: true, hidden: true })
  const ids = async (after: number, by: number, limit = 10): Promise<string> =>
    (await keys.page({ expires: { after, by } }, { limit })).map(({ id }) => id).join()
  assert.equal(await ids(0, 3_000), 'a,b,c', 'the oldest first')
  assert.equal(await ids(0, 3_000, 2), 'a,b')
  assert.equal(await ids(1_000, 2_999), 'b')
  assert.equal(await ids(3_000, 9_000), '')
}

async function findsAll({ keys }: KeysUnderTest): Promise<void> {
  if (!keys.findAll) return
  await keys.add(leanKey)
  await keys.add(fullKey)
  await keys.add({ ...leanKey, id: 'hidden', disabled: true, hidden: true })
  const found = await keys.findAll(['full', 'nobody', 'hidden'])
  assert.deepEqual(
    found.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    [fullKey, { ...leanKey, id: 'hidden', disabled: true, hidden: true }],
  )
  assert.deepEqual(await keys.findAll([]), [])
}

async function pages({ keys }: KeysUnderTest): Promise<void> {
  const { createdAt } = leanKey
  const add = async (id: string, members: Partial<ApiKey>): Promise<void> => void (await keys.add({ ...leanKey, id, ...members }))
  await add('c', { team: 'research', createdAt: createdAt + 1 })
  await add('b', { team: 'research', user: 'ada', createdAt: createdAt + 1 })
  await add('a', { user: 'ada', createdAt: createdAt + 2 })
  await add('z', {})
  await add('y', { org: 'another', team: 'research', user: 'ada' })
  const ids = async (filter: KeyFilter): Promise<string> => (await keys.page(filter, { limit: 10 })).map(({ id }) => id).join()
  assert.equal(await ids({}), 'y,z,b,c,a', 'the oldest first, those of one time by their id')
  assert.equal(await ids({ org: 'example' }), 'z,b,c,a')
  assert.equal(await ids({ org: 'example', team: 'research' }), 'b,c')
  assert.equal(await ids({ org: 'example', user: 'ada' }), 'b,a')
  assert.equal(await ids({ org: 'nobody' }), '')
  const first = await keys.page({ org: 'example' }, { limit: 2 })
  const last = first.at(-1)
  assert.ok(last)
  const second = await keys.page({ org: 'example' }, { limit: 9, after: { at: last.createdAt, id: last.id } })
  assert.equal([...first, ...second].map(({ id }) => id).join(), 'z,b,c,a')
}

async function hides({ keys }: KeysUnderTest): Promise<void> {
  await keys.add(leanKey)
  await keys.add(fullKey)
  assert.equal(await keys.update('lean', { hidden: true }), true)
  assert.equal((await keys.find('lean'))?.hidden, true)
  assert.deepEqual(
    (await keys.list()).map(({ id }) => id),
    ['full'],
  )
  assert.deepEqual(
    (await keys.page({}, { limit: 9 })).map(({ id }) => id),
    ['full'],
  )
  assert.equal(await keys.empty(), false)
}

async function removes({ keys }: KeysUnderTest): Promise<void> {
  await keys.add(leanKey)
  await keys.add(fullKey)
  assert.equal(await keys.remove('lean'), true)
  assert.equal(await keys.remove('lean'), false)
  assert.equal(await keys.find('lean'), undefined)
  assert.deepEqual(
    (await keys.list()).map(({ id }) => id),
    ['full'],
  )
}

/** However often the key is looked up meanwhile. */
async function revokes({ keys, other, pass }: KeysUnderTest): Promise<void> {
  if (!other || !pass) return
  const lookUps = async (): Promise<readonly (ApiKey | undefined)[]> =>
    await Promise.all(Array.from({ length: 200 }, async () => await other.find('lean')))
  await keys.add(leanKey)
  assert.ok((await lookUps()).every(key => key && !key.disabled))
  await pass(600)
  const [, revoked] = await Promise.all([lookUps(), keys.update('lean', { disabled: true }), lookUps()])
  assert.equal(revoked, true)
  for (let step = 0; step < 10; step++) {
    await pass(100)
    await lookUps()
  }
  assert.ok((await lookUps()).every(key => key?.disabled))
}
