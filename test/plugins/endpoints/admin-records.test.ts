import t, { type Test } from 'tap'
import type { RequestRecord } from '../../../core/index.ts'
import { mostRanked, RecordStore } from '../../../core/stores.ts'
import { testRecord } from '../../../core/testing/index.ts'
import { MemoryRecords } from '../../../plugins/stores/memory/records.ts'
import { adminGateway, type AdminGateway } from '../../kit/admin-gateway.ts'
import { providing } from '../../kit/stage.ts'

const at = Date.UTC(2026, 0, 1)

function made(index: number, members: Partial<RequestRecord> = {}): RequestRecord {
  const id = `req_${String(index).padStart(6, '0')}`
  return testRecord({ id, at: at + index, elapsedMs: 100, org: 'example', keyId: 'key_1', ...members })
}

/** A gateway with these records. `change`: the store as the gateway gets it. */
async function gatewayWith(
  t: Test,
  records: readonly RequestRecord[],
  change: (store: RecordStore) => RecordStore = store => store,
): Promise<AdminGateway> {
  const store = new MemoryRecords(1_000_000)
  await store.write(records)
  const under = await adminGateway({ plugins: [providing(RecordStore, change(store))] })
  t.teardown(under.stop)
  return under
}

const idsOf = ({ body }: { readonly body: any }): readonly number[] => body.data.map(({ id }: any) => Number(id.slice('req_'.length)))

t.test('records are sorted and narrowed, page by page', async t => {
  const { call } = await gatewayWith(t, [
    ...Array.from({ length: 7 }, (_, index) => made(index)),
    made(7, {
      elapsedMs: 900,
      costUsd: 0.5,
      inputTokens: 10,
      outputTokens: 5,
      status: 504,
      reason: 'timeout',
      errorCode: 'provider_timeout',
    }),
    made(8, { elapsedMs: 50, costUsd: 0.1, firstEventMs: 40, reason: 'vendor', errorCode: 'provider_error' }),
  ])
  t.same(idsOf(await call('GET', '/records?sort=elapsed_ms&limit=3')), [7, 6, 5])
  t.same(idsOf(await call('GET', '/records?sort=elapsed_ms&order=asc&limit=3')), [8, 0, 1])
  t.same(idsOf(await call('GET', '/records?order=asc&limit=2')), [0, 1])
  t.same(idsOf(await call('GET', '/records?sort=cost_usd')), [7, 8], 'without an unknown cost')
  t.same(idsOf(await call('GET', '/records?failed=true&sort=elapsed_ms')), [7, 8])
  t.same(idsOf(await call('GET', '/records?failed=true')), [8, 7])
  t.same(idsOf(await call('GET', '/records?error_code=provider_error')), [8])
  t.same(idsOf(await call('GET', '/records?reason=timeout')), [7])
  t.same(idsOf(await call('GET', '/records?min_elapsed_ms=100&max_elapsed_ms=100&limit=2')), [6, 5])
  t.same(idsOf(await call('GET', '/records?max_cost_usd=0.2')), [8])
  t.same(idsOf(await call('GET', '/records?min_total_tokens=15&max_first_event_ms=1000000')), [])

  const seen: number[] = []
  let cursor = ''
  do {
    const page = await call('GET', `/records?sort=elapsed_ms&limit=2${cursor && `&cursor=${cursor}`}`)
    seen.push(...idsOf(page))
    t.equal(page.body.searched_from, null)
    cursor = page.body.next_cursor ?? ''
  } while (cursor !== '')
  t.same(seen, [7, 6, 5, 4, 3, 2, 1, 0, 8], 'ties in the order of time')
  t.same(idsOf(await call('GET', '/records?limit=2')), [8, 7])
  t.notOk('searched_from' in (await call('GET', '/records?limit=2')).body, 'only for sorted lists')
})

t.test('records that arrive between two pages do not move the list', async t => {
  const under = await gatewayWith(
    t,
    Array.from({ length: 6 }, (_, index) => made(index)),
  )
  const first = await under.call('GET', '/records?sort=elapsed_ms&limit=3')
  t.same(idsOf(first), [5, 4, 3])
  await under.request('/v1/responses', { body: { model: 'nonsense', input: 'hi' } })
  await under.recorded(1)
  t.same(idsOf(await under.call('GET', `/records?sort=elapsed_ms&limit=9&cursor=${first.body.next_cursor}`)), [2, 1, 0])
})

t.test('what is wrong is a 400 that says what is right', async t => {
  const { call } = await gatewayWith(t, [made(0), made(1), made(2)])
  const cursor = (await call('GET', '/records?sort=elapsed_ms&limit=1')).body.next_cursor
  for (const [query, param, message] of [
    ['sort=speed', 'sort', /expected one of created_at, elapsed_ms, first_event_ms, input_tokens, output_tokens, total_tokens, cost_usd/],
    ['order=up', 'order', /expected one of desc, asc/],
    ['reason=bad', 'reason', /expected one of request, authentication, permission, policy/],
    ['failed=maybe', 'failed', /expected one of true, false/],
    ['min_elapsed_ms=-1', 'min_elapsed_ms', /a number of 0 or more/],
    ['min_elapsed_ms=5&max_elapsed_ms=4', 'min_elapsed_ms', /at most the value of max_elapsed_ms/],
    ['min_speed=4', 'min_speed', /Unknown parameter/],
    [`sort=cost_usd&cursor=${cursor}`, 'cursor', /same sort and order/],
    [`sort=elapsed_ms&order=asc&cursor=${cursor}`, 'cursor', /same sort and order/],
    [`cursor=${cursor}`, 'cursor', /next_cursor of a page of this list/],
    ['sort=elapsed_ms&cursor=x', 'cursor', /same sort and order/],
    [
      `sort=elapsed_ms&cursor=${Buffer.from('{"list":"ranked-records","sort":"elapsed_ms","ascending":false,"value":1e999,"at":1,"id":"a","from":null,"to":2,"searched":null}').toString('base64url')}`,
      'cursor',
      /same sort and order/,
    ],
  ] as const) {
    const { status, body } = await call('GET', `/records?${query}`)
    t.equal(status, 400, query)
    t.match(body.error, { param, message }, query)
  }
})

t.test('a token of an organization sees only its own, however they are sorted', async t => {
  const under = await gatewayWith(t, [made(0, { org: 'another', elapsedMs: 9_000 }), made(1), made(2, { org: null, elapsedMs: 8_000 })])
  const token = await under.token('viewer', 'example')
  t.same(idsOf(await under.call('GET', '/records?sort=elapsed_ms', undefined, token)), [1])
  t.same(idsOf(await under.call('GET', '/records?sort=elapsed_ms&org=another', undefined, token)), [])
  const lines = String((await under.call('GET', '/records/export?sort=elapsed_ms', undefined, token)).body)
  t.equal(lines.trim().split('\n').length, 1)
  const cursor = (await under.call('GET', '/records?sort=elapsed_ms&limit=1')).body.next_cursor
  t.same(
    idsOf(await under.call('GET', `/records?sort=elapsed_ms&cursor=${cursor}`, undefined, token)),
    [1],
    'with the cursor of another token',
  )
})

t.test('the newest are sorted, and exported in the order of time without a limit', async t => {
  const { call } = await gatewayWith(
    t,
    Array.from({ length: mostRanked + 10 }, (_, index) =>
      made(index, { at: at + Math.floor(index / 2), elapsedMs: index < 20 ? 900 : 100 }),
    ),
  )
  const { body } = await call('GET', '/records?sort=elapsed_ms&limit=1')
  t.match(body, { searched_from: /^2026-01-01T/, data: [{ elapsed_ms: 900 }] })
  const refused = await call('GET', '/records/export?sort=elapsed_ms')
  t.match(refused, { status: 400, body: { error: { param: 'from', message: /Only the newest 50000 records of a filter can be sorted/ } } })
  const slow = String((await call('GET', '/records/export?min_elapsed_ms=900')).body)
  const ids = slow
    .trim()
    .split('\n')
    .map(line => Number(JSON.parse(line).id.slice('req_'.length)))
  t.same(
    ids,
    Array.from({ length: 20 }, (_, index) => 19 - index),
    'also the oldest ones, each once',
  )
})

t.test('a store that cannot sort says so', async t => {
  const { call } = await gatewayWith(t, [made(0)], store => ({
    page: (...query) => store.page(...query),
    find: id => store.find(id),
    content: id => store.content(id),
    eraseContent: (...erased) => store.eraseContent(...erased),
    usage: query => store.usage(query),
    keyUse: keys => store.keyUse(keys),
  }))
  t.same(idsOf(await call('GET', '/records')), [0])
  for (const path of ['/records?sort=elapsed_ms', '/records?min_cost_usd=1&order=asc', '/records/export?max_cost_usd=1'])
    t.match(await call('GET', path), { status: 400, body: { error: { message: /The record store of this gateway cannot sort/ } } }, path)
})
