import assert from 'node:assert/strict'
import { keepCountedMs, keepFailedMessagesMs, keepMessagesMs, maxFailedMessages, unclaimedMessage } from '../../alerts/message-retention.ts'
import type { AlertOutbox, NewAlertMessage, TakenMessage } from '../../contracts/alert-outbox.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** An outbox under test, without messages. */
export interface AlertOutboxUnderTest extends Closing {
  /** Empty at first. */
  readonly outbox: AlertOutbox
  /** The same store as another gateway has it. */
  readonly other?: AlertOutbox
  /** Makes all that is stored so much older. */
  pass(milliseconds: number): Maybe<void>
}

/** For `alertOutboxSuite`. */
export interface AlertOutboxSuiteOptions {
  /** Called once per test. */
  open(): Maybe<AlertOutboxUnderTest>
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const limit = { most: 3, windowMs: hourMs }
const many = { most: 10_000, windowMs: hourMs }
const own = ['own']

function messageOf(id: string, more: Partial<NewAlertMessage> = {}): NewAlertMessage {
  return { id, target: 'own', org: null, kind: 'cap', about: null, alert: `alert of ${id}`, ...more }
}

async function takeIds(outbox: AlertOutbox, targets = own, forMs = minuteMs): Promise<readonly string[]> {
  return (await outbox.take(targets, forMs)).map(({ message }) => message.id).toSorted()
}

async function takeOne(outbox: AlertOutbox): Promise<TakenMessage> {
  const [taken, ...others] = await outbox.take(own, minuteMs)
  assert.ok(taken)
  assert.deepEqual(others, [])
  return taken
}

/** Tests for every implementation of `AlertOutbox`. */
export function alertOutboxSuite(t: SuiteContext, { open }: AlertOutboxSuiteOptions): void {
  const test = onEachStore(t, open)

  test('a message is due at once, and delivered once', async ({ outbox, other = outbox }) => {
    assert.equal(await outbox.add(messageOf('a'), limit), 'added')
    assert.equal(await other.add(messageOf('a'), limit), 'known')
    const { message, fence, ageMs } = await takeOne(other)
    const told = { target: 'own', org: null, kind: 'cap', about: null, alert: 'alert of a', digest: null, fills: null }
    const { at, ...rest } = message
    assert.deepEqual(rest, { id: 'a', ...told, state: 'waiting', tries: 1, failure: null, endedAt: null })
    assert.ok(ageMs >= 0 && ageMs < minuteMs, `${ageMs}`)
    assert.deepEqual(await takeIds(outbox), [])
    assert.equal(await outbox.settle('a', fence, { outcome: 'delivered' }), true)
    assert.equal(await other.settle('a', fence, { outcome: 'failed', failure: 'late' }), false)
    const found = (await outbox.find('a'))!
    assert.deepEqual({ ...found, endedAt: null }, { ...message, state: 'delivered' })
    assert.ok(found.endedAt! >= at)
    assert.equal(await outbox.find('b'), undefined)
    assert.equal(await outbox.add(messageOf('a'), limit), 'known')
  })

  test('each message is taken by one process', async ({ outbox, other = outbox }) => {
    const ids = Array.from({ length: 50 }, (_, index) => `m${String(index).padStart(2, '0')}`)
    await Promise.all(ids.map(async (id, index) => (index % 2 ? outbox : other).add(messageOf(id), many)))
    const taken: string[] = []
    for (let more = true; more;) {
      const lots = await Promise.all([outbox, other, outbox, other].map(each => takeIds(each)))
      taken.push(...lots.flat())
      more = lots.flat().length > 0
    }
    assert.deepEqual(taken.toSorted(), ids)
  })

  test('what a process took and did not settle is taken over, and its late result does not count', async under => {
    const { outbox, other = outbox, pass } = under
    await outbox.add(messageOf('a'), limit)
    const first = await takeOne(outbox)
    await pass(minuteMs + 1)
    const second = await takeOne(other)
    assert.equal(second.message.id, first.message.id)
    assert.equal(second.message.tries, 2)
    assert.equal(await outbox.settle('a', first.fence, { outcome: 'delivered' }), false)
    assert.equal((await outbox.find('a'))?.state, 'waiting')
    assert.equal(await other.settle('a', second.fence, { outcome: 'putOff', dueInMs: hourMs, failure: 'busy', counts: true }), true)
    assert.deepEqual(await takeIds(outbox), [])
    await pass(hourMs + 1)
    const third = await takeOne(outbox)
    assert.equal(third.message.failure, 'busy')
    assert.equal(third.message.tries, 3)
    assert.ok(third.ageMs >= hourMs + minuteMs)
    assert.equal(await outbox.settle('a', third.fence, { outcome: 'putOff', dueInMs: 0, counts: false }), true)
    assert.equal((await takeOne(outbox)).message.tries, 3, 'a message that was not tried keeps its count')
  })

  test('messages to the operator come before those of organizations', async ({ outbox, pass }) => {
    for (let index = 0; index < 30; index++)
      await outbox.add(messageOf(`m${index}`, { target: `at_${index}`, org: 'example', about: 'example' }), limit)
    await pass(10)
    await outbox.add(messageOf('mine'), limit)
    assert.ok((await takeIds(outbox)).includes('mine'))
  })

  test("operators' targets are those that the process knows", async ({ outbox }) => {
    await outbox.add(messageOf('mine'), limit)
    await outbox.add(messageOf('unknown', { target: 'elsewhere' }), limit)
    await outbox.add(messageOf('organizations', { target: 'at', org: 'example' }), limit)
    assert.deepEqual(await takeIds(outbox, []), ['organizations'])
    assert.deepEqual(await takeIds(outbox), ['mine'])
    assert.deepEqual(await takeIds(outbox, ['elsewhere']), ['unknown'])
  })

  test('beyond the limit, a digest counts what was left out', async ({ outbox, other = outbox, pass }) => {
    const outcomes: string[] = []
    for (const [index, kind] of (['cap', 'credit', 'cap', 'cap', 'provider', 'cap'] as const).entries())
      outcomes.push(await (index % 2 ? outbox : other).add(messageOf(`m${index}`, { kind }), limit))
    assert.deepEqual(outcomes, ['added', 'added', 'added', 'left-out', 'left-out', 'left-out'])
    assert.deepEqual(
      await Promise.all(['m1', 'm2'].map(async id => (await outbox.find(id))?.fills)),
      [null, 'target'],
      'the last one says that it is',
    )
    assert.equal(await outbox.add(messageOf('m5'), limit), 'known')
    assert.equal(await outbox.add(messageOf('of-another', { target: 'other' }), limit), 'added')
    assert.deepEqual(await takeIds(outbox), ['m0', 'm1', 'm2'])
    assert.equal((await outbox.find('m3'))?.state, 'left-out')
    await pass(hourMs / 2)
    assert.equal(await outbox.add(messageOf('m6', { kind: 'errors' }), limit), 'left-out')
    await pass(hourMs / 2 + 1_000)
    for (const { message, fence } of await other.take(own, minuteMs))
      if (message.alert) await other.settle(message.id, fence, { outcome: 'delivered' })
    const [digest, ...others] = (await outbox.page({ target: 'own' }, { limit: 20 })).filter(({ kind }) => kind === 'digest')
    assert.deepEqual(others, [])
    const { from, to, counts } = digest!.digest!
    assert.deepEqual(counts, { cap: 2, provider: 1, errors: 1 })
    assert.ok(from < to && to <= digest!.at)
    assert.equal(digest!.alert, null)
    assert.equal(digest!.tries, 1)
    assert.equal(await outbox.add(messageOf('m7'), limit), 'added')
    assert.equal(await outbox.add(messageOf('m8'), limit), 'added')
    assert.equal(await outbox.add(messageOf('m9'), limit), 'left-out', 'the digest counts')
    await pass(keepCountedMs)
    await outbox.expire(1_000 * hourMs)
    assert.deepEqual(
      await Promise.all(['m0', 'm3', 'm9'].map(async id => (await outbox.find(id))?.state)),
      ['delivered', undefined, 'left-out'],
      'what is counted need not be kept',
    )
  })

  test('organizations share a part of the room, and none takes more of it than it leaves to others', async under => {
    const { outbox, other = outbox, pass } = under
    const shared = { most: 7, ofOrganizations: 5, windowMs: hourMs }
    let added = 0
    const add = async (about: string | null): Promise<string> => {
      const id = `m${added++}`
      const outcome = await (added % 2 ? outbox : other).add(messageOf(id, { about }), shared)
      return outcome === 'added' ? String((await outbox.find(id))?.fills) : outcome
    }
    for (const fills of ['null', 'null', 'organization', 'left-out', 'left-out']) assert.equal(await add('loud'), fills)
    assert.equal(await add('quiet'), 'organization')
    assert.equal(await add('loud'), 'left-out')
    assert.equal(await add('late'), 'organizations')
    for (const about of ['early', 'late', 'loud']) assert.equal(await add(about), 'left-out')
    assert.equal(await add(null), 'null')
    assert.equal(await add(null), 'target')
    assert.equal(await add(null), 'left-out')
    await pass(hourMs + 1_000)
    await outbox.take(own, minuteMs)
    const [digest] = (await outbox.page({ target: 'own' }, { limit: 1 })).map(({ kind, about }) => ({ kind, about }))
    assert.deepEqual(digest, { kind: 'digest', about: null })
    for (const fills of ['null', 'organization', 'left-out']) assert.equal(await add('loud'), fills, 'the digest counts')
    await pass(hourMs + 1_000)
    await outbox.take(own, minuteMs)
    assert.equal((await outbox.page({ target: 'own' }, { limit: 1 }))[0]?.about, 'loud', 'its digest is its own')
    for (const fills of ['null', 'organization', 'left-out']) assert.equal(await add('loud'), fills)
  })

  test('processes that add at the same time keep the limit together', async ({ outbox, other = outbox }) => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => (index % 2 ? outbox : other).add(messageOf(`m${index}`), limit)),
    )
    assert.equal(outcomes.filter(outcome => outcome === 'added').length, 3)
    assert.equal(outcomes.filter(outcome => outcome === 'left-out').length, 17)
  })

  test('a target that wants no more gets no more', async ({ outbox, other = outbox }) => {
    for (const id of ['a', 'b']) await outbox.add(messageOf(id), limit)
    await outbox.add(messageOf('other', { target: 'other' }), limit)
    const taken = await outbox.take(own, minuteMs)
    await other.end('own', 'gone')
    assert.equal(await outbox.settle('a', taken.find(({ message }) => message.id === 'a')!.fence, { outcome: 'delivered' }), false)
    assert.equal(await outbox.add(messageOf('c'), limit), 'ended')
    for (const id of ['a', 'b']) {
      const { state, failure } = (await outbox.find(id))!
      assert.deepEqual({ state, failure }, { state: 'failed', failure: 'gone' })
    }
    const standings = await outbox.standings(['own', 'other', 'nobody'])
    assert.equal(typeof standings.get('own')?.endedAt, 'number')
    assert.deepEqual({ ...standings.get('own'), endedAt: null }, { waiting: 0, failed: 2, deliveredAt: null, endedAt: null })
    assert.deepEqual(standings.get('other'), { waiting: 1, failed: 0, deliveredAt: null, endedAt: null })
    assert.deepEqual(standings.get('nobody'), { waiting: 0, failed: 0, deliveredAt: null, endedAt: null })
    await other.resume('own')
    assert.equal(await outbox.add(messageOf('c'), limit), 'added')
    assert.deepEqual(await takeIds(outbox), ['c'])
  })

  test('what failed can be sent again, with a new time to be delivered', async ({ outbox, pass }) => {
    await outbox.add(messageOf('a'), limit)
    const { fence } = await takeOne(outbox)
    assert.equal(await outbox.resend('a'), false)
    assert.equal(await outbox.settle('a', fence, { outcome: 'failed', failure: 'no' }), true)
    await pass(hourMs)
    assert.equal(await outbox.resend('b'), false)
    assert.equal(await outbox.resend('a'), true)
    assert.equal(await outbox.resend('a'), false)
    const again = await takeOne(outbox)
    assert.ok(again.ageMs < minuteMs)
    assert.equal(again.message.tries, 1)
    assert.equal(await outbox.settle('a', fence, { outcome: 'delivered' }), false, 'an earlier process')
    assert.equal(await outbox.settle('a', again.fence, { outcome: 'delivered' }), true)
    assert.equal(typeof (await outbox.standings(own)).get('own')?.deliveredAt, 'number')
  })

  test('messages to a target wait as long as it asks', async ({ outbox, pass }) => {
    for (const id of ['a', 'b']) await outbox.add(messageOf(id), limit)
    await outbox.add(messageOf('other', { target: 'other' }), limit)
    await outbox.postpone('own', hourMs)
    assert.deepEqual(await takeIds(outbox, ['own', 'other']), ['other'])
    await outbox.postpone('own', minuteMs)
    await pass(2 * minuteMs)
    assert.deepEqual(await takeIds(outbox), [])
    await pass(hourMs)
    assert.deepEqual(await takeIds(outbox), ['a', 'b'])
  })

  test('lists begin with the newest, of an organization, a target or a state', async ({ outbox, pass }) => {
    await outbox.add(messageOf('a', { target: 'at', org: 'example' }), limit)
    await pass(10)
    await outbox.add(messageOf('b', { target: 'other', org: 'other' }), limit)
    await pass(10)
    await outbox.add(messageOf('c'), limit)
    const idsOf = async (...query: Parameters<AlertOutbox['page']>): Promise<readonly string[]> =>
      (await outbox.page(...query)).map(({ id }) => id)
    assert.deepEqual(await idsOf({}, { limit: 10 }), ['c', 'b', 'a'])
    const [first] = await outbox.page({}, { limit: 1 })
    assert.deepEqual(await idsOf({}, { limit: 1, after: { at: first!.at, id: first!.id } }), ['b'])
    assert.deepEqual(await idsOf({ org: 'example' }, { limit: 10 }), ['a'])
    assert.deepEqual(await idsOf({ target: 'other' }, { limit: 10 }), ['b'])
    assert.deepEqual(await idsOf({ state: 'waiting', target: 'own' }, { limit: 10 }), ['c'])
    assert.deepEqual(await idsOf({ state: 'failed' }, { limit: 10 }), [])
  })

  test('nothing is kept forever', async ({ outbox, pass }) => {
    for (const id of ['delivered', 'failed', 'waiting']) await outbox.add(messageOf(id), limit)
    assert.equal(await outbox.add(messageOf('left-out'), limit), 'left-out')
    for (const { message, fence } of await outbox.take(own, minuteMs)) {
      const { id } = message
      if (id === 'delivered') await outbox.settle(id, fence, { outcome: 'delivered' })
      if (id === 'failed') await outbox.settle(id, fence, { outcome: 'failed', failure: 'no' })
    }
    const states = async (): Promise<Readonly<Record<string, string>>> =>
      Object.fromEntries((await outbox.page({}, { limit: 20 })).map(({ id, state, failure }) => [id, failure ?? state]))
    await outbox.expire(24 * hourMs)
    assert.deepEqual(await states(), { delivered: 'delivered', failed: 'no', waiting: 'waiting', 'left-out': 'left-out' })
    await pass(25 * hourMs)
    await outbox.expire(24 * hourMs)
    assert.equal((await states())['waiting'], unclaimedMessage)
    await pass(keepMessagesMs)
    await outbox.expire(24 * hourMs)
    assert.deepEqual(await states(), { failed: 'no', waiting: unclaimedMessage })
    await pass(keepFailedMessagesMs)
    await outbox.expire(24 * hourMs)
    assert.deepEqual(await states(), {})
  })

  test('the newest failures of a target are kept, and all is forgotten with the target', async ({ outbox, pass }) => {
    const few = 3
    for (let index = 0; index < maxFailedMessages + few; index++) await outbox.add(messageOf(`m${index}`), many)
    await outbox.add(messageOf('other', { target: 'other' }), many)
    await outbox.end('own', 'gone')
    await outbox.resume('own')
    assert.equal((await outbox.standings(own)).get('own')?.failed, maxFailedMessages)
    await pass(10)
    await outbox.add(messageOf('last'), many)
    const { fence } = await takeOne(outbox)
    await outbox.settle('last', fence, { outcome: 'failed', failure: 'no' })
    assert.equal((await outbox.standings(own)).get('own')?.failed, maxFailedMessages)
    assert.ok(await outbox.find('last'))
    await outbox.forget('own')
    assert.deepEqual(
      (await outbox.page({}, { limit: 10 })).map(({ id }) => id),
      ['other'],
    )
    assert.equal((await outbox.standings(own)).get('own')?.failed, 0)
  })
}
