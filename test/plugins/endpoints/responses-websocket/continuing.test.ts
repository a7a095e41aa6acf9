import t from 'tap'
import type { ProviderCall } from '../../../../core/index.ts'
import conversations from '../../../../plugins/endpoints/conversations/index.ts'
import { scripted } from '../../../kit/gateway.ts'
import { Peer, textOf, underTest } from './stage.ts'

/** Says how many messages it was asked with, and the words in them. */
const listener = scripted('listener', async function* ({ request }: ProviderCall) {
  const words = request.input.flatMap(item =>
    ('content' in item ? (item.content as readonly { readonly text?: string }[]) : []).map(({ text }) => text),
  )
  yield { type: 'text', text: words.join('|') }
  yield { type: 'finish', reason: 'stop' }
})
const model = 'listener/any'
const plugins = [listener]

t.test('continues its latest response, though nothing is stored', async t => {
  const under = await underTest(t, {}, { plugins })
  const peer = await Peer.open(under)
  const first = await peer.answer({ model, input: 'a' })
  const second = await peer.answer({ model, input: 'b', previous_response_id: first['id'] })
  t.equal(textOf(second), 'a|a|b')
  t.match(second, { previous_response_id: first['id'], store: false })
  t.match(await peer.fails({ model, input: 'c', previous_response_id: first['id'] }), {
    status: 400,
    error: {
      code: 'previous_response_not_found',
      param: 'previous_response_id',
      message: `Previous response with id '${first['id']}' not found.`,
    },
  })
  t.equal(textOf(await peer.answer({ model, input: 'c', previous_response_id: second['id'] })), 'a|a|b|a|a|b|c')

  const other = await Peer.open(under)
  t.match(await other.fails({ model, input: 'd', previous_response_id: second['id'] }), { error: { code: 'previous_response_not_found' } })
})

t.test('the same for a key without logging', async t => {
  const under = await underTest(t, {}, { plugins })
  const key = await under.gateway.issueKey({ name: 'private', policy: { logging: { value: false } } })
  const peer = await Peer.open(under, key)
  const first = await peer.answer({ model, input: 'a', store: true })
  t.equal(first['store'], false)
  t.equal(textOf(await peer.answer({ model, input: 'b', previous_response_id: first['id'] })), 'a|a|b')
  t.match(await peer.fails({ model, input: 'b', previous_response_id: 'resp_none' }), { error: { code: 'previous_response_not_found' } })
})

t.test('a new lane forks from the latest response of another', async t => {
  const peer = await Peer.open(await underTest(t, {}, { plugins }))
  const plan = await peer.answer({ model, input: 'plan', stream_id: 'planner' })
  const critic = await peer.answer({ model, input: 'gaps', stream_id: 'critic', previous_response_id: plan['id'] })
  t.equal(textOf(critic), 'plan|plan|gaps')
  const more = await peer.answer({ model, input: 'more', stream_id: 'planner', previous_response_id: plan['id'] })
  t.equal(textOf(more), 'plan|plan|more')
  t.equal(
    textOf(await peer.answer({ model, input: 'end', stream_id: 'critic', previous_response_id: critic['id'] })),
    'plan|plan|gaps|plan|plan|gaps|end',
  )
  t.equal(textOf(await peer.answer({ model, input: 'fresh', stream_id: 'planner' })), 'fresh', 'without an id, a lane begins anew')
})

t.test('a failed continuation evicts its id', async t => {
  const peer = await Peer.open(await underTest(t, {}, { plugins }))
  const first = await peer.answer({ model, input: 'a' })
  const output = [{ type: 'function_call_output', call_id: 'call_none', output: 'x' }]
  t.match(await peer.fails({ model, input: output, previous_response_id: first['id'] }), {
    status: 400,
    error: { param: 'input[0].call_id' },
  })
  t.match(await peer.fails({ model, input: 'b', previous_response_id: first['id'] }), { error: { code: 'previous_response_not_found' } })
})

t.test('calls of functions and their outputs', async t => {
  const peer = await Peer.open(await underTest(t))
  const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} }, strict: false }]
  const asked = await peer.answer({ model: 'sandbox/tools', input: 'weather', tools })
  const call = asked['output'].find(({ type }: { type: string }) => type === 'function_call')
  const output = [{ type: 'function_call_output', call_id: call.call_id, output: 'sunny' }]
  const answered = await peer.answer({ model: 'sandbox/tools', input: output, tools, previous_response_id: asked['id'] })
  t.equal(answered['status'], 'completed')
})

t.test('stored responses continue over connections and HTTP', async t => {
  const under = await underTest(t, {}, { plugins })
  const peer = await Peer.open(under)
  const unstored = await peer.answer({ model, input: 'a' })
  const stored = await peer.answer({ model, input: 'b', store: true, previous_response_id: unstored['id'] })
  t.match(stored, { store: true, previous_response_id: unstored['id'] })
  const next = await peer.answer({ model, input: 'c', store: true, previous_response_id: stored['id'] })
  t.equal(textOf(next), 'a|a|b|a|a|b|c')

  const other = await Peer.open(under)
  const there = await other.answer({ model, input: 'd', previous_response_id: stored['id'] })
  t.equal(textOf(there), 'a|a|b|a|a|b|d', 'a response that continues one that was not stored is stored as a whole')
  t.equal(textOf(await other.answer({ model, input: 'e', previous_response_id: there['id'] })), 'a|a|b|a|a|b|d|a|a|b|a|a|b|d|e')

  const reply = await under.request('/v1/responses', { method: 'POST', body: { model, input: 'f', previous_response_id: next['id'] } })
  t.equal(textOf((await reply.json()) as object), 'a|a|b|a|a|b|c|a|a|b|a|a|b|c|f')
  const byHttp = (await (await under.request('/v1/responses', { method: 'POST', body: { model, input: 'g' } })).json()) as {
    readonly id: string
  }
  t.equal(textOf(await peer.answer({ model, input: 'h', previous_response_id: byHttp.id })), 'g|g|h')

  const stranger = await Peer.open(under, await under.gateway.issueKey({ name: 'other', org: 'other' }))
  t.match(await stranger.fails({ model, input: 'x', previous_response_id: stored['id'] }), {
    error: { code: 'previous_response_not_found' },
  })
})

t.test('a warm-up answers nothing, costs nothing, and can be continued', async t => {
  const under = await underTest(t, {}, { plugins })
  const peer = await Peer.open(under)
  const empty = await peer.answer({ model, input: [], generate: false, instructions: 'Be brief.' })
  t.match(empty, { status: 'completed', output: [], store: false, usage: { total_tokens: 0, cost_usd: 0 } })
  t.equal(textOf(await peer.answer({ model, input: 'a', previous_response_id: empty['id'] })), 'a')
  const warm = await peer.answer({ model, input: 'hello', generate: false, store: true })
  t.equal(warm['store'], false)
  t.equal(textOf(await peer.answer({ model, input: [], previous_response_id: warm['id'] })), 'hello', 'the next one may add nothing')
  const missing = await peer.answer({ model, generate: false })
  t.match(await peer.fails({ model, input: [], previous_response_id: missing['id'] }), {
    status: 400,
    error: { param: 'input', message: /nothing to answer/ },
  })
  t.match(await peer.fails({ model: 'none/any', input: [], generate: false }), { status: 400, error: { param: 'model' } })
  const records = await under.recorded(7)
  t.same(
    records.filter(({ kind }) => kind === 'count').map(({ status, costUsd, usage }) => [status, costUsd, usage]),
    [
      [200, null, null],
      [200, null, null],
      [200, null, null],
      [400, null, null],
    ],
  )
})

t.test('connections lose what they remember before an answer is ended', async t => {
  const under = await underTest(t, {}, { plugins, settings: { maxLiveAnswerBytes: 200_000 } })
  const peer = await Peer.open(under)
  const large = await peer.answer({ input: 'x'.repeat(30_000) })
  t.equal(large['status'], 'completed')
  const other = await Peer.open(under)
  const small = await other.answer({ input: 'y'.repeat(20_000) })
  t.equal(small['status'], 'completed')
  t.match(await peer.fails({ input: 'more', previous_response_id: large['id'] }), { error: { code: 'previous_response_not_found' } })
})

t.test('conversations are extended over both transports', async t => {
  const under = await underTest(t, {}, { plugins: [...plugins, conversations({})] })
  const { id } = (await (await under.request('/v1/conversations', { method: 'POST', body: {} })).json()) as { readonly id: string }
  const peer = await Peer.open(under)
  const first = await peer.answer({ model, input: 'a', store: true, conversation: id })
  t.match(first, { conversation: { id } })
  const byHttp = await under.request('/v1/responses', { method: 'POST', body: { model, input: 'b', conversation: id } })
  t.equal(textOf((await byHttp.json()) as object), 'a|a|b')
  t.equal(textOf(await peer.answer({ model, input: 'c', conversation: { id }, store: true })), 'a|a|b|a|a|b|c')
  const warm = await peer.answer({ model, input: [], generate: false, conversation: id, stream_id: 'warm' })
  t.equal(warm['status'], 'completed')
  const outside = await peer.answer({ model, input: 'd', store: true, stream_id: 'warm', previous_response_id: warm['id'] })
  t.match(textOf(outside), /^a\|a\|b\|.*\|d$/, 'the connection remembers it as any other')
  const other = await Peer.open(under)
  t.equal(textOf(await other.answer({ model, input: 'e', previous_response_id: outside['id'] })), `${textOf(outside)}|${textOf(outside)}|e`)
  t.match(await other.fails({ model, input: 'f', previous_response_id: first['id'] }), {
    error: { code: 'previous_response_not_found', message: /belongs to the conversation/ },
  })
  t.match(await peer.fails({ model, input: 'x', conversation: 'conv_none' }), { status: 404 })
})
