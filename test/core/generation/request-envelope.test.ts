import t, { type Test } from 'tap'
import {
  GatewayError,
  Routes,
  type GenerationEvent,
  type GenerationRequest,
  type Item,
  type JsonObject,
  type Route,
} from '../../../core/index.ts'
import type { RequestEnvelope } from '../../../core/kit.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { gateway, hello } from '../../kit/gateway.ts'
import { adding, ask, witness } from '../../kit/stage.ts'
import { TextSink } from '../../kit/text-sink.ts'

// A surface that core does not know. Its envelope says which stored answers it needs, or it sends none.

interface Asked {
  readonly request: Partial<GenerationRequest>
  readonly envelope?: RequestEnvelope
}

interface Told {
  readonly status: number
  readonly id?: string
  readonly text?: string
  readonly tokens?: number
  readonly stored?: boolean
  readonly error?: { readonly message: string; readonly param?: string; readonly code: string }
}

const logging = { name: 'test', user: 'jane', policy: { logging: { value: true } } }
const question: Item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Which words did I say?' }] }
let answers = 0

function surface(asked: () => Asked): readonly PluginUse[] {
  const route = (path: string, handle: Route['handle']) => adding(Routes, { method: 'POST', path, auth: 'key', handle })
  const request = (): GenerationRequest => ({ model: 'acme/m', input: [question], ...asked().request })
  const reply = (body: object) => ({ status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return [
    route('/v1/said', async (exchange, services) => {
      const sink = new TextSink(`said_${++answers}`)
      const outcome = await services.generate(exchange, request(), sink, asked().envelope).finished
      if (outcome instanceof GatewayError) throw outcome
      return reply({ id: sink.id, text: sink.text, stored: sink.stored })
    }),
    route('/v1/said/count', async (exchange, services) => reply(await services.countInput(exchange, request(), asked().envelope))),
  ]
}

async function saying(t: Test, key: object = logging, events: readonly GenerationEvent[] = hello) {
  let asked: Asked = { request: {} }
  const acme = witness('acme', () => events, { capabilities: { logprobs: false } })
  const under = await gateway({ plugins: [acme.plugin, ...surface(() => asked)], key })
  t.teardown(under.stop)
  const post = async (path: string, request: Asked['request'], envelope?: RequestEnvelope): Promise<Told> => {
    asked = { request, ...(envelope !== undefined && { envelope }) }
    const response = await under.request(path, { body: {} })
    return { status: response.status, ...((await response.json()) as object) }
  }
  return {
    acme,
    under,
    say: (request: Asked['request'] = {}, envelope?: RequestEnvelope) => post('/v1/said', request, envelope),
    count: (request: Asked['request'], envelope?: RequestEnvelope) => post('/v1/said/count', request, envelope),
    isStored: async (id: string | undefined) => (await under.request(`/v1/responses/${id}`)).status === 200,
  }
}

const thread = (continues?: string, store?: boolean): RequestEnvelope => ({ history: { param: 'thread', continues, store } })

t.test('a thread supplies the earlier conversation and gets each complete turn, also where nothing is stored', async t => {
  const { acme, say, isStored } = await saying(t)
  const earlier: Item[] = []
  const kept: string[] = []
  const threaded = (store: boolean): RequestEnvelope => ({
    history: {
      param: 'thread',
      store,
      thread: {
        isRepeated: true,
        earlier: () => earlier,
        keep({ input, output }, { id }) {
          earlier.push(...input, ...output)
          kept.push(id)
        },
      },
    },
  })
  const first = await say({}, threaded(false))
  t.match(first, { status: 200, stored: false })
  const second = await say({}, threaded(true))
  t.match(second, { status: 200, stored: true })
  t.same(kept, [first.id, second.id])
  t.equal(acme.calls[1]!.request.input.length, 3, 'the turn before, and the question')
  t.ok(earlier.every(item => 'id' in item))
  t.ok(await isStored(second.id))
  await say({}, { history: { param: 'thread', continues: second.id } })
  t.equal(acme.calls[2]!.request.input.length, 5, 'a stored answer leads to all of it')
})

t.test('an answer whose thread cannot keep it fails, and one that failed is not kept', async t => {
  const { say, isStored } = await saying(t)
  const full = (): never => {
    throw new GatewayError({ status: 409, type: 'invalid_request_error', code: 'conflict', message: 'The thread is gone.' })
  }
  const thread = { earlier: () => [], keep: full }
  t.match(await say({}, { history: { param: 'thread', thread } }), { status: 409, error: { message: 'The thread is gone.' } })
  t.notOk(await isStored(`said_${answers}`))
  const unknown = await say({}, { history: { param: 'thread', thread: { earlier: full } } })
  t.match(unknown, { status: 409 })
  let isKept = false
  const cut = await saying(t, logging, [{ type: 'text', text: 'Hel' }])
  const failed = await cut.say({}, { history: { param: 'thread', thread: { earlier: () => [], keep: () => void (isKept = true) } } })
  t.equal(failed.status, 424)
  t.notOk(isKept)
})

t.test('without an envelope, nothing is stored and no stored item can be named', async t => {
  const { say, isStored, under } = await saying(t)
  const { id, text, stored, status } = await say()
  t.match({ status, text, stored }, { status: 200, text: 'Hello', stored: false })
  t.notOk(await isStored(id))
  const refused = await say({ input: [{ type: 'item_reference', id: 'msg_1' }, question] })
  t.match(refused, {
    status: 400,
    error: { param: 'input', message: /'msg_1' not found: nothing is stored here\. Send the item itself\./ },
  })
  const output: Item = { type: 'function_call_output', call_id: 'call_1', output: '5' }
  const loose = await say({ input: [output] })
  t.match(loose, { status: 400, error: { param: 'input[0].call_id', message: /Send the call before it\.$/ } })
  const [record] = await under.recorded(1)
  t.match(record, { answerId: id, request: { model: 'acme/m', input: [question] }, response: { said: 'Hello' } })
})

t.test('an envelope continues a stored answer, and errors name the parameter of the surface', async t => {
  const { say, count, isStored, acme } = await saying(t)
  const first = await say({}, thread())
  t.ok(first.stored)
  t.ok(await isStored(first.id))
  const second = await say({ input: [question] }, thread(first.id))
  t.ok(second.stored)
  t.match(acme.calls[1]!.request.input, [question, { role: 'assistant', content: [{ text: 'Hello' }] }, question])
  const unstored = await say({}, thread(first.id, false))
  t.equal(unstored.stored, false)
  t.notOk(await isStored(unstored.id))
  const [alone, continued] = [await count({}, thread()), await count({}, thread(second.id))]
  t.ok(continued.tokens! > 2 * alone.tokens!, `${continued.tokens} tokens with the conversation, ${alone.tokens} without it`)

  const refused = await say({}, thread('said_none'))
  t.match(refused, { status: 400, error: { param: 'thread', code: 'previous_response_not_found' } })
  const output: Item = { type: 'function_call_output', call_id: 'call_1', output: '5' }
  t.match(await say({ input: [output] }, thread()), { status: 400, error: { message: /or chain with thread\.$/ } })
})

t.test('a stored item is named by its id', async t => {
  const { say, under, acme } = await saying(t)
  const { response } = await ask(under, { model: 'acme/m', input: 'hi' })
  const [said] = response.output
  t.equal((await say({ input: [{ type: 'item_reference', id: said!['id'] as string }, question] }, thread())).status, 200)
  t.match(acme.calls.at(-1)!.request.input, [{ type: 'message', role: 'assistant', content: [{ text: 'Hello' }] }, question])
})

t.test('with logging off, an envelope stores nothing, and the error names the parameter', async t => {
  const { say } = await saying(t, { name: 'test' })
  t.equal((await say({}, thread())).stored, false)
  t.match(await say({}, thread('said_1')), { status: 400, error: { param: 'thread', message: /^thread needs request logging/ } })
})

t.test('the record has the request in the form of the surface', async t => {
  const { say, under } = await saying(t)
  const recorded: JsonObject = { words: ['hi'], tag: 'demo' }
  await say({}, { recorded })
  t.strictSame((await under.recorded(1))[0]!.request, recorded)
  t.ok(Object.isFrozen(recorded), 'nobody can change it later')
})

t.test('log probabilities and details are asked for in neutral words', async t => {
  const { say, acme, under } = await saying(t)
  await say({ logprobs: true, details: ['search-results'] })
  t.match(acme.calls[0]!.request, { details: ['search-results'] })
  t.notOk('logprobs' in acme.calls[0]!.request, 'the model does not have them')
  const include = ['message.output_text.logprobs', 'web_search_call.results', 'reasoning.encrypted_content']
  const { headers } = await ask(under, { model: 'acme/m', input: 'hi', include, metadata: { a: 'b' }, store: false })
  t.match(headers.get('x-gateway-warnings'), /^include: message\.output_text\.logprobs is not supported by this model and was left out/)
  const { request } = acme.calls[1]!
  t.same(request.details, ['search-results', 'reasoning-state'])
  for (const member of ['include', 'metadata', 'store', 'logprobs']) t.notOk(member in request, member)
})

t.test('an envelope that plain JavaScript got wrong asks no model', async t => {
  const { say, count, acme } = await saying(t)
  for (const envelope of [null, 5, { history: 5 }, { history: {} }, { recorded: 'all' }, { history: { param: 'thread', store: 'no' } }]) {
    const wrong = envelope as unknown as RequestEnvelope
    for (const told of [await say({}, wrong), await count({}, wrong)])
      t.match(told, { status: 500, error: { code: 'server_error' } }, JSON.stringify(envelope))
  }
  t.equal(acme.calls.length, 0)
})
