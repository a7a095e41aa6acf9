import t from 'tap'
import { nameOf } from '../../../core/token.ts'
import { KeyStore, Ledger, MetricStore, RateLimiter, ResponseStore, type StoredResponse } from '../../../core/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { MemoryResponses } from '../../../plugins/stores/memory/responses.ts'
import { setUp } from '../set-up.ts'
import { fullKey, leanKey } from './keys.ts'

const services = [KeyStore, ResponseStore, MetricStore, RateLimiter, Ledger]

t.test('provides all five services, or those it is asked for', async t => {
  const { container } = await setUp([memory({})])
  t.same(
    services.filter(service => container.has(service)),
    services,
  )
  const { container: some } = await setUp([memory({ services: ['metrics', 'limits'] })])
  t.same(
    services.filter(service => some.has(service)).map(service => nameOf(service)),
    ['metric-store', 'rate-limiter'],
  )
})

t.test('refuses an unknown service', async t => {
  await t.rejects(setUp([memory({ services: ['sessions' as 'keys'] })]), {
    message:
      'plugin memory has bad options: /services/0 must be equal to one of the allowed values (keys, responses, metrics, limits, ledger)',
  })
})

t.test('keys', async t => {
  const keys = (await setUp([memory({})])).container.get(KeyStore)
  t.equal(keys.persistent, false)
  t.equal(await keys.empty(), true)
  await keys.add(leanKey)
  await keys.add(fullKey)
  t.equal(await keys.empty(), false)
  t.same(await keys.find('lean'), leanKey)
  t.same(await keys.find('full'), fullKey)
  t.equal(await keys.find('other'), undefined)
  t.throws(() => keys.add({ ...leanKey, name: 'Again' }), { message: 'a key with the id lean exists already' })
})

t.test('responses: a chain comes oldest first', async t => {
  const store = new MemoryResponses(100)
  for (let turn = 0; turn < 50; turn++) await store.put('ada', response(`r${turn}`, turn === 0 ? undefined : `r${turn - 1}`))
  t.same(
    await ids(store, 'ada', 'r49'),
    Array.from({ length: 50 }, (_, turn) => `r${turn}`),
  )
  t.same(await ids(store, 'ada', 'r1'), ['r0', 'r1'])
})

t.test('responses: two answers to one response are two chains', async t => {
  const store = new MemoryResponses(100)
  for (const link of [response('a'), response('b', 'a'), response('c', 'a')]) await store.put('ada', link)
  t.same(await ids(store, 'ada', 'b'), ['a', 'b'])
  t.same(await ids(store, 'ada', 'c'), ['a', 'c'])
})

t.test('responses: another owner finds nothing, whatever the id', async t => {
  const store = new MemoryResponses(100)
  await store.put('ada', response('a'))
  await store.put('bob', response('b', 'a'))
  t.equal(await store.chain('bob', 'a'), undefined)
  t.equal(await store.chain('bob', 'b'), undefined, 'nor through an ancestor')
  t.equal(await store.chain('', 'ada","a'), undefined)
  t.equal(await store.chain('ada', 'unknown'), undefined)
})

t.test('responses: the longest unused go first, and take their chain along', async t => {
  const store = new MemoryResponses(2)
  await store.put('ada', response('a'))
  await store.put('ada', response('b', 'a'))
  t.same(await ids(store, 'ada', 'b'), ['a', 'b'])
  await store.put('ada', response('c', 'b'))
  t.equal(await store.chain('ada', 'c'), undefined)
})

t.test('responses: a chain that bites its tail is unknown', async t => {
  const store = new MemoryResponses(10)
  await store.put('ada', response('a', 'b'))
  await store.put('ada', response('b', 'a'))
  t.equal(await store.chain('ada', 'b'), undefined)
})

function response(id: string, previousId?: string): StoredResponse {
  return {
    id,
    org: 'acme',
    previousId,
    input: [{ type: 'message', role: 'user', content: [], id: `msg_${id}` }],
    output: [],
    body: { id },
    createdAt: 0,
  }
}

async function ids(store: MemoryResponses, owner: string, id: string): Promise<string[] | undefined> {
  return (await store.chain(owner, id))?.map(({ input }) => (input[0] as { readonly id: string }).id.slice('msg_'.length))
}
