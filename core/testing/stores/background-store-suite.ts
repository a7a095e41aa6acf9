import assert from 'node:assert/strict'
import type {
  BackgroundAddress,
  BackgroundEnd,
  BackgroundResponse,
  BackgroundStore,
  EventBatch,
  EventChunk,
} from '../../contracts/background-store.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'
import { message } from './response-store-suite.ts'

/** A background store under test, without responses. */
export interface BackgroundUnderTest extends Closing {
  /** Empty at first. */
  readonly background: BackgroundStore
  /** Lets this much time pass for leases, notices and responses that are over. */
  pass(milliseconds: number): Maybe<void>
}

/** For `backgroundStoreSuite`. */
export interface BackgroundStoreSuiteOptions {
  /** Called once per test. */
  open(): Maybe<BackgroundUnderTest>
}

/** Tests for every implementation of `BackgroundStore`. */
export function backgroundStoreSuite(t: SuiteContext, { open }: BackgroundStoreSuiteOptions): void {
  const test = onEachStore(t, open)

  test('a response begins, runs and ends', async ({ background: store }) => {
    await begin(store, 'a')
    assert.deepEqual(await stateOf(store, 'a'), { ...response('a'), status: 'queued', hasLease: true, lastSequence: -1 })
    await assert.rejects(begin(store, 'a'), 'the id is taken')
    assert.equal(await store.append('ada', 'a', { ...batch([0, 1]), begun: { id: 'a', model: 'begun' } }), true)
    const running = { ...response('a'), body: { id: 'a', model: 'begun' }, status: 'in_progress', hasLease: true, lastSequence: 1 }
    assert.deepEqual(await stateOf(store, 'a'), running)
    assert.equal(await store.complete('ada', 'a'), true)
    assert.equal((await store.get('ada', 'a'))?.status, 'completing')
    assert.equal(await store.finish('ada', 'a', { ...ended, batch: batch([2], 1) }), true)
    assert.deepEqual(await stateOf(store, 'a'), { ...running, status: 'completed', hasLease: false, lastSequence: 2 })
    assert.deepEqual(await textsOf(store, 'ada', 'a'), ['0 1', '2'])
    assert.equal(await store.finish('ada', 'a', ended), false, 'it is over')
    assert.equal(await store.append('ada', 'a', batch([3], 2)), false)
    assert.equal(await store.complete('ada', 'a'), false)
    assert.equal(await store.cancel('ada', 'a'), false)
  })

  test('what is unknown is none', async ({ background: store }) => {
    await begin(store, 'a')
    for (const [owner, id] of [
      ['bob', 'a'],
      ['ada', 'b'],
      ['', 'ada","a'],
    ] as const) {
      assert.equal(await store.get(owner, id), undefined)
      assert.equal(await store.append(owner, id, batch([0])), false)
      assert.equal(await store.complete(owner, id), false)
      assert.equal(await store.cancel(owner, id), false)
      assert.equal(await store.finish(owner, id, ended), false)
      assert.equal(await store.delete(owner, id), false)
      assert.deepEqual(await store.events(owner, id, start), [])
      assert.deepEqual(await store.renew([{ owner, id }], leaseMs), [])
      await store.putOff(owner, id, 0)
    }
    assert.deepEqual(await store.renew([], leaseMs), [])
    assert.deepEqual(await store.takeNotices(minuteMs), [])
    assert.deepEqual(await stateOf(store, 'a'), { ...response('a'), status: 'queued', hasLease: true, lastSequence: -1 })
  })

  test('a cancelled response stays so, and its gateway may still end it', async ({ background: store }) => {
    for (const id of ['a', 'b']) await begin(store, id)
    await store.append('ada', 'a', { ...batch([0]), begun: { id: 'a' } })
    assert.equal(await store.cancel('ada', 'a'), true)
    assert.equal(await store.cancel('ada', 'a'), false)
    assert.equal((await store.get('ada', 'a'))?.status, 'cancelled')
    assert.equal(await store.complete('ada', 'a'), false)
    assert.equal(await store.append('ada', 'a', { ...batch([1], 1), begun: { id: 'a' } }), false, 'but the events are kept')
    assert.deepEqual(await store.renew(addresses('ada', 'a', 'b'), minuteMs), addresses('ada', 'b'))
    assert.ok((await store.get('ada', 'a'))!.leaseLeftMs! > leaseMs, 'it may still run')
    assert.equal(await store.delete('ada', 'a'), false)
    assert.equal(await store.finish('ada', 'a', { ...ended, body: { id: 'a', usage: 1 }, batch: batch([2], 2) }), true)
    const { status, body, leaseLeftMs } = (await store.get('ada', 'a'))!
    assert.deepEqual({ status, body, leaseLeftMs }, { status: 'cancelled', body: { id: 'a', usage: 1 }, leaseLeftMs: undefined })
    assert.deepEqual(await textsOf(store, 'ada', 'a'), ['0', '1', '2'])
  })

  test('an answer that is whole cannot be cancelled', async ({ background: store }) => {
    await begin(store, 'a')
    const [completed, cancelled] = await Promise.all([store.complete('ada', 'a'), store.cancel('ada', 'a')])
    assert.notEqual(completed, cancelled, 'one of the two wins')
    const { status } = (await store.get('ada', 'a'))!
    assert.equal(status, completed ? 'completing' : 'cancelled')
  })

  test('a response whose lease ended has failed, once', async ({ background: store, pass }) => {
    for (const id of ['alive', 'dead', 'cancelled', 'over']) await begin(store, id)
    await store.cancel('ada', 'cancelled')
    await store.finish('ada', 'over', ended)
    await store.renew(addresses('ada', 'alive'), 10 * minuteMs)
    assert.equal(await store.lapse({ keepMs: minuteMs }), 0)
    const { leaseLeftMs } = (await store.get('ada', 'dead'))!
    assert.ok(leaseLeftMs! > 0 && leaseLeftMs! <= leaseMs, `${leaseLeftMs} ms are left of ${leaseMs}`)
    await pass(leaseMs + 1)
    assert.ok((await store.get('ada', 'dead'))!.leaseLeftMs! < 0)
    assert.equal(await store.lapse({ keepMs: minuteMs, noticeMs: 0 }), 2)
    assert.equal(await store.lapse({ keepMs: minuteMs }), 0)
    const statuses = ['alive', 'dead', 'cancelled', 'over'].map(async id => (await store.get('ada', id))?.status)
    assert.deepEqual(await Promise.all(statuses), ['queued', 'failed', 'cancelled', 'completed'])
    assert.deepEqual(await store.renew(addresses('ada', 'alive', 'dead', 'cancelled', 'over'), leaseMs), addresses('ada', 'alive'))
    assert.equal(await store.finish('ada', 'dead', ended), false)
    assert.equal(await store.append('ada', 'dead', batch([0])), false)
    const noticed = await store.takeNotices(minuteMs)
    assert.deepEqual(noticed.map(({ id, status }) => `${id} ${status}`).toSorted(), ['cancelled cancelled', 'dead failed'])
  })

  test('events are read in their order, from any of them on', async ({ background: store }) => {
    await begin(store, 'a')
    for (let part = 0; part < 50; part++) await store.append('ada', 'a', batch([part * 2, part * 2 + 1], part))
    const all = Array.from({ length: 50 }, (_, part) => `${part * 2} ${part * 2 + 1}`)
    assert.deepEqual(await textsOf(store, 'ada', 'a'), all)
    assert.deepEqual(await textsOf(store, 'ada', 'a', 59), all.slice(30))
    assert.deepEqual(await textsOf(store, 'ada', 'a', 60), all.slice(30), 'the chunk that has it')
    assert.deepEqual(await textsOf(store, 'ada', 'a', 99), [])
    assert.deepEqual(await textsOf(store, 'ada', 'a', 1_000), [])
    const [first] = await store.events('ada', 'a', { part: 0, sequence: 7 })
    assert.deepEqual(first, { part: 4, first: 8, last: 9, text: '8 9' })
  })

  test('part of an event is not read before the rest is there', async ({ background: store }) => {
    await begin(store, 'a')
    await store.append('ada', 'a', batch([0]))
    const piece = (part: number): EventChunk => ({ part, first: 1, last: 1, text: `piece ${part}` })
    await store.append('ada', 'a', { chunks: [piece(1), piece(2)], parts: 1, lastSequence: 0 })
    assert.deepEqual(await textsOf(store, 'ada', 'a'), ['0'])
    assert.equal((await store.get('ada', 'a'))?.lastSequence, 0)
    await store.append('ada', 'a', { chunks: [piece(3)], parts: 4, lastSequence: 1 })
    assert.deepEqual(await textsOf(store, 'ada', 'a'), ['0', 'piece 1', 'piece 2', 'piece 3'])
    assert.deepEqual(await textsOf(store, 'ada', 'a', 0), ['piece 1', 'piece 2', 'piece 3'])
  })

  test('a batch that is sent again changes nothing', async ({ background: store }) => {
    await begin(store, 'a')
    for (let times = 0; times < 2; times++) assert.equal(await store.append('ada', 'a', batch([0, 1])), true)
    assert.deepEqual(await textsOf(store, 'ada', 'a'), ['0 1'])
  })

  test('content comes back to the letter', async ({ background: store }) => {
    const text = `naïve “text” 🔑 \ud800 \u0000 ${'ä'.repeat(200_000)}`
    const full = { ...response('a'), input: [message('msg_1', text)], body: { id: 'a', text, number: 1e-7, nothing: null } }
    await store.begin('ada', full, leaseMs)
    assert.deepEqual((await store.get('ada', 'a'))?.input, full.input)
    assert.deepEqual((await store.get('ada', 'a'))?.body, full.body)
    await store.append('ada', 'a', { chunks: [{ part: 0, first: 0, last: 0, text }], parts: 1, lastSequence: 0 })
    assert.deepEqual(await textsOf(store, 'ada', 'a'), [text])
  })

  test('ids may hold any characters', async ({ background: store }) => {
    const ids = ['"', "' or 1=1 --", 'a\u0000b', 'a', '🔑', '%', 'x'.repeat(10_000)]
    for (const id of ids) {
      await store.begin(id, response(id), leaseMs)
      await store.append(id, id, { chunks: [{ part: 0, first: 0, last: 0, text: id }], parts: 1, lastSequence: 0 })
    }
    for (const id of ids) {
      assert.equal((await store.get(id, id))?.body['id'], id)
      assert.deepEqual(await textsOf(store, id, id), [id])
      assert.deepEqual(await store.renew([{ owner: id, id }], leaseMs), [{ owner: id, id }])
      for (const other of ids) if (other !== id) assert.equal(await store.get(id, other), undefined)
    }
    const all = ids.map(id => ({ owner: id, id }))
    assert.deepEqual(await store.renew(all, leaseMs), all)
  })

  test('a response that is over can be deleted, with its events', async ({ background: store }) => {
    await begin(store, 'a')
    await store.append('ada', 'a', batch([0]))
    assert.equal(await store.delete('ada', 'a'), false, 'it runs')
    await store.finish('ada', 'a', { ...ended, batch: batch([1], 1) })
    assert.equal(await store.delete('bob', 'a'), false)
    assert.equal(await store.delete('ada', 'a'), true)
    assert.equal(await store.delete('ada', 'a'), false)
    assert.equal(await store.get('ada', 'a'), undefined)
    assert.deepEqual(await store.events('ada', 'a', start), [])
    await begin(store, 'a')
    assert.deepEqual(await store.events('ada', 'a', start), [])
  })

  test('responses expire, except those that run', async ({ background: store, pass }) => {
    for (const id of ['running', 'short', 'long']) await begin(store, id)
    await store.finish('ada', 'short', { ...ended, keepMs: minuteMs, batch: batch([0]) })
    await store.finish('ada', 'long', { ...ended, keepMs: 10 * minuteMs })
    assert.equal(await store.expire(), 0)
    await pass(minuteMs + 1)
    assert.equal(await store.expire(), 1)
    assert.equal(await store.get('ada', 'short'), undefined)
    assert.deepEqual(await store.events('ada', 'short', start), [])
    assert.ok(await store.get('ada', 'running'))
    assert.ok(await store.get('ada', 'long'))
  })

  test('each notice is taken by one, and comes again until it is put off for good', async ({ background: store, pass }) => {
    const ids = Array.from({ length: 30 }, (_, index) => `r${index}`)
    for (const id of ids) await begin(store, id)
    for (const id of ids) await store.finish('ada', id, { ...ended, status: 'failed', noticeMs: minuteMs })
    await begin(store, 'unheard')
    await store.finish('ada', 'unheard', ended)
    assert.deepEqual(await store.takeNotices(minuteMs), [], 'none is due')
    await pass(minuteMs + 1)
    const taken: string[] = []
    for (let more = true; more;) {
      const lots = await Promise.all([store.takeNotices(minuteMs), store.takeNotices(minuteMs)])
      taken.push(...lots.flat().map(({ id }) => id))
      more = lots.flat().length > 0
    }
    assert.deepEqual(taken.toSorted(), ids.toSorted())
    for (const id of ids.slice(1)) await store.putOff('ada', id, undefined)
    await store.putOff('ada', 'r0', 5 * minuteMs)
    await pass(2 * minuteMs)
    assert.deepEqual(await store.takeNotices(minuteMs), [])
    const again = { owner: 'ada', id: 'r0', status: 'failed', createdAt: response('r0').createdAt, tries: 1 }
    await pass(3 * minuteMs + 1)
    assert.deepEqual(await store.takeNotices(minuteMs), [again])
    assert.deepEqual(await store.takeNotices(minuteMs), [])
    await pass(minuteMs + 1)
    assert.deepEqual(await store.takeNotices(minuteMs), [{ ...again, tries: 2 }])
  })

  test('hundreds of responses at once', async ({ background: store }) => {
    const ids = Array.from({ length: 300 }, (_, index) => `r${index}`)
    await Promise.all(ids.map(id => begin(store, id)))
    await Promise.all(ids.map(id => store.append('ada', id, batch([0]))))
    assert.equal((await store.renew(addresses('ada', ...ids), leaseMs)).length, ids.length)
    await Promise.all(ids.map(id => store.finish('ada', id, { ...ended, batch: batch([1], 1) })))
    for (const id of ids) assert.deepEqual(await textsOf(store, 'ada', id), ['0', '1'])
  })
}

const leaseMs = 30_000
const minuteMs = 60_000
const start = { part: 0, sequence: -1 }

function response(id: string): BackgroundResponse {
  const input = [message('msg_1', id)]
  return { id, org: 'example', input, body: { id }, createdAt: Date.UTC(2026, 0, 1) }
}

function begin(store: BackgroundStore, id: string): Promise<void> {
  return store.begin('ada', response(id), leaseMs)
}

/** How long the lease lasts is another thing. */
async function stateOf(store: BackgroundStore, id: string): Promise<object> {
  const { leaseLeftMs, ...state } = (await store.get('ada', id))!
  return { ...state, hasLease: leaseLeftMs !== undefined }
}

/** One chunk with these events. */
function batch(sequence: readonly number[], part = 0): EventBatch {
  const [first, last] = [sequence[0]!, sequence.at(-1)!]
  return { chunks: [{ part, first, last, text: sequence.join(' ') }], parts: part + 1, lastSequence: last }
}

const ended: BackgroundEnd = { status: 'completed', batch: { chunks: [], parts: 0, lastSequence: -1 }, keepMs: minuteMs }

function addresses(owner: string, ...ids: readonly string[]): readonly BackgroundAddress[] {
  return ids.map(id => ({ owner, id }))
}

async function textsOf(store: BackgroundStore, owner: string, id: string, sequence = -1): Promise<readonly string[]> {
  const texts: string[] = []
  for (let part = 0; ;) {
    const chunks = await store.events(owner, id, { part, sequence })
    if (chunks.length === 0) return texts
    texts.push(...chunks.map(({ text }) => text))
    part = chunks.at(-1)!.part + 1
  }
}
