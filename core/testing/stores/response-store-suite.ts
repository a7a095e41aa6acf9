import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Item } from '../../contracts/items.ts'
import type { ResponseStore, StoredResponse } from '../../contracts/response-store.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from './on-each-store.ts'

/** A response store under test, without responses. */
export interface ResponsesUnderTest extends Closing {
  /** Empty at first. */
  readonly responses: ResponseStore
  /** All that the store has written, as text, such as every row of its tables. For a store that others can read: content must be sealed. */
  stored?(): Maybe<string>
}

/** For `responseStoreSuite`. */
export interface ResponseStoreSuiteOptions {
  /** Called once per test. */
  open(): Maybe<ResponsesUnderTest>
}

/** Tests for every implementation of `ResponseStore`. */
export function responseStoreSuite(t: SuiteContext, { open }: ResponseStoreSuiteOptions): void {
  const test = onEachStore(t, open)
  test('a response comes back to the letter', async ({ responses: store }) => {
    await store.put('ada', fullResponse)
    assert.deepEqual(await store.get('ada', fullResponse.id), fullResponse)
    assert.deepEqual(await store.chain('ada', fullResponse.id), undefined, 'its ancestor is unknown')
    const lean: StoredResponse = { id: 'lean', org: 'example', input: [], output: [], body: {}, createdAt: 0 }
    await store.put('ada', lean)
    assert.deepEqual(await store.get('ada', 'lean'), lean)
    assert.deepEqual(turnsOf(await store.chain('ada', 'lean')), [{ input: [], output: [] }])
    assert.equal(await store.get('ada', 'unknown'), undefined)
  })

  test('others can read no content', async ({ responses: store, stored }) => {
    await store.put('ada', fullResponse)
    const text = await stored?.()
    // What they are known by may be read: ids, owners and times.
    for (const content of ['naïve', 'c2VhbGVk', '1e-7'])
      assert.ok(!text?.includes(content), `"${content}" of a response is stored as it is: seal it with the service Sealer`)
  })

  test('a chain comes oldest first', async ({ responses: store }) => {
    for (let turn = 0; turn < 50; turn++) await store.put('ada', response(`r${turn}`, turn === 0 ? undefined : `r${turn - 1}`))
    const all = Array.from({ length: 50 }, (_, turn) => `r${turn}`)
    assert.deepEqual(await idsOf(store, 'ada', 'r49'), all)
    assert.deepEqual(await idsOf(store, 'ada', 'r1'), ['r0', 'r1'])
    assert.deepEqual(
      turnsOf(await store.chain('ada', 'r1')),
      ['r0', 'r1'].map(id => turnsOf([response(id)])![0]),
    )
  })

  test('two answers to one response are two chains', async ({ responses: store }) => {
    for (const link of [response('a'), response('b', 'a'), response('c', 'a')]) await store.put('ada', link)
    assert.deepEqual(await idsOf(store, 'ada', 'b'), ['a', 'b'])
    assert.deepEqual(await idsOf(store, 'ada', 'c'), ['a', 'c'])
  })

  test('another owner finds nothing, whatever the id', async ({ responses: store }) => {
    await store.put('ada', response('a'))
    await store.put('bob', response('b', 'a'))
    assert.equal(await store.get('bob', 'a'), undefined)
    assert.equal(await store.chain('bob', 'a'), undefined)
    assert.equal(await store.chain('bob', 'b'), undefined, 'nor through an ancestor')
    assert.equal(await store.chain('', 'ada","a'), undefined)
    assert.equal((await store.items('bob', ['msg_a'])).size, 0)
    assert.equal(await store.delete('bob', 'a'), false)
    assert.ok(await store.get('ada', 'a'))
  })

  test('owners may use the same ids', async ({ responses: store }) => {
    const [hers, his] = [response('a', undefined, 'hers'), response('a', undefined, 'his')]
    await store.put('ada', hers)
    await store.put('bob', his)
    assert.deepEqual(await store.get('ada', 'a'), hers)
    assert.deepEqual(await store.get('bob', 'a'), his)
    assert.deepEqual((await store.items('bob', ['msg_a'])).get('msg_a'), his.input[0])
    assert.equal(await store.delete('bob', 'a'), true)
    assert.deepEqual(await store.get('ada', 'a'), hers)
    assert.deepEqual((await store.items('ada', ['msg_a'])).get('msg_a'), hers.input[0])
  })

  test('a chain that bites its tail is unknown', async ({ responses: store }) => {
    await store.put('ada', response('a', 'b'))
    await store.put('ada', response('b', 'a'))
    await store.put('ada', response('self', 'self'))
    for (const id of ['a', 'b', 'self']) assert.equal(await store.chain('ada', id), undefined)
  })

  test('a deleted response breaks the chains through it, and takes its items along', async ({ responses: store }) => {
    for (const link of [response('a'), response('b', 'a'), response('c', 'b')]) await store.put('ada', link)
    assert.equal(await store.delete('ada', 'b'), true)
    assert.equal(await store.delete('ada', 'b'), false)
    assert.equal(await store.get('ada', 'b'), undefined)
    assert.equal(await store.chain('ada', 'c'), undefined)
    assert.deepEqual(await idsOf(store, 'ada', 'a'), ['a'])
    assert.deepEqual([...(await store.items('ada', ['msg_a', 'msg_b', 'msg_c'])).keys()].sort(), ['msg_a', 'msg_c'])
  })

  test('an item is found by its id, the newest where several have it', async ({ responses: store }) => {
    await store.put('ada', { ...response('a'), output: [message('msg_shared', 'old'), message('msg_said', 'said')] })
    await store.put('ada', { ...response('b'), input: [message('msg_shared', 'new')] })
    const found = await store.items('ada', ['msg_shared', 'msg_said', 'msg_shared', 'unknown', ''])
    assert.deepEqual(
      found,
      new Map([
        ['msg_shared', message('msg_shared', 'new')],
        ['msg_said', message('msg_said', 'said')],
      ]),
    )
    assert.equal((await store.items('ada', [])).size, 0)
  })

  test('an item is found by an id of any length', async ({ responses: store }) => {
    const ids = [600, 601, 20_000].map(length => Array.from({ length }, (_, index) => ((index * 7_919) % 36_017).toString(36)).join(''))
    await store.put('ada', { ...response('a'), input: ids.map(id => message(id, id)) })
    const found = await store.items('ada', ids)
    for (const id of ids) assert.deepEqual(found.get(id), message(id, id))
  })

  test('a response that is put again replaces itself', async ({ responses: store }) => {
    const last = response('a', 'before', 'last')
    await store.put('ada', { ...response('a'), output: [message('msg_dropped', 'dropped')] })
    for (let times = 0; times < 2; times++) await store.put('ada', last)
    assert.deepEqual(await store.get('ada', 'a'), last)
    assert.deepEqual(await store.items('ada', ['msg_dropped', 'msg_a']), new Map([['msg_a', last.input[0]]]))
    assert.equal(await store.chain('ada', 'a'), undefined)
  })

  test('ids may hold any characters', async ({ responses: store }) => {
    const ids = ['"', "' or 1=1 --", 'a\u0000b', 'a', '🔑', '%', 'x'.repeat(10_000)]
    for (const id of ids) await store.put(id, response(id))
    for (const id of ids) {
      assert.deepEqual(await store.get(id, id), response(id))
      assert.deepEqual([...(await store.items(id, [`msg_${id}`])).keys()], [`msg_${id}`])
      for (const other of ids) if (other !== id) assert.equal(await store.get(id, other), undefined)
    }
  })

  test('thousands of items', async ({ responses: store }) => {
    const items = Array.from({ length: 5_000 }, (_, index) => message(`msg_${index}`, `text ${index}`))
    await store.put('ada', { ...response('a'), input: items })
    assert.deepEqual((await store.chain('ada', 'a'))![0]!.input, items)
    const found = await store.items(
      'ada',
      items.map(({ id }) => id),
    )
    assert.deepEqual(
      items.map(({ id }) => found.get(id)),
      items,
    )
    assert.equal(await store.delete('ada', 'a'), true)
    assert.equal((await store.items('ada', ['msg_0', 'msg_4999'])).size, 0)
  })

  test('a large conversation', async ({ responses: store }) => {
    const large = response('a', undefined, 'ä'.repeat(5 * 1024 * 1024))
    await store.put('ada', large)
    assert.ok((await store.chain('ada', 'a'))![0]!.input[0])
    assert.ok(isDeepStrictEqual((await store.get('ada', 'a'))?.input, large.input))
    const larger = response('a', undefined, 'ö'.repeat(6 * 1024 * 1024))
    await store.put('ada', larger)
    assert.ok(isDeepStrictEqual((await store.get('ada', 'a'))?.input, larger.input), 'replaced')
  })
}

/** A response with one message, `msg_<id>`. */
export function response(id: string, previousId?: string, text = id): StoredResponse {
  return {
    id,
    org: 'example',
    ...(previousId !== undefined && { previousId }),
    input: [message(`msg_${id}`, text)],
    output: [],
    body: { id },
    createdAt: Date.UTC(2026, 0, 1),
  }
}

export function message(id: string, text: string): Item & { readonly id: string } {
  return { type: 'message', id, role: 'user', content: [{ type: 'input_text', text }] }
}

const fullResponse: StoredResponse = {
  id: 'resp_full',
  org: 'example',
  previousId: 'resp_before',
  input: [message('msg_1', 'naïve “text” 🔑 \ud800 \u0000'), { type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: '' }],
  output: [
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VhbGVk' },
    { type: 'function_call', id: 'fc_1', call_id: 'call_2', name: 'look', arguments: '{"a":1e-7}', status: 'completed' },
  ],
  body: { id: 'resp_full', usage: { input_tokens: 0.1, nothing: null }, output: [{ type: 'reasoning' }], metadata: { __proto__x: 'y' } },
  createdAt: Date.UTC(2026, 0, 1) + 1,
}

async function idsOf(store: ResponseStore, owner: string, id: string): Promise<string[] | undefined> {
  return (await store.chain(owner, id))?.map(({ input }) => (input[0] as { readonly id: string }).id.slice('msg_'.length))
}

/** A store may give more than turns. */
function turnsOf(chain: Awaited<ReturnType<ResponseStore['chain']>>): object[] | undefined {
  return chain?.map(({ input, output }) => ({ input, output }))
}
