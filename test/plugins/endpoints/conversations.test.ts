import t, { type Test } from 'tap'
import type { JsonObject, ProviderCall } from '../../../core/index.ts'
import { Gate } from '../../../core/testing/index.ts'
import conversations from '../../../plugins/endpoints/conversations/index.ts'
import { gateway, hello, saying, scripted, type GatewayUnderTest } from '../../kit/gateway.ts'
import { ask, stop, text, usage, witness } from '../../kit/stage.ts'

type Under = Pick<GatewayUnderTest, 'request'>
type Called = { readonly status: number; readonly headers: Headers; readonly body: any }

async function call(under: Under, method: string, path: string, body?: object, apiKey?: string): Promise<Called> {
  const headers = apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } }
  const reply = await under.request(`/v1/conversations${path}`, { method, ...(body && { body }), ...headers })
  return { status: reply.status, headers: reply.headers, body: await reply.json() }
}

const user = (content: string, more: object = {}): object => ({ role: 'user', content, ...more })

async function started(t: Test, options: Parameters<typeof gateway>[0] = {}): Promise<GatewayUnderTest> {
  const under = await gateway({ ...options, plugins: [conversations({}), ...(options.plugins ?? [])] })
  t.teardown(under.stop)
  return under
}

async function create(under: Under, body: object = {}): Promise<string> {
  const { status, body: created } = await call(under, 'POST', '', body)
  if (status !== 200) throw new Error(JSON.stringify(created))
  return created.id
}

/** The texts of a conversation, oldest first. */
async function texts(under: Under, id: string): Promise<readonly string[]> {
  const { body } = await call(under, 'GET', `/${id}/items?order=asc&limit=100`)
  return textsIn(body.data)
}

function textsIn(items: readonly any[]): readonly string[] {
  return items.map(item => item.content?.map((part: any) => part.text ?? part.type).join('') ?? item.output ?? item.name ?? item.type)
}

const seen = ({ request }: ProviderCall): readonly string[] => textsIn(request.input as readonly any[])

t.test('a conversation is started, read, changed and deleted', async t => {
  const under = await started(t)
  const created = await call(under, 'POST', '', { metadata: { topic: 'cats' }, items: [user('hi')] })
  t.equal(created.status, 200)
  t.match(created.body, { id: /^conv_/, object: 'conversation', created_at: Number, metadata: { topic: 'cats' } })
  const { id } = created.body
  for (const slash of ['', '/']) t.same((await call(under, 'GET', `/${id}${slash}`)).body, created.body)
  const changed = await call(under, 'POST', `/${id}`, { metadata: { topic: 'dogs' } })
  t.same(changed.body, { ...created.body, metadata: { topic: 'dogs' } })
  t.same((await call(under, 'POST', `/${id}`, { metadata: null })).body.metadata, {})
  t.same((await call(under, 'DELETE', `/${id}`)).body, { id, object: 'conversation.deleted', deleted: true })
  for (const [method, rest, body] of [
    ['GET', ''],
    ['POST', '', { metadata: {} }],
    ['DELETE', ''],
    ['GET', '/items'],
    ['POST', '/items', { items: [user('x')] }],
    ['GET', '/items/msg_1'],
    ['DELETE', '/items/msg_1'],
  ] as const) {
    const gone = await call(under, method, `/${id}${rest}`, body)
    t.equal(gone.status, 404, `${method} ${rest}`)
    t.match(gone.body.error, { type: 'invalid_request_error', code: 'not_found', message: `Conversation with id '${id}' not found.` })
  }
  const empty = await under.request('/v1/conversations', { method: 'POST' })
  t.equal(empty.status, 200, 'a body is optional')
  t.same(
    (await under.recorded(14)).every(({ surface, request, response }) => surface === 'conversations' && !request && !response),
    true,
    'records have no content',
  )
})

t.test('items are added, listed, read and deleted', async t => {
  const under = await started(t)
  const id = await create(under)
  const added = await call(under, 'POST', `/${id}/items`, {
    items: [
      user('one', { id: 'msg_mine' }),
      { type: 'message', role: 'assistant', content: 'two' },
      { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'four' },
      { type: 'reasoning', summary: [], encrypted_content: 'c2VjcmV0' },
    ],
  })
  t.equal(added.status, 200)
  t.match(added.body, { object: 'list', has_more: false, first_id: 'msg_mine', last_id: /^rs_/ })
  t.match(added.body.data, [
    { id: 'msg_mine', status: 'completed', content: [{ type: 'input_text', text: 'one' }] },
    { id: /^msg_/, role: 'assistant', content: [{ type: 'output_text', text: 'two', annotations: [], logprobs: [] }] },
    { id: /^fc_/, type: 'function_call', status: 'completed' },
    { id: /^fco_/, type: 'function_call_output', status: 'completed', output: 'four' },
    { id: /^rs_/, type: 'reasoning' },
  ])
  t.notOk('encrypted_content' in added.body.data[4])
  const [, second, , , fifth] = added.body.data
  const read = await call(under, 'GET', `/${id}/items/${fifth.id}?include[]=reasoning.encrypted_content`)
  t.equal(read.body.encrypted_content, 'c2VjcmV0')
  t.same((await call(under, 'GET', `/${id}/items/${second.id}`)).body, second)

  const newest = await call(under, 'GET', `/${id}/items?limit=2`)
  t.match(newest.body, { has_more: true, first_id: fifth.id })
  const rest = await call(under, 'GET', `/${id}/items?after=${newest.body.last_id}`)
  t.same(rest.body.data.map((item: any) => item.id), added.body.data.slice(0, 3).map((item: any) => item.id).reverse()) // prettier-ignore
  t.equal(rest.body.has_more, false)

  t.match((await call(under, 'DELETE', `/${id}/items/${second.id}`)).body, { id, object: 'conversation' })
  for (const method of ['GET', 'DELETE']) {
    const gone = await call(under, method, `/${id}/items/${second.id}`)
    t.match(gone, { status: 404, body: { error: { code: 'not_found', message: /Item with id '.*' not found/ } } })
  }
  t.same(await texts(under, id), ['one', 'look', 'four', 'reasoning'])
  const again = await call(under, 'POST', `/${id}/items`, { items: [user('again', { id: 'msg_mine' })] })
  t.match(again.body.data, [{ id: /^msg_[0-9a-f]/ }], 'an id that is taken gives way to a new one')
  t.same(await texts(under, id), ['one', 'look', 'four', 'reasoning', 'again'])
})

t.test('bad requests say what is wrong', async t => {
  const under = await started(t)
  const id = await create(under)
  const many = Array.from({ length: 21 }, () => user('x'))
  for (const [method, path, body, param, message] of [
    ['POST', '', { items: many }, 'items', /20/],
    ['POST', '', { items: 'hi' }, 'items', /array/],
    ['POST', '', { items: [{ type: 'nonsense' }] }, 'items[0]', /nonsense/],
    ['POST', '', { metadata: { a: 5 } }, 'metadata.a', /string/],
    ['POST', '', { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ''])) }, 'metadata', /16/],
    ['POST', '', { metadata: { ['k'.repeat(65)]: '' } }, /^metadata/, /64/],
    ['POST', '', { metadata: { a: 'v'.repeat(513) } }, 'metadata.a', /512/],
    ['POST', `/${id}`, {}, 'metadata', /metadata/],
    ['POST', `/${id}/items`, {}, 'items', /items/],
    ['POST', `/${id}/items`, { items: [] }, 'items', /1 item/],
    ['POST', `/${id}/items`, { items: [{ type: 'item_reference', id: 'msg_1' }] }, 'items[0].type', /item_reference/],
    ['POST', `/${id}/items`, { items: [{ type: 'compaction_trigger' }] }, 'items[0].type', /compaction_trigger/],
    ['POST', `/${id}/items`, { items: [{ role: 'user', content: [{ type: 'input_image', image_url: 'http://127.0.0.1/a.png' }] }] }, 'items[0].content[0].image_url', /./], // prettier-ignore
    ['GET', `/${id}/items?limit=0`, undefined, 'limit', /1 to 100/],
    ['GET', `/${id}/items?limit=101`, undefined, 'limit', /1 to 100/],
    ['GET', `/${id}/items?order=up`, undefined, 'order', /asc/],
    ['GET', `/${id}/items?after=msg_none`, undefined, 'after', /no item/],
    ['GET', `/${id}/items?include=nonsense`, undefined, 'include[0]', /one of/],
    ['GET', '/conv%20x', undefined, 'id', /conversation id/],
    ['GET', `/${'c'.repeat(129)}`, undefined, 'id', /128/],
  ] as const) {
    const refused = await call(under, method, path, body)
    t.equal(refused.status, 400, `${method} ${path} ${JSON.stringify(body)?.slice(0, 80)}`)
    t.match(refused.body.error, { type: 'invalid_request_error', param, message })
  }
  t.match((await call(under, 'GET', '')).status, 405)
  t.same(await texts(under, id), [])
})

t.test('a response goes on from a conversation, and adds what was said', async t => {
  const model = witness('acme', (_, count) => [text(`answer ${count}`), usage(1, 1), stop])
  const under = await started(t, { plugins: [model.plugin] })
  const id = await create(under, { items: [user('before')] })
  for (const [turn, conversation, stream] of [
    [1, id, false],
    [2, { id }, true],
  ] as const) {
    const { status, response, headers } = await ask(under, { model: 'acme/m', input: `question ${turn}`, conversation, stream })
    t.equal(status, 200)
    t.same(response['conversation'], { id })
    t.equal(headers.get('x-gateway-warnings'), null)
    const { body } = await call(under, 'GET', `/${id}/items?limit=2&order=asc&after=${(await ids(under, id)).at(-3)}`)
    t.equal(body.data[1].id, response.output[0]!['id'], 'the item of the answer')
    const stored = (await (await under.request(`/v1/responses/${response.id}`)).json()) as JsonObject
    t.same(stored['conversation'], { id })
  }
  t.same(model.calls.map(seen), [
    ['before', 'question 1'],
    ['before', 'question 1', 'answer 1', 'question 2'],
  ])
  t.same(await texts(under, id), ['before', 'question 1', 'answer 1', 'question 2', 'answer 2'])
  const counted = await under.request('/v1/responses/input_tokens', { body: { model: 'acme/m', input: 'x', conversation: id } })
  const alone = await under.request('/v1/responses/input_tokens', { body: { model: 'acme/m', input: 'x' } })
  t.ok(((await counted.json()) as any).input_tokens > ((await alone.json()) as any).input_tokens)
  t.same((await texts(under, id)).length, 5, 'counting adds nothing')
})

async function ids(under: Under, id: string): Promise<readonly string[]> {
  return (await call(under, 'GET', `/${id}/items?order=asc&limit=100`)).body.data.map((item: any) => item.id)
}

t.test('tool calls are kept with their outputs, across turns', async t => {
  const under = await started(t)
  const id = await create(under)
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }]
  const first = await ask(under, { model: 'sandbox/tools', input: 'use the tool', tools, conversation: id })
  const [called] = first.response.output.filter(({ type }) => type === 'function_call')
  t.ok(called)
  const output = { type: 'function_call_output', call_id: called!['call_id'], output: 'seen' }
  const second = await ask(under, { model: 'sandbox/tools', input: [output], tools, conversation: id })
  t.equal(second.status, 200)
  const { body } = await call(under, 'GET', `/${id}/items?order=asc`)
  t.same(
    body.data.map((item: any) => item.type).filter((type: string) => type.startsWith('function')),
    ['function_call', 'function_call_output'],
  )
  const lost = body.data.find((item: any) => item.type === 'function_call')
  const orphan = body.data.find((item: any) => item.type === 'function_call_output')
  await call(under, 'DELETE', `/${id}/items/${lost.id}`)
  const broken = await ask(under, { model: 'sandbox/tools', input: 'go on', tools, conversation: id })
  t.match([broken.status, broken.error], [400, { param: 'conversation', message: new RegExp(`item '${orphan.id}'.*Delete the item`) }])
  await call(under, 'DELETE', `/${id}/items/${orphan.id}`)
  t.equal((await ask(under, { model: 'sandbox/tools', input: 'go on', tools, conversation: id })).status, 200)
})

t.test('an unknown conversation, and one of another owner, is a 404', async t => {
  const under = await started(t, {
    plugins: [saying('acme', hello)],
    key: { name: 'a', user: 'ada', policy: { logging: { value: true } } },
  })
  const id = await create(under, { items: [user('hers')] })
  const foreign = await under.gateway.issueKey({ name: 'b', user: 'bob', policy: { logging: { value: true } } })
  const same = await under.gateway.issueKey({ name: 'c', user: 'ada', policy: { logging: { value: true } } })
  const as = (apiKey: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${apiKey}` })
  for (const stream of [true, false]) {
    for (const answer of [
      await ask(under, { model: 'acme/m', conversation: 'conv_unknown', stream }),
      await ask(under, { model: 'acme/m', conversation: id, stream }, as(foreign)),
    ]) {
      t.equal(answer.status, 404)
      t.match(answer.error, { type: 'invalid_request_error', code: 'not_found', param: 'conversation', message: /^Conversation with id/ })
    }
  }
  t.equal((await ask(under, { model: 'acme/m', conversation: 'no such thing' })).status, 400)
  for (const [method, rest] of [
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/items'],
  ])
    t.equal((await call(under, method!, `/${id}${rest}`, undefined, foreign)).status, 404)
  t.equal((await call(under, 'GET', `/${id}`, undefined, same)).status, 200, 'a second key of the owner')
  t.same(await texts(under, id), ['hers'])
})

t.test('one run at a time: a second one, and any change of items meanwhile, is a 409', async t => {
  const gate = new Gate()
  const under = await started(t, {
    plugins: [
      scripted('slow', async function* () {
        await gate.pass()
        yield* hello
      }),
      saying('acme', hello),
    ],
  })
  const id = await create(under, { items: [user('before', { id: 'msg_1' })] })
  const running = ask(under, { model: 'slow/m', conversation: id })
  await gate.reached
  for (const busy of [
    await ask(under, { model: 'acme/m', conversation: id }),
    await ask(under, { model: 'acme/m', conversation: id, stream: true }),
  ]) {
    t.equal(busy.status, 409)
    t.match(busy.error, { code: 'conversation_locked', param: 'conversation', message: /in use/ })
    t.equal(busy.headers.get('x-should-retry'), 'true')
    t.ok(busy.headers.get('retry-after'))
  }
  for (const [method, rest, body] of [
    ['POST', '/items', { items: [user('x')] }],
    ['DELETE', '/items/msg_1'],
    ['DELETE', ''],
  ] as const)
    t.equal((await call(under, method, `/${id}${rest}`, body)).status, 409, `${method} ${rest}`)
  t.equal((await call(under, 'POST', `/${id}`, { metadata: { a: 'b' } })).status, 200, 'metadata is no item')
  t.same(await texts(under, id), ['before'], 'reading goes on')
  const reading = await ask(under, { model: 'acme/m', conversation: id, store: false })
  t.equal(reading.status, 200, 'a run that adds nothing needs no turn')
  gate.open()
  t.equal((await running).status, 200)
  t.equal((await ask(under, { model: 'acme/m', input: 'next', conversation: id })).status, 200)
  t.same(await texts(under, id), ['before', 'hi', 'Hello', 'next', 'Hello'])
})

t.test('of many runs at once, each is either added or a 409', async t => {
  const under = await started(t, { plugins: [saying('acme', hello)] })
  const id = await create(under)
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => ask(under, { model: 'acme/m', input: `q${index}`, conversation: id })),
  )
  const done = answers.filter(({ status }) => status === 200).length
  t.ok(done >= 1)
  t.ok(answers.every(({ status }) => status === 200 || status === 409))
  const said = await texts(under, id)
  t.equal(said.length, done * 2)
  t.ok(said.every((each, index) => (index % 2 ? each === 'Hello' : each.startsWith('q'))))
})

t.test('failed and cancelled runs add nothing, and free the conversation', async t => {
  const begun = new Gate()
  const under = await started(t, {
    plugins: [
      saying('cut', [text('Hel')]),
      scripted('endless', async function* ({ signal }) {
        yield text('Hel')
        void begun.pass()
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }),
      saying('acme', hello),
    ],
  })
  const id = await create(under)
  for (const stream of [true, false]) {
    const failed = await ask(under, { model: 'cut/m', conversation: id, stream })
    t.not(failed.status === 200 && failed.response.status, 'completed')
    t.equal((await ask(under, { model: 'acme/m', input: 'ok', conversation: id })).status, 200, 'at once')
  }
  const leaving = new AbortController()
  const left = under
    .request('/v1/responses', { body: { model: 'endless/m', input: 'gone', conversation: id, stream: true }, signal: leaving.signal })
    .then(async reply => {
      const reader = reply.body!.getReader()
      await reader.read()
      await begun.reached
      await reader.cancel()
      return reply.headers.get('x-request-id')!
    })
  await under.record(await left)
  for (;;) {
    const { status } = await ask(under, { model: 'acme/m', input: 'after', conversation: id })
    if (status === 200) break
    t.equal(status, 409)
  }
  t.same(await texts(under, id), ['ok', 'Hello', 'ok', 'Hello', 'after', 'Hello'])
})

t.test('with store: false, nothing is added, and a warning says so', async t => {
  const model = witness('acme', () => [text('answer'), usage(1, 1), stop])
  const under = await started(t, { plugins: [model.plugin] })
  const id = await create(under, { items: [user('before')] })
  const { status, headers, response } = await ask(under, { model: 'acme/m', conversation: id, store: false })
  t.equal(status, 200)
  t.match(headers.get('x-gateway-warnings'), /store: false, so nothing was added to the conversation/)
  t.same(response['conversation'], { id })
  t.same(model.calls.map(seen), [['before', 'hi']])
  t.same(await texts(under, id), ['before'])
})

t.test('a key without logging keeps nothing, and its requests go on as without the plugin', async t => {
  const under = await started(t, { plugins: [saying('acme', hello)], key: { name: 'dark' } })
  const refused = await call(under, 'POST', '', { items: [user('secret')] })
  t.match(refused, { status: 400, body: { error: { message: /request logging, which is off for this API key/ } } })
  t.equal((await call(under, 'GET', '/conv_1')).status, 404)
  const { status, headers, response } = await ask(under, { model: 'acme/m', conversation: 'conv_1' })
  t.equal(status, 200)
  t.equal(response['conversation'], null)
  t.match(headers.get('x-gateway-warnings'), /conversation: needs request logging/)
})

t.test('a full conversation takes no more', async t => {
  const under = await gateway({ plugins: [conversations({ maxItems: 3 }), saying('acme', hello)] })
  t.teardown(under.stop)
  const id = await create(under, { items: [user('1'), user('2')] })
  t.match((await call(under, 'POST', `/${id}/items`, { items: [user('3'), user('4')] })).body.error, { code: 'conversation_full' })
  t.equal((await ask(under, { model: 'acme/m', conversation: id })).status, 200, 'the answer that goes over it is still added')
  t.equal((await texts(under, id)).length, 4)
  for (const stream of [true, false])
    t.match(await ask(under, { model: 'acme/m', conversation: id, stream }), {
      status: 400,
      error: { code: 'conversation_full', message: /full/ },
    })
  await call(under, 'DELETE', `/${id}/items/${(await ids(under, id))[0]}`)
  await call(under, 'DELETE', `/${id}/items/${(await ids(under, id))[0]}`)
  t.equal((await ask(under, { model: 'acme/m', conversation: id })).status, 200, 'freed by the failed run, and there is room')
})

t.test('a response of a conversation is not continued by previous_response_id alone', async t => {
  const under = await started(t, { plugins: [saying('acme', hello)] })
  const id = await create(under)
  const { response } = await ask(under, { model: 'acme/m', conversation: id })
  const { status, error } = await ask(under, { model: 'acme/m', previous_response_id: response.id })
  t.equal(status, 400)
  t.match(error, { code: 'previous_response_not_found', message: `belongs to the conversation '${id}'. Send "conversation"` })
  const both = await ask(under, { model: 'acme/m', conversation: id, previous_response_id: response.id })
  t.match([both.status, both.error], [400, { param: 'conversation', message: /cannot be combined/ }])
})
