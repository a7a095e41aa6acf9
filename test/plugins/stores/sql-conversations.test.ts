import type { Kysely } from 'kysely'
import t, { type Test } from 'tap'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { ConversationStore } from '../../../core/stores.ts'
import { Gate, testGateway, type TestGateway } from '../../../core/testing/index.ts'
import { stored } from '../../../core/testing/stores/conversation-store-suite.ts'
import { message } from '../../../core/testing/stores/response-store-suite.ts'
import conversations from '../../../plugins/endpoints/conversations/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { SqlConversations } from '../../../plugins/stores/sql/conversations.ts'
import { DataKeys } from '../../../plugins/stores/sql/data-keys.ts'
import { Expiry } from '../../../plugins/stores/sql/expiry.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { SealedParts } from '../../../plugins/stores/sql/sealed-parts.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'
import { hello, saying, scripted } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { ask, providing } from '../../kit/stage.ts'
import { onEveryDatabase, silent, testSealer } from './databases.ts'
import { bytesBeside, fileOf, masterKey, run, write } from './sql.ts'

const canary = 'canary-0123456789abcdef'
const dayMs = 24 * 60 * 60 * 1000

/** A gateway that keeps conversations in a file. Several may have the same file. */
async function gatewayOn(t: Test, file: string, ...plugins: readonly PluginUse[]): Promise<TestGateway> {
  const stores = [memory({ services: ['metrics', 'limits', 'ledger'] }), sql({ file, cacheTtlMs: 0 }), localSealer({ masterKey })]
  const under = await testGateway({ plugins: [...stores, responses({}), conversations({}), saying('acme', hello), ...plugins] })
  t.teardown(under.stop)
  return under
}

async function create(under: TestGateway, body: object = {}): Promise<string> {
  const reply = await under.request('/v1/conversations', { method: 'POST', body })
  return ((await reply.json()) as { readonly id: string }).id
}

async function texts(under: TestGateway, id: string): Promise<readonly string[]> {
  const reply = await under.request(`/v1/conversations/${id}/items?order=asc&limit=100`)
  return ((await reply.json()) as any).data.map(({ content }: any) => content[0].text)
}

/** Lets time pass for all leases, as the database sees it. */
async function pass(file: string, milliseconds: number): Promise<void> {
  await write(file, 'update conversation set leased_until = leased_until - ?', milliseconds)
}

t.test('a large item is stored beside small ones, whose bytes share a buffer', async t => {
  const under = await gatewayOn(t, fileOf(t))
  const large = 'l'.repeat(2_000_000)
  const id = await create(under, { items: ['a', large, 'b', 'c'].map(content => ({ role: 'user', content })) })
  t.strictSame(await texts(under, id), ['a', large, 'b', 'c'])
})

t.test('a page ends before its items are too large, and all of them can be read in pages', async t => {
  const under = await gatewayOn(t, fileOf(t))
  const sizes = [3_000_000, 3_000_000, 5, 6_000_000, 6_000_000]
  const id = await create(under, { items: sizes.map((size, index) => ({ role: 'user', content: String(index).repeat(size) })) })
  const pages: string[] = []
  for (let after = '', hasMore = true; hasMore;) {
    const reply = await under.request(`/v1/conversations/${id}/items?order=asc&limit=3${after}`)
    const { data, has_more, last_id } = (await reply.json()) as any
    pages.push(data.map(({ content }: any) => content[0].text[0]).join(''))
    after = `&after=${last_id}`
    hasMore = has_more
  }
  t.same(pages, ['0', '12', '3', '4'])
})

t.test('items and metadata are sealed', async t => {
  const file = fileOf(t)
  const under = await gatewayOn(t, file)
  const id = await create(under, { metadata: { note: canary }, items: [{ role: 'user', content: canary }] })
  t.equal((await ask(under, { model: 'acme/m', input: canary, conversation: id })).status, 200)
  t.same(await texts(under, id), [canary, canary, 'Hello'])
  t.ok(bytesBeside(file).includes(id))
  t.notOk(bytesBeside(file).includes(canary))
})

t.test('an item that was moved or changed is not read, the log names it and says no more, and it can be deleted', async t => {
  const file = fileOf(t)
  const under = await gatewayOn(t, file)
  const id = await create(under, { items: [{ role: 'user', content: canary }, { role: 'user', content: 'b' }] }) // prettier-ignore
  const other = await create(under, { items: [{ role: 'user', content: 'c' }] })
  await write(file, 'update conversation_item set item = (select item from conversation_item where position = 1) where position = 0')
  for (const each of [id, other]) {
    t.match(await ask(under, { model: 'acme/m', conversation: each }), { status: 404 })
    t.match(await ask(under, { model: 'acme/m', conversation: each }), { status: 404 }, 'not a 409')
  }
  t.same(await texts(under, id), ['b'])
  t.match(under.logs.join('\n'), /"conversation":"conv_[^\n]*cannot be decrypted/)
  t.notMatch(under.logs.join('\n'), canary)
  t.equal((await under.request(`/v1/conversations/${id}`, { method: 'DELETE' })).status, 200)
  t.same(run(file, 'select count(*) as count from conversation_item')[0]!['count'], 1)
})

t.test('two gateways with one database take turns', async t => {
  const file = fileOf(t)
  const gate = new Gate()
  const slow = scripted('slow', async function* () {
    await gate.pass()
    yield* hello
  })
  const [one, two] = [await gatewayOn(t, file, slow), await gatewayOn(t, file)]
  const authorization = { authorization: `Bearer ${one.apiKey}` }
  const id = await create(one)
  const running = ask(one, { model: 'slow/m', input: 'first', conversation: id })
  await gate.reached
  t.match(await ask(two, { model: 'acme/m', conversation: id }, authorization), { status: 409, error: { code: 'conversation_locked' } })
  gate.open()
  t.equal((await running).status, 200)
  t.equal((await ask(two, { model: 'acme/m', input: 'second', conversation: id }, authorization)).status, 200)
  t.same(await texts(one, id), ['first', 'Hello', 'second', 'Hello'])
})

t.test('a run that stalled for longer than its lease adds nothing after another has come between', async t => {
  const file = fileOf(t)
  const gates = [new Gate(), new Gate()]
  let run = 0
  const slow = scripted('slow', async function* () {
    await gates[run++]!.pass()
    yield* hello
  })
  const [one, two] = [await gatewayOn(t, file, slow), await gatewayOn(t, file)]
  const authorization = { authorization: `Bearer ${one.apiKey}` }
  const id = await create(one)
  for (const [index, stream] of [false, true].entries()) {
    const stalled = ask(one, { model: 'slow/m', input: 'stalled', conversation: id, stream })
    await gates[index]!.reached
    await pass(file, 29_000)
    t.equal((await ask(two, { model: 'acme/m', conversation: id }, authorization)).status, 409)
    await pass(file, 1_001)
    t.equal((await ask(two, { model: 'acme/m', input: `between ${index}`, conversation: id }, authorization)).status, 200)
    gates[index]!.open()
    const answer = await stalled
    if (stream) t.match(answer.response, { status: 'failed', store: false, error: { code: 'server_error', message: /Nothing was added/ } })
    else t.match([answer.status, answer.error.code], [409, 'conversation_locked'])
  }
  t.same(await texts(one, id), ['between 0', 'Hello', 'between 1', 'Hello'])
  t.equal((await ask(one, { model: 'acme/m', conversation: id })).status, 200, 'and it is free')
})

t.test('an answer that cannot be added fails, and is not there later', async t => {
  const file = fileOf(t)
  const real = await gatewayOn(t, file)
  const id = await create(real)
  for (const breaks of ['before', 'after'] as const) {
    const under = await breaking(t, file, breaks)
    const authorization = { authorization: `Bearer ${real.apiKey}` }
    const failed = await ask(under, { model: 'acme/m', input: 'lost', conversation: id }, authorization)
    t.match([failed.status, failed.error.message], [503, /Conversations cannot be read or stored/])
    const next = await ask(under, { model: 'acme/m', input: 'lost', conversation: id }, authorization)
    t.equal(next.status, 503, 'the conversation is free again')
    t.equal((await ask(real, { model: 'acme/m', input: `after ${breaks}`, conversation: id })).status, 200)
  }
  t.same(await texts(real, id), ['after before', 'Hello', 'after after', 'Hello'])
})

/** A gateway whose store loses the connection just before or just after each answer is added. */
async function breaking(t: Test, file: string, breaks: 'before' | 'after'): Promise<TestGateway> {
  const { database } = await openSqlite(file)
  t.teardown(() => database.destroy())
  const store = new SqlConversations(database, partsOn(database), silent)
  const append: ConversationStore['append'] = async (...given) => {
    if (breaks === 'after') await store.append(...given)
    throw Object.assign(new Error('connection lost'), { code: 'ECONNRESET' })
  }
  const broken = new Proxy<ConversationStore>(store, {
    get(target, name) {
      if (name === 'append') return append
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return await gatewayOn(t, file, providing(ConversationStore, broken))
}

function partsOn(database: Kysely<Tables>): SealedParts {
  return new SealedParts(new DataKeys(database, testSealer(), new FakeClock(), silent, 90))
}

onEveryDatabase(t, (t, open) => {
  void t.test('conversations expire as a whole, by their age and organization', async t => {
    const database = await open(t)
    const clock = new FakeClock(Date.UTC(2026, 0, 1) + 200 * dayMs)
    const store = new SqlConversations(database, partsOn(database), silent)
    for (const [org, age] of [
      ['example', 1],
      ['example', 60],
      ['acme', 20],
      ['acme', 60],
    ] as const) {
      const id = `${org}${age}`
      await store.create(org, { ...stored(id), org, createdAt: clock.now() - age * dayMs }, [message('a', 'a')])
    }
    t.equal(await store.append({ owner: 'example', id: 'example60' }, [message('b', 'late')], {}), 'done', 'its age is that of its start')
    const lease = await store.acquire({ owner: 'acme', id: 'acme60' }, 30_000)
    const options = { keepResponsesDays: 30, organizations: { acme: { keepResponsesDays: 10 } } }
    const expiry = new Expiry(database, clock, silent, options)
    t.match(await expiry.sweep(), { conversations: 2 })
    t.ok(await store.get({ owner: 'acme', id: 'acme60' }), 'a run has it')
    await store.release({ owner: 'acme', id: 'acme60' }, (lease as { readonly fence: number }).fence)
    t.match(await expiry.sweep(), { conversations: 1 })
    t.same(await database.selectFrom('conversation').select('id').execute(), [{ id: 'example1' }])
    t.same(await database.selectFrom('conversation_item').select('item_id').execute(), [{ item_id: 'a' }])
    await database.deleteFrom('conversation').execute()
  })
})
