import t from 'tap'
import type { JsonObject, ProviderCall } from '../../../../core/index.ts'
import { ask, said } from '../../../kit/stage.ts'
import { assistant, compacting, conversation, long, scribe, textsIn, threshold, trigger, user } from './stage.ts'

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
