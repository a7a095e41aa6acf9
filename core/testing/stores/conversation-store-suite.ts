import assert from 'node:assert/strict'
import type { ConversationStore, ItemPageQuery, KeptItem, StoredConversation } from '../../contracts/conversation-store.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'
import { message } from './response-store-suite.ts'

/** A conversation store under test, without conversations. */
export interface ConversationsUnderTest extends Closing {
  /** Empty at first. */
  readonly conversations: ConversationStore
  /** The same store, as another gateway has it. Absent if gateways cannot share it. */
  readonly other?: ConversationStore
  /** Lets this much time pass for leases. */
  pass(milliseconds: number): Maybe<void>
}

/** For `conversationStoreSuite`. */
export interface ConversationStoreSuiteOptions {
  /** Called once per test. */
  open(): Maybe<ConversationsUnderTest>
}

const at = { owner: 'ada', id: 'conv_1' } as const
const elsewhere = { owner: 'bob', id: 'conv_1' } as const
const leaseMs = 30_000

/** Tests for every implementation of `ConversationStore`. */
export function conversationStoreSuite(t: SuiteContext, { open }: ConversationStoreSuiteOptions): void {
  const test = onEachStore(t, open)

  test('a conversation comes back to the letter', async ({ conversations: store }) => {
    const full: KeptItem[] = [
      { ...message('msg_1', 'naïve “text” 🔑 \ud800 \u0000') },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{"a":1e-7}', status: 'completed' } as KeptItem,
    ]
    const metadata = { topic: 'cats 🔑', '': '\u0000' }
    await store.create('ada', { ...stored('conv_1'), metadata }, full)
    assert.deepEqual(await store.get(at), { ...stored('conv_1'), metadata })
    assert.deepEqual(await store.items(at), full)
    assert.deepEqual(await store.item(at, 'fc_1'), full[1])
    await store.create('ada', stored('conv_2'), [])
    assert.deepEqual(await store.items({ ...at, id: 'conv_2' }), [])
    assert.deepEqual(await store.page({ ...at, id: 'conv_2' }, { limit: 1, order: 'asc' }), { items: [], hasMore: false })
  })

  test('another owner finds nothing and changes nothing', async ({ conversations: store }) => {
    await store.create('ada', stored('conv_1'), [message('a', 'hers')])
    for (const wrong of [elsewhere, { ...at, id: 'conv_2' }, { owner: '', id: 'ada","conv_1' }]) {
      assert.equal(await store.get(wrong), undefined)
      assert.equal(await store.items(wrong), undefined)
      assert.equal(await store.page(wrong, { limit: 1, order: 'asc' }), undefined)
      assert.equal(await store.item(wrong, 'a'), undefined)
      assert.equal(await store.setMetadata(wrong, {}), false)
      assert.equal(await store.append(wrong, [message('b', 'his')], {}), 'unknown')
      assert.equal(await store.deleteItem(wrong, 'a'), 'unknown')
      assert.equal(await store.acquire(wrong, leaseMs), 'unknown')
      assert.equal(await store.renew(wrong, 1, leaseMs), false)
      assert.equal(await store.release(wrong, 1), false)
      assert.equal(await store.delete(wrong), 'unknown')
    }
    assert.deepEqual(await store.items(at), [message('a', 'hers')])
  })

  test('owners may use the same ids', async ({ conversations: store }) => {
    await store.create('ada', stored('conv_1'), [message('a', 'hers')])
    await store.create('bob', stored('conv_1'), [message('a', 'his')])
    assert.equal(await store.delete(elsewhere), 'done')
    assert.equal(await store.get(elsewhere), undefined)
    assert.deepEqual(await store.items(at), [message('a', 'hers')])
  })

  test('items are added at the end, all of them or none', async ({ conversations: store }) => {
    await store.create('ada', stored('conv_1'), [message('a', 'a')])
    assert.equal(await store.append(at, messages('b', 'c'), {}), 'done')
    assert.deepEqual(await store.append(at, messages('d', 'b', 'a'), {}), ['b', 'a'])
    assert.equal(await store.append(at, messages('d'), {}), 'done')
    assert.deepEqual(idsOf(await store.items(at)), ['a', 'b', 'c', 'd'])
  })

  test('there is only so much room', async ({ conversations: store }) => {
    await store.create('ada', stored('conv_1'), messages('a', 'b'))
    assert.equal(await store.append(at, messages('c', 'd'), { room: { items: 3, bytes: 1_000_000 } }), 'full')
    assert.equal(await store.append(at, [message('c', 'x'.repeat(10_000))], { room: { items: 3, bytes: 10_000 } }), 'full')
    assert.equal(await store.append(at, messages('c'), { room: { items: 3, bytes: 10_000 } }), 'done')
    assert.equal(await store.append(at, messages('d'), { room: { items: 3, bytes: 10_000 } }), 'full')
    assert.equal(await store.deleteItem(at, 'a'), 'done')
    assert.equal(await store.append(at, messages('d'), { room: { items: 3, bytes: 10_000 } }), 'done')
    assert.deepEqual(idsOf(await store.items(at)), ['b', 'c', 'd'])
  })

  test('pages go either way, and from any item', async ({ conversations: store }) => {
    await store.create('ada', stored('conv_1'), messages('a', 'b', 'c', 'd', 'e'))
    const page = async (query: ItemPageQuery): Promise<unknown> => {
      const found = await store.page(at, query)
      return found && [idsOf(found.items)!.join(''), found.hasMore]
    }
    assert.deepEqual(await page({ limit: 2, order: 'asc' }), ['ab', true])
    assert.deepEqual(await page({ limit: 2, order: 'asc', after: 'b' }), ['cd', true])
    assert.deepEqual(await page({ limit: 2, order: 'asc', after: 'c' }), ['de', false])
    assert.deepEqual(await page({ limit: 5, order: 'desc' }), ['edcba', false])
    assert.deepEqual(await page({ limit: 3, order: 'desc', after: 'e' }), ['dcb', true])
    assert.deepEqual(await page({ limit: 3, order: 'desc', after: 'a' }), ['', false])
    assert.equal(await page({ limit: 3, order: 'desc', after: 'f' }), undefined)
    assert.equal(await store.deleteItem(at, 'c'), 'done')
    assert.deepEqual(await page({ limit: 2, order: 'asc', after: 'b' }), ['de', false])
    assert.equal(await page({ limit: 2, order: 'asc', after: 'c' }), undefined)
  })

  test('a deleted item is gone, and its id is free again', async ({ conversations: store }) => {
    await store.create('ada', stored('conv_1'), messages('a', 'b'))
    assert.equal(await store.deleteItem(at, 'c'), 'unknown')
    assert.equal(await store.deleteItem(at, 'a'), 'done')
    assert.equal(await store.deleteItem(at, 'a'), 'unknown')
    assert.equal(await store.item(at, 'a'), undefined)
    assert.equal(await store.append(at, messages('a'), {}), 'done')
    assert.deepEqual(idsOf(await store.items(at)), ['b', 'a'])
  })

  test('a deleted conversation takes its items along', async ({ conversations: store }) => {
    await store.create('ada', stored('conv_1'), messages('a', 'b'))
    assert.equal(await store.delete(at), 'done')
    assert.equal(await store.delete(at), 'unknown')
    assert.equal(await store.items(at), undefined)
    await store.create('ada', stored('conv_1'), messages('b'))
    assert.deepEqual(idsOf(await store.items(at)), ['b'])
  })

  test('metadata is replaced', async ({ conversations: store }) => {
    await store.create('ada', { ...stored('conv_1'), metadata: { a: '1' } }, [])
    assert.equal(await store.setMetadata(at, { b: '2' }), true)
    assert.deepEqual((await store.get(at))?.metadata, { b: '2' })
  })

  test('one run at a time has a conversation, and nobody else changes its items', async ({ conversations: store, other = store }) => {
    await store.create('ada', stored('conv_1'), messages('a'))
    const lease = await acquired(store)
    assert.equal(lease.held.items, 1)
    assert.ok(lease.held.bytes > 0)
    for (const gateway of [store, other]) {
      assert.equal(await gateway.acquire(at, leaseMs), 'busy')
      assert.equal(await gateway.append(at, messages('b'), {}), 'busy')
      assert.equal(await gateway.deleteItem(at, 'a'), 'busy')
      assert.equal(await gateway.deleteItem(at, 'z'), 'unknown')
      assert.equal(await gateway.delete(at), 'busy')
      assert.equal(await gateway.setMetadata(at, {}), true)
      assert.deepEqual(idsOf(await gateway.items(at)), ['a'])
    }
    assert.equal(await store.append(at, messages('b'), { fence: lease.fence }), 'done')
    assert.equal(await store.append(at, messages('c'), { fence: lease.fence }), 'lost', 'its lease has ended')
    assert.equal(await other.append(at, messages('c'), {}), 'done')
    assert.deepEqual(idsOf(await store.items(at)), ['a', 'b', 'c'])
  })

  test('of many runs at once, one gets the conversation', async ({ conversations: store, other = store }) => {
    await store.create('ada', stored('conv_1'), [])
    const outcomes = await Promise.all(Array.from({ length: 40 }, (_, index) => (index % 2 ? store : other).acquire(at, leaseMs)))
    assert.equal(outcomes.filter(outcome => outcome === 'busy').length, 39)
  })

  test('changes at once all arrive, each as a whole', async ({ conversations: store, other = store }) => {
    await store.create('ada', stored('conv_1'), [])
    const pairs = Array.from({ length: 20 }, (_, index) => messages(`a${index}`, `b${index}`))
    const outcomes = await Promise.all(pairs.map((pair, index) => (index % 2 ? store : other).append(at, pair, {})))
    assert.ok(outcomes.every(outcome => outcome === 'done'))
    const ids = idsOf(await store.items(at))!
    assert.equal(ids.length, 40)
    for (let index = 0; index < 40; index += 2) assert.equal(ids[index + 1], ids[index]!.replace('a', 'b'))
  })

  test('a released lease frees the conversation, and cannot be used any more', async ({ conversations: store, other = store }) => {
    await store.create('ada', stored('conv_1'), [])
    const { fence } = await acquired(store)
    assert.equal(await store.release(at, fence), true)
    assert.equal(await store.release(at, fence), false)
    assert.equal(await store.renew(at, fence, leaseMs), false)
    assert.equal(await store.append(at, messages('a'), { fence }), 'lost')
    const later = await acquired(other)
    assert.ok(later.fence > fence)
    assert.equal(await store.release(at, fence), false)
    assert.equal(await other.append(at, messages('b'), { fence: later.fence }), 'done')
    assert.deepEqual(idsOf(await store.items(at)), ['b'])
  })

  test('a lease ends by itself, unless it is renewed', async ({ conversations: store, other = store, pass }) => {
    await store.create('ada', stored('conv_1'), [])
    const { fence } = await acquired(store)
    await pass(leaseMs - 5_000)
    assert.equal(await other.acquire(at, leaseMs), 'busy')
    assert.equal(await store.renew(at, fence, leaseMs), true)
    await pass(leaseMs - 5_000)
    assert.equal(await other.acquire(at, leaseMs), 'busy')
    await pass(5_001)
    const later = await acquired(other)
    assert.ok(later.fence > fence)
    assert.equal(await store.renew(at, fence, leaseMs), false)
    assert.equal(await store.append(at, messages('a'), { fence }), 'lost')
    assert.equal(await other.append(at, messages('b'), { fence: later.fence }), 'done')
    assert.deepEqual(idsOf(await store.items(at)), ['b'])
  })

  test('a stalled run may still add its items if nothing has happened since', async ({ conversations: store, pass }) => {
    await store.create('ada', stored('conv_1'), [])
    const first = await acquired(store)
    await pass(leaseMs + 1)
    assert.equal(await store.append(at, messages('a'), { fence: first.fence }), 'done')
    const second = await acquired(store)
    await pass(leaseMs + 1)
    assert.equal(await store.deleteItem(at, 'a'), 'done')
    assert.equal(await store.append(at, messages('b'), { fence: second.fence }), 'lost')
    assert.deepEqual(await store.items(at), [])
  })

  test('ids may hold any characters', async ({ conversations: store }) => {
    const ids = ['"', "' or 1=1 --", 'a\u0000b', 'a', '🔑', '%', 'x'.repeat(900), 'y'.repeat(10_000)]
    for (const id of ids)
      await store.create(
        id,
        stored(id),
        ids.map(item => message(item, id)),
      )
    for (const id of ids) {
      assert.equal((await store.get({ owner: id, id }))?.id, id)
      assert.deepEqual(idsOf(await store.items({ owner: id, id })), ids)
      assert.deepEqual(await store.item({ owner: id, id }, id), message(id, id))
      assert.deepEqual(await store.append({ owner: id, id }, [message(id, 'again')], {}), [id])
    }
  })

  test('thousands of items, and large ones', async ({ conversations: store }) => {
    const many = Array.from({ length: 2_500 }, (_, index) => message(`msg_${index}`, `text ${index}`))
    await store.create('ada', stored('conv_1'), many)
    const large = [message('large', 'ä'.repeat(3 * 1024 * 1024)), message('small', 'b')]
    assert.equal(await store.append(at, large, {}), 'done')
    assert.deepEqual(
      idsOf(await store.items(at)),
      [...many, ...large].map(({ id }) => id),
    )
    assert.deepEqual(await store.item(at, 'large'), large[0])
    assert.equal(await store.delete(at), 'done')
  })
}

export function stored(id: string): StoredConversation {
  return { id, org: 'example', metadata: {}, createdAt: Date.UTC(2026, 0, 1) }
}

function messages(...ids: readonly string[]): readonly KeptItem[] {
  return ids.map(id => message(id, id))
}

function idsOf(items: readonly KeptItem[] | undefined): readonly string[] | undefined {
  return items?.map(({ id }) => id)
}

async function acquired(store: ConversationStore): Promise<{ readonly fence: number; readonly held: { items: number; bytes: number } }> {
  const lease = await store.acquire(at, leaseMs)
  assert.ok(typeof lease === 'object', `expected a lease, got ${lease as string}`)
  return lease
}
