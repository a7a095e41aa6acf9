import t, { type Test } from 'tap'
import type { GenerationEvent, JsonObject } from '../../../core/index.ts'
import { ProviderFailure } from '../../../core/index.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import type { Provider, ProviderCall } from '../../../core/index.ts'
import summary from '../../../plugins/compactors/summary/index.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import zdr from '../../../plugins/guardrails/zdr/index.ts'
import { gateway, scripted, type GatewayUnderTest } from '../../kit/gateway.ts'
import { ask, listing, said, stop, text, usage, witness, type Witness } from '../../kit/stage.ts'

const logging = { name: 'test', user: 'jane', policy: { logging: { value: true } } }
const threshold = (tokens: number) => ({ context_management: [{ type: 'compaction', compact_threshold: tokens }] })
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const long = (words: number) => 'lorem ipsum '.repeat(words / 2)
const trigger = { type: 'compaction_trigger' }

/** True for a request to summarize. */
function asksForSummary({ request }: ProviderCall): boolean {
  const last = request.input.at(-1)
  return last?.type === 'message' && JSON.stringify(last.content).includes('about to be replaced by a summary')
}

/** A model that summarizes when asked to, and answers otherwise. */
function scribe(id: string, more: Partial<Provider> = {}, told: (call: ProviderCall) => string = () => 'WHAT WAS SAID'): Witness {
  return witness(id, call => (asksForSummary(call) ? [text(told(call)), usage(100, 20), stop] : [text('answer'), usage(10, 2), stop]), more)
}

async function compacting(t: Test, plugins: readonly PluginUse[], key: object = logging): Promise<GatewayUnderTest> {
  const under = await gateway({ plugins: [summary({}), ...plugins], key: key as never })
  t.teardown(under.stop)
  return under
}

/** The texts that a provider got, one a message. */
function textsIn({ request }: ProviderCall): readonly string[] {
  return request.input.map(item => {
    if (item.type !== 'message') return `<${item.type}>`
    return item.content.map(part => ('text' in part ? part.text : `<${part.type}>`)).join('|')
  })
}

const conversation = [user('The code word is slate.'), assistant('OK.'), user(long(600)), assistant(long(600)), user('And now?')]

t.test('a conversation over the threshold is summarized, and answered from the summary', async t => {
  const acme = scribe('acme')
  const under = await compacting(t, [acme.plugin])
  for (const stream of [false, true]) {
    acme.calls.length = 0
    const { response, headers, requestId } = await ask(under, { model: 'acme/m', input: conversation, stream, ...threshold(1_000) })
    t.equal(acme.calls.length, 2)
    const [first, second] = acme.calls as [ProviderCall, ProviderCall]
    t.equal(textsIn(first).length, 5, 'what is still to be answered is not summarized, and the question comes last')
    t.equal(textsIn(first)[1], 'OK.')
    const seen = textsIn(second)
    t.equal(seen[0], 'The code word is slate.')
    t.match(seen.at(-2), /^<conversation_summary>[^]*WHAT WAS SAID/)
    t.equal(seen.at(-1), 'And now?')
    t.ok(
      seen.every(each => each.length < 2_000),
      'the long messages are gone or cut',
    )
    t.equal(second.request.context_management, undefined)
    t.same(
      response.output.map(({ type }) => type),
      ['compaction', 'message'],
    )
    t.notMatch(JSON.stringify(response.output[0]), /WHAT WAS SAID/, 'it is sealed')
    t.equal(said(response), 'answer')
    t.match(response.usage, { input_tokens: 110, output_tokens: 22 }, 'one bill')
    t.equal(headers.get('x-gateway-warnings'), null)
    const record = await under.record(requestId)
    t.equal(record.attempts.length, 2)
    t.match(record.notes, [{ kind: 'compaction', summary: { provider: 'acme', model: 'm', parts: 1 } }])
    t.equal(record.usage?.output, 22)
  }
})

t.test('the next request may drop what came before the item, and models do not get it again if it does not', async t => {
  const acme = scribe('acme')
  const globex = scribe('globex')
  const under = await compacting(t, [acme.plugin, globex.plugin])
  const { response } = await ask(under, { model: 'acme/m', input: conversation, ...threshold(1_000) })
  const next = user('Go on.')
  const seen: (readonly string[])[] = []
  for (const before of [conversation, []])
    for (const model of ['acme/m', 'globex/other']) {
      const { status } = await ask(under, { model, input: [...before, ...response.output, next] })
      t.equal(status, 200)
      seen.push(textsIn((model === 'acme/m' ? acme : globex).calls.at(-1)!))
    }
  for (const each of seen) t.same(each, seen[0], 'the same, whatever the model, with or without the earlier conversation')
  t.same(seen[0]!.slice(-3), ['And now?', 'answer', 'Go on.'])
  t.equal(seen[0]![0], 'The code word is slate.')

  const chained = await ask(under, { model: 'globex/other', input: [next], previous_response_id: response.id })
  t.equal(chained.status, 200)
  t.same(textsIn(globex.calls.at(-1)!), seen[0], 'neither does a stored conversation send it again')
})

t.test('below the threshold, and without the member, nothing is summarized', async t => {
  const acme = scribe('acme')
  const under = await compacting(t, [acme.plugin])
  const below = await ask(under, { model: 'acme/m', input: conversation, ...threshold(1_000_000) })
  t.equal(below.headers.get('x-gateway-warnings'), null)
  t.equal(acme.calls[0]!.request.context_management, undefined)
  await ask(under, { model: 'acme/m', input: conversation })
  await ask(under, { model: 'acme/m', input: long(6_000), ...threshold(1_000) })
  t.equal(acme.calls.length, 3, 'nor a question alone')
})

t.test('compact answers with the messages of the user and a compaction that goes on', async t => {
  const acme = scribe('acme')
  const globex = scribe('globex')
  const under = await compacting(t, [acme.plugin, globex.plugin])
  const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' }
  const input = [user([{ type: 'input_text', text: 'Look.' }, image]), assistant('A cat.'), user('Is it black?'), assistant('Yes.')]
  const reply = await under.request('/v1/responses/compact', { body: { model: 'acme/m', input, instructions: 'Be brief.' } })
  t.equal(reply.status, 200)
  const body = (await reply.json()) as { id: string; object: string; created_at: number; output: JsonObject[]; usage: JsonObject }
  t.match(body, { id: /^resp_/, object: 'response.compaction', created_at: Number, usage: { input_tokens: 100, total_tokens: 120 } })
  t.match(body.output, [
    { type: 'message', role: 'user', status: 'completed', id: /^msg_/, content: [{ text: 'Look.' }, image] },
    { type: 'message', role: 'user', content: [{ text: 'Is it black?' }] },
    { type: 'compaction', id: /^cmp_/, encrypted_content: /^tpk1\./ },
  ])
  t.match(acme.calls[0]!.request, { instructions: 'Be brief.' })
  t.equal(textsIn(acme.calls[0]!)[0], 'Look.|<input_image>', 'the model that summarizes sees images')

  await ask(under, { model: 'globex/n', input: [...body.output, user('Big?')] })
  t.match(textsIn(globex.calls[0]!), ['Look.|<input_image>', 'Is it black?', /WHAT WAS SAID/, 'Big?'])
  await ask(under, { model: 'globex/n', input: [body.output.at(-1), user('Big?')] })
  t.match(textsIn(globex.calls[1]!), ['Look.|[image]', 'Is it black?', /WHAT WAS SAID/, 'Big?'], 'without the messages, images are named')
  t.equal((await under.request(`/v1/responses/${body.id}`)).status, 404, 'it is not stored')
})

t.test('a trigger at the end is answered by a compaction alone', async t => {
  const acme = scribe('acme')
  const under = await compacting(t, [acme.plugin])
  for (const stream of [true, false]) {
    const { response } = await ask(under, { model: 'acme/m', input: [...conversation, trigger], stream })
    t.same(
      response.output.map(({ type }) => type),
      ['compaction'],
    )
    t.equal(response.status, 'completed')
    const chained = await ask(under, { model: 'acme/m', input: 'Go on.', previous_response_id: response.id })
    t.match(textsIn(acme.calls.at(-1)!).slice(-3), ['And now?', /WHAT WAS SAID/, 'Go on.'])
    t.equal(chained.status, 200)
  }
  const early = await ask(under, { model: 'acme/m', input: [trigger, user('hi')] })
  t.equal(early.status, 400)
  t.match(early.error, { param: 'input[0]', message: /must be the last item/ })
  const alone = await ask(under, { model: 'acme/m', input: [trigger] })
  t.equal(alone.status, 400)
  t.match(alone.error, { param: 'input', message: /no conversation to compact/ })
})

t.test('compact needs a conversation, and a model', async t => {
  const under = await compacting(t, [scribe('acme').plugin])
  const refused = async (body: object) => {
    const reply = await under.request('/v1/responses/compact', { body })
    return { status: reply.status, ...((await reply.json()) as { error: JsonObject }).error }
  }
  t.match(await refused({ input: 'hi' }), { status: 400, param: 'model' })
  t.match(await refused({ model: 'acme/m' }), { status: 400, param: 'input' })
  t.match(await refused({ model: 'acme/m', input: null }), { status: 400, param: 'input' })
  t.match(await refused({ model: 'acme/m', input: [] }), { status: 400, param: 'input' })
  t.match(await refused({ model: 'acme/m', input: 7 }), { status: 400, param: 'input' })
  t.match(await refused({ model: 'acme/m', input: [trigger, user('hi')] }), { status: 400, param: 'input[0]' })
  const idle = { stream: true, background: true, conversation: 'conv_1', store: true, ...threshold(1_000) }
  const reply = await under.request('/v1/responses/compact', { body: { model: 'acme/m', input: 'hi', ...idle } })
  t.equal(reply.status, 200)
  t.equal(reply.headers.get('content-type'), 'application/json')
  for (const name of ['stream', 'background', 'conversation', 'context_management'])
    t.match(reply.headers.get('x-gateway-warnings'), `${name}: has no effect`)
})

t.test('calls that wait for their output stay, and can be answered after the compaction', async t => {
  const acme = scribe('acme')
  const under = await compacting(t, [acme.plugin])
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }]
  const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'look', arguments: `{"at":"${id}"}` })
  const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: `saw ${id}` })
  const input = [user('Look twice.'), call('a'), output('a'), call('b')]
  const { response } = await ask(under, { model: 'acme/m', tools, input: [...input, trigger] })
  const [told] = acme.calls
  t.same(
    told!.request.input.map(item => ('call_id' in item ? `${item.type} ${item.call_id}` : item.type)),
    ['message', 'function_call a', 'function_call_output a', 'message'],
    'a model is not asked with a call that nobody answered',
  )
  t.match(textsIn(told!).at(-1), /look: \{"at":"b"\}/)
  t.equal(told!.request.tool_choice, 'none')
  for (const before of [[], input]) {
    const { status } = await ask(under, { model: 'acme/m', tools, input: [...before, ...response.output, output('b')] })
    t.equal(status, 200)
    t.same(
      acme.calls.at(-1)!.request.input.map(item => ('call_id' in item ? `${item.type} ${item.call_id}` : item.type)),
      ['message', 'message', 'function_call b', 'function_call_output b'],
    )
  }
  const answered = await ask(under, { model: 'acme/m', tools, input: [...response.output, output('a')] })
  t.equal(answered.status, 400, 'one that was answered is part of the summary')
  t.match(answered.error, { param: 'input[1].call_id' })
})

t.test('the round that a model has to answer stays whole', async t => {
  const acme = scribe('acme')
  const under = await compacting(t, [acme.plugin])
  const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'look', arguments: '{}' })
  const output = (id: string, words: number) => ({ type: 'function_call_output', call_id: id, output: long(words) })
  const input = [user('Look.'), call('a'), output('a', 2_000), call('b'), call('c'), output('b', 10), output('c', 10)]
  await ask(under, { model: 'acme/m', input, ...threshold(1_000) })
  t.same(
    acme.calls[1]!.request.input.map(item => ('call_id' in item ? `${item.type} ${item.call_id}` : item.type)),
    ['message', 'message', 'function_call b', 'function_call c', 'function_call_output b', 'function_call_output c'],
  )
  acme.calls.length = 0
  await ask(under, { model: 'acme/m', input: [user('Look.'), call('a'), output('a', 4_000)], ...threshold(1_000) })
  t.match(textsIn(acme.calls[1]!), ['Look.', /WHAT WAS SAID/] as never, 'unless it is too long')
})

t.test('a compaction is compacted again', async t => {
  const acme = scribe('acme', {}, call => `${textsIn(call).filter(each => each.startsWith('<conv')).length} before`)
  const under = await compacting(t, [acme.plugin])
  const first = await ask(under, { model: 'acme/m', input: [...conversation, trigger] })
  const more = [user('More.'), assistant('Done.')]
  const second = await ask(under, { model: 'acme/m', input: [...conversation, ...first.response.output, ...more, trigger] })
  await ask(under, { model: 'acme/m', input: [...conversation, ...first.response.output, ...more, ...second.response.output, user('Hm.')] })
  const seen = textsIn(acme.calls.at(-1)!)
  t.equal(seen.filter(each => each.startsWith('<conversation_summary>')).length, 1)
  t.match(seen.at(-2), /1 before/)
  t.same(seen.slice(-4, -2), ['And now?', 'More.'])
})

t.test('instructions stay the caller’s, wherever they are', async t => {
  const acme = scribe('acme')
  const under = await compacting(t, [acme.plugin])
  const developer = (content: string) => ({ role: 'developer', content })
  const input = [developer('Speak Latin.'), ...conversation]
  const { response } = await ask(under, { model: 'acme/m', input: [...input, trigger] })
  const after = async (items: readonly object[]) => {
    await ask(under, { model: 'acme/m', input: items })
    return textsIn(acme.calls.at(-1)!)
  }
  t.equal((await after([...response.output, user('Hm.')]))[0], 'Speak Latin.', 'kept for callers that dropped them')
  const changed = await after([developer('Speak Greek.'), user('New context.'), ...response.output, user('Hm.')])
  t.same(changed.slice(0, 2), ['Speak Greek.', 'New context.'], 'new ones count, and so does what the caller puts in front')
  t.notOk(changed.includes('Speak Latin.'))
})

t.test('placeholders of redaction are restored before the summary is sealed', async t => {
  const acme = scribe('acme', {}, call => `Mail to ${/\[EMAIL_\d\]/.exec(JSON.stringify(call.request.input))?.[0]}.`)
  const policy = { logging: { value: true }, redaction: { value: true } }
  const under = await compacting(t, [acme.plugin, redaction({})], { ...logging, policy })
  const input = [user('I am jane@example.com.'), assistant(long(1_200)), user('Who am I?')]
  const { response } = await ask(under, { model: 'acme/m', input, ...threshold(1_000) })
  for (const call of acme.calls) t.notMatch(JSON.stringify(call.request), /jane@example/, 'no model sees the address')
  t.match(textsIn(acme.calls[1]!).join(), /Mail to \[EMAIL_1\]/)

  const plain = await under.gateway.issueKey({ name: 'plain', user: 'jane', policy: {} })
  const headers = { authorization: `Bearer ${plain}` }
  await ask(under, { model: 'acme/m', input: [...response.output, user('And?')] }, headers)
  t.match(textsIn(acme.calls.at(-1)!).join(), /Mail to jane@example\.com\./)
})

t.test('a compaction is of use to its owner alone', async t => {
  const acme = scribe('acme')
  const under = await compacting(t, [acme.plugin])
  const { response } = await ask(under, { model: 'acme/m', input: [...conversation, trigger] })
  const as = async (settings: object) => ({ authorization: `Bearer ${await under.gateway.issueKey({ ...logging, ...settings })}` })
  const input = [...response.output, user('And?')]
  t.equal((await ask(under, { model: 'acme/m', input }, await as({}))).status, 200, 'a new key of the same owner')
  for (const settings of [{ user: 'john' }, { org: 'globex' }]) {
    const { status, error } = await ask(under, { model: 'acme/m', input }, await as(settings))
    t.equal(status, 400)
    t.match(error, { param: 'input', message: /cannot be opened/ })
  }
  const forged = { ...response.output[0], encrypted_content: `${response.output[0]!['encrypted_content']}A` }
  t.equal((await ask(under, { model: 'acme/m', input: [forged, user('And?')] })).status, 400)
  t.equal((await ask(under, { model: 'acme/m', input: [{ type: 'compaction', encrypted_content: 'tpk1.' }, user('x')] })).status, 400)
  t.equal((await ask(under, { model: 'acme/m', input: [{ type: 'compaction', encrypted_content: 'made up' }, user('x')] })).status, 400)
})

t.test('a longer conversation than the context window is summarized in parts', async t => {
  const acme = scribe('acme', {}, call => `part ${/part (\d) of/.exec(textsIn(call).at(-1)!)?.[1]}`)
  const list = listing({ model: 'm', endpoints: [{ provider: 'acme', contextWindow: 16_000, tokenizer: 'o200k_base' }] })
  const under = await compacting(t, [acme.plugin, list])
  const turns = Array.from({ length: 12 }, (_, index) => [user(`${index} ${long(1_000)}`), assistant(long(1_000))]).flat()
  const { response, headers, status } = await ask(under, { model: 'm', input: [...turns, user('And now?')], ...threshold(10_000) })
  t.equal(status, 200)
  const parts = acme.calls.slice(0, -1)
  t.ok(parts.length > 3, `${parts.length} parts`)
  for (const [index, call] of parts.entries()) {
    t.equal(textsIn(call)[0]!.startsWith('<conversation_summary>'), index > 0)
    t.ok(textsIn(call).join().length / 6 < 16_000)
  }
  t.match(textsIn(acme.calls.at(-1)!).at(-2), new RegExp(`part ${parts.length}\n`))
  t.match(headers.get('x-gateway-warnings'), /summarized in \d parts/)
  t.match(response.usage, { input_tokens: 100 * parts.length + 10 })

  const endless = Array.from({ length: 200 }, () => [user(long(2_000)), assistant(long(2_000))]).flat()
  const { status: refused, error } = await ask(under, { model: 'm', input: [...endless, user('And now?')], ...threshold(10_000) })
  t.equal(refused, 400)
  t.match(error, { code: 'context_length_exceeded', message: /more than 8 parts/ })
})

t.test('one message that is longer than the window loses its middle', async t => {
  const acme = scribe('acme')
  const list = listing({ model: 'm', endpoints: [{ provider: 'acme', contextWindow: 8_000, tokenizer: 'o200k_base' }] })
  const under = await compacting(t, [acme.plugin, list])
  const call = { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'a', output: long(40_000) }
  const { status } = await ask(under, { model: 'm', input: [user('Read.'), call, output, trigger] })
  t.equal(status, 200)
  t.match(JSON.stringify(acme.calls[1]!.request.input), /function_call_output.*characters left out/)
})

t.test('without a summary, the conversation is answered as a whole, and an asked compaction fails', async t => {
  const failing = new ProviderFailure({ kind: 'unavailable', message: 'no', status: 503 })
  const outcomes: Readonly<Record<string, () => readonly GenerationEvent[]>> = {
    failure: () => {
      throw failing
    },
    silence: () => [{ type: 'reasoning', form: 'full', text: 'hm' }, stop],
    refusal: () => [{ type: 'refusal', text: 'I will not.' }, stop],
    call: () => [
      { type: 'tool-call', key: 'a', name: 'look' },
      { type: 'finish', reason: 'tool-calls' },
    ],
  }
  for (const [name, outcome] of Object.entries(outcomes)) {
    const acme = witness('acme', call => (asksForSummary(call) ? outcome() : [text('answer'), stop]))
    const under = await compacting(t, [acme.plugin])
    const { response, headers } = await ask(under, { model: 'acme/m', input: conversation, ...threshold(1_000) })
    t.equal(said(response), 'answer', name)
    t.equal(response.output.length, 1)
    t.match(headers.get('x-gateway-warnings'), /context_management: the conversation could not be summarized/)
    t.equal(acme.calls.at(-1)!.request.input.length, conversation.length)
    const asked = await under.request('/v1/responses/compact', { body: { model: 'acme/m', input: conversation } })
    t.equal(asked.status, 424, name)
  }
})

t.test('a spend cap that does not cover the summary is a 402, and one that covers it alone ends the answer', async t => {
  const price = { input: 1, output: 10 }
  const list = listing({ model: 'm', endpoints: [{ provider: 'acme', price, tokenizer: 'o200k_base' }] })
  const acme = scribe('acme')
  for (const [cap, expected] of [
    [0.000_001, 402],
    [10, 200],
  ] as const) {
    const under = await compacting(t, [acme.plugin, list], { ...logging, spendCapUsd: cap })
    const { status } = await ask(under, { model: 'm', input: conversation, ...threshold(1_000) })
    t.equal(status, expected)
    t.equal((await under.request('/v1/responses/compact', { body: { model: 'm', input: conversation } })).status, expected)
  }
})

t.test('an option names another model, which the key must allow', async t => {
  const acme = scribe('acme')
  const cheap = scribe('cheap')
  const under = await gateway({ plugins: [summary({ model: 'cheap/small' }), acme.plugin, cheap.plugin], key: logging })
  t.teardown(under.stop)
  await ask(under, { model: 'acme/m', input: conversation, ...threshold(1_000) })
  t.equal(cheap.calls.length, 1)
  t.equal(acme.calls.length, 1)
  t.match(textsIn(acme.calls[0]!).at(-2), /WHAT WAS SAID/)
  const headers = { authorization: `Bearer ${await under.gateway.issueKey({ ...logging, providers: ['acme'] })}` }
  const own = await ask(under, { model: 'acme/m', input: conversation, ...threshold(1_000) }, headers)
  t.equal(own.status, 200)
  t.equal(cheap.calls.length, 1, 'a key without it')
  t.equal(acme.calls.length, 3)
})

t.test('vendors compact if every endpoint of the request can, unless the option says otherwise', async t => {
  const capabilities = { contextManagement: true, builtInTools: true }
  const vendor = (id: string) =>
    witness(
      id,
      call => {
        if (asksForSummary(call)) return [text('OURS'), stop]
        const isAsked = call.request.input.at(-1)?.type === 'compaction_trigger'
        return isAsked ? [{ type: 'compaction', opaque: 'theirs' }, stop] : [text('answer'), stop]
      },
      { capabilities },
    )
  const acme = vendor('acme')
  const under = await compacting(t, [acme.plugin, scribe('globex').plugin])
  await ask(under, { model: 'acme/m', input: conversation, ...threshold(1_000) })
  t.match(acme.calls, { length: 1 })
  t.match(acme.calls[0]!.request.context_management, [{ compact_threshold: 1_000 }])
  const reply = await under.request('/v1/responses/compact', { body: { model: 'acme/m', input: conversation } })
  const { output } = (await reply.json()) as { output: JsonObject[] }
  t.same(acme.calls[1]!.request.input.at(-1), trigger)
  t.match(output.at(-1), { type: 'compaction', encrypted_content: /^tps1\./ })
  t.equal((await ask(under, { model: 'acme/m', input: [...output, user('And?')] })).status, 200)
  t.match(acme.calls.at(-1)!.request.input.at(-2), { type: 'compaction', encrypted_content: 'theirs' })
  for (const model of ['globex/n', 'acme/other']) {
    const { status, error } = await ask(under, { model, input: [...output, user('And?')] })
    t.equal(status, 400, model)
    t.match(error, { param: 'input', message: /only the model and the account can read/ })
  }
  const mixed = { routing: { model: { fallbacks: ['globex/n'] } } }
  const portable = await ask(under, { model: 'acme/m', input: [...conversation, trigger], ...mixed })
  t.match(portable.response.output, [{ encrypted_content: /^tpk1\./ }], 'an item that the fallback can read, too')
  const bound = await ask(under, { model: 'globex/n', input: [...output, user('And?')], routing: { model: { fallbacks: ['acme/m'] } } })
  t.equal(bound.headers.get('x-gateway-provider'), 'acme', 'an item of a vendor chooses the endpoint')

  const always = await gateway({ plugins: [summary({ compaction: 'portable' }), vendor('acme').plugin], key: logging })
  t.teardown(always.stop)
  const summarized = await ask(always, { model: 'acme/m', input: [...conversation, trigger] })
  t.match(summarized.response.output, [{ encrypted_content: /^tpk1\./ }])
})

t.test('a vendor that answers a trigger with something else has failed', async t => {
  const acme = witness('acme', () => [text('hello'), stop], { capabilities: { contextManagement: true } })
  const under = await compacting(t, [acme.plugin])
  const reply = await under.request('/v1/responses/compact', { body: { model: 'acme/m', input: 'hi' } })
  t.equal(reply.status, 424)
  t.match(((await reply.json()) as { error: JsonObject }).error, { message: /answered without one/ })
})

t.test('a cap that covers the summary and not the answer ends the response with the compaction', async t => {
  const price = { input: 1, output: 10 }
  const list = listing({ model: 'm', endpoints: [{ provider: 'acme', price, tokenizer: 'o200k_base', maxOutputTokens: 50_000 }] })
  const acme = witness('acme', call =>
    asksForSummary(call) ? [text('SAID'), usage(100, 15_950), stop] : [text('answer'), usage(10, 2), stop],
  )
  const under = await compacting(t, [acme.plugin, list])
  for (const stream of [false, true]) {
    const headers = { authorization: `Bearer ${await under.gateway.issueKey({ ...logging, spendCapUsd: 0.16 })}` }
    const { response, status, requestId } = await ask(under, { model: 'm', input: conversation, stream, ...threshold(1_000) }, headers)
    t.equal(status, 200)
    t.equal(response.status, 'incomplete')
    t.same(
      response.output.map(({ type }) => type),
      ['compaction'],
    )
    t.equal((await under.record(requestId)).costUsd, 0.1596)
    const again = await ask(under, { model: 'm', input: conversation }, headers)
    t.equal(again.status, 402, 'it is charged')
  }
})

t.test('the model that summarizes keeps the policy of the key', async t => {
  const zdrPolicy = { zdr: { policy_url: 'https://example.com/zdr' } }
  const acme = scribe('acme')
  const cheap = scribe('cheap')
  const list = listing(
    { model: 'm', endpoints: [{ provider: 'acme', ...zdrPolicy }] },
    { model: 'small', endpoints: [{ provider: 'cheap', zdr: false }] },
  )
  const plugins = [summary({ model: 'small' }), acme.plugin, cheap.plugin, list, zdr({})]
  const under = await gateway({ plugins, key: { ...logging, policy: { zdr: { value: true } } } })
  t.teardown(under.stop)
  const { response, requestId } = await ask(under, { model: 'm', input: [...conversation, trigger] })
  t.equal(response.output[0]!['type'], 'compaction')
  t.equal(cheap.calls.length, 0)
  t.match((await under.record(requestId)).notes, [
    { kind: 'compaction', summary: { model: 'small', refused: 'policy_refusal' } },
    { kind: 'compaction', summary: { provider: 'acme' } },
  ])
})

t.test('a caller that leaves while the summary is written is charged for what was generated', async t => {
  const leaving = new AbortController()
  const acme = scripted('acme', async function* ({ signal }) {
    yield text('The summary beg')
    leaving.abort()
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  const list = listing({ model: 'm', endpoints: [{ provider: 'acme', price: { input: 1, output: 10 } }] })
  const under = await compacting(t, [acme, list])
  const body = { model: 'm', input: conversation, stream: true, ...threshold(1_000) }
  const asking = under.request('/v1/responses', { body, signal: leaving.signal }).then(reply => reply.text())
  await asking.catch(() => undefined)
  const [record] = await under.recorded(1)
  t.equal(record!.status, 499)
  t.ok(record!.costUsd! > 0)
  t.equal(record!.attempts.length, 1)
})

t.test('two hundred at once, each with its own', async t => {
  const acme = scribe('acme', {}, call => `of ${/number \d+/.exec(textsIn(call)[0]!)?.[0]}`)
  const under = await compacting(t, [acme.plugin])
  const numbers = Array.from({ length: 200 }, (_, index) => index)
  await Promise.all(
    numbers.map(async number => {
      const input = [user(`I am number ${number}`), assistant(long(1_400)), user('Who am I?')]
      const { response } = await ask(under, { model: 'acme/m', input, stream: number % 2 === 0, ...threshold(1_000) })
      const next = await ask(under, { model: 'acme/m', input: [...response.output, user(`After ${number}`)] })
      if (next.status !== 200) t.fail(`${next.status}`)
    }),
  )
  const after = acme.calls.map(textsIn).filter(texts => texts.at(-1)!.startsWith('After '))
  t.equal(after.length, 200)
  for (const texts of after) {
    const number = texts.at(-1)!.slice('After '.length)
    if (!texts.some(each => each.includes(`of number ${number}\n`))) t.fail(`${number} got ${texts.join()}`)
  }
})

t.test('with request logging off, nothing of a compaction is written', async t => {
  const acme = scribe('acme', {}, () => 'CANARY of the summary')
  const under = await compacting(t, [acme.plugin], { name: 'test', policy: {} })
  const { response, requestId } = await ask(under, { model: 'acme/m', input: [...conversation, trigger] })
  await ask(under, { model: 'acme/m', input: [...response.output, user('Go on.')] })
  const record = await under.record(requestId)
  t.notMatch(JSON.stringify(record), /CANARY|slate|tpk1/)
  t.notMatch(under.logs.join(), /CANARY|slate|tpk1/)
})

t.test('tokens are counted without a trigger, and after a compaction', async t => {
  const acme = scribe('acme')
  const under = await compacting(t, [acme.plugin])
  const count = async (input: readonly object[]) => {
    const reply = await under.request('/v1/responses/input_tokens', { body: { model: 'acme/m', input, ...threshold(1_000) } })
    return ((await reply.json()) as { input_tokens: number }).input_tokens
  }
  const whole = await count(conversation)
  t.equal(await count([...conversation, trigger]), whole)
  const { response } = await ask(under, { model: 'acme/m', input: [...conversation, trigger] })
  t.equal(acme.calls.length, 1, 'nothing is asked to count')
  const after = await count([...conversation, ...response.output, user('Go on.')])
  t.ok(after > 20 && after < whole, `${after} of ${whole}`)
})
