import t from 'tap'
import { checkResponse } from '../../../../core/testing/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { read, send } from '../reading.ts'
import { create, dictated, ended, hi, sequenceOf, stream, until, upTo } from './background-stage.ts'

t.test('a response is queued at once, then runs, and is read when it is complete', async t => {
  const acme = dictated()
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  const { status, body, headers, requestId } = await create(under)
  t.equal(status, 200)
  t.match(body, { object: 'response', status: 'queued', background: true, store: true, output: [], usage: null, error: null })
  t.equal(headers.get('x-gateway-warnings'), null)
  const { id } = body
  t.match((await read(under, `/${id}`)).body, { id, status: 'queued' })
  acme.say('Hello')
  await until(async () => (await read(under, `/${id}`)).body['status'] === 'in_progress')
  t.match((await read(under, `/${id}`)).body, { id, model: 'acme/m', output: [], usage: null })
  const items = (await read(under, `/${id}/input_items`)).body
  t.match(items['data'], [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }])
  acme.end()
  const done = await ended(under, id)
  t.match(done, { id, status: 'completed', background: true, output: [{ content: [{ text: 'Hello' }] }], usage: { output_tokens: 2 } })
  checkResponse(done)
  t.same((await read(under, `/${id}/input_items`)).body, items, 'the items keep their ids')
  t.match(await under.record(requestId), { status: 200, answerId: id, errorCode: null, usage: { output: 2 }, path: '/v1/responses' })
  t.equal(under.records.filter(({ kind }) => kind === 'generation').length, 1)
  const next = await send(under, 'POST', '', { body: { ...hi, background: false, previous_response_id: id } })
  t.equal(next.status, 200)
})

t.test('a stream is left and resumed, with no event twice and none lost', async t => {
  const acme = dictated()
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  acme.say('one ')
  const first = await stream(under, '', { ...hi, stream: true })
  t.equal(first.reply.headers.get('content-type'), 'text/event-stream')
  await until(() => first.events.some(({ type }) => type === 'response.output_text.delta'))
  first.leave()
  const seen = [...first.events]
  const { id } = seen[0]!['response'] as { readonly id: string }
  t.match(seen[0], { type: 'response.created', response: { status: 'in_progress', background: true } })
  acme.say('two ')
  const second = await stream(under, `/${id}?stream=true&starting_after=${seen.length - 1}`)
  await until(() => second.events.length > 0)
  second.leave()
  seen.push(...second.events)
  acme.say('three')
  acme.end()
  const third = await stream(under, `/${id}?stream=true&starting_after=${seen.length - 1}`)
  seen.push(...(await third.over))
  t.same(sequenceOf(seen), upTo(seen.length))
  t.match(seen.at(-1), {
    type: 'response.completed',
    response: { status: 'completed', output: [{ content: [{ text: 'one two three' }] }] },
  })
  t.equal(seen.filter(({ type }) => type === 'response.queued').length, 0)
  for (const after of [-1, 0, 3, seen.length - 2, seen.length - 1, 1_000]) {
    const rest = await (await stream(under, `/${id}?stream=true${after < 0 ? '' : `&starting_after=${after}`}`)).over
    t.same(rest, seen.slice(after + 1), `after ${after}`)
  }
  t.equal(acme.calls.length, 1)
  t.match(await under.record(first.reply.headers.get('x-request-id')!), { status: 200, stream: true, usage: { output: 2 } })
})

t.test('a response is cancelled, what was delivered is billed, and its stream ends', async t => {
  const acme = dictated()
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  acme.say('Hello there')
  const { body, requestId } = await create(under)
  const path = `/${body.id}`
  await until(async () => (await read(under, path)).body['status'] === 'in_progress')
  const following = await stream(under, `${path}?stream=true`)
  await until(() => following.events.some(({ type }) => type === 'response.output_text.delta'))
  const cancelled = await send(under, 'POST', `${path}/cancel`)
  t.equal(cancelled.status, 200)
  t.match(cancelled.body, { id: body.id, status: 'cancelled', error: null })
  t.ok(cancelled.body['usage'].output_tokens > 0)
  const events = await following.over
  t.match(events.at(-1), { type: 'response.failed', response: { status: 'cancelled' } })
  t.same(sequenceOf(events), upTo(events.length))
  t.same((await read(under, path)).body, cancelled.body)
  t.same((await send(under, 'POST', `${path}/cancel`)).body, cancelled.body, 'again')
  const record = await under.record(requestId)
  t.match(record, { status: 499, errorCode: 'response_cancelled' })
  t.ok(record.usage!.output > 0)
  const next = await send(under, 'POST', '', { body: { ...hi, previous_response_id: body.id } })
  t.equal(next.status, 400)
  t.match(next.body['error'], {
    code: 'previous_response_not_found',
    message: /^Previous response with id '.*' not found: it was cancelled/,
  })
  t.match(await send(under, 'DELETE', path), { status: 200, body: { deleted: true } })
  for (const [method, rest] of [
    ['GET', ''],
    ['GET', '?stream=true'],
    ['GET', '/input_items'],
    ['POST', '/cancel'],
    ['DELETE', ''],
  ] as const)
    t.equal((await send(under, method, path + rest)).status, 404)
})

t.test('another owner sees nothing of it', async t => {
  const acme = dictated()
  const under = await gateway({ plugins: [acme.plugin], key: { name: 'a', user: 'ada', policy: { logging: { value: true } } } })
  t.teardown(under.stop)
  const { body } = await create(under)
  const foreign = { headers: { authorization: `Bearer ${await under.gateway.issueKey({ name: 'b', user: 'bob' })}` } }
  for (const [method, rest] of [
    ['GET', ''],
    ['GET', '?stream=true'],
    ['GET', '/input_items'],
    ['POST', '/cancel'],
    ['DELETE', ''],
  ] as const) {
    const { status, body: refused } = await send(under, method, `/${body.id}${rest}`, foreign)
    t.equal(status, 404, `${method} ${rest}`)
    t.equal(refused['error'].message, `Response with id '${body.id}' not found.`)
  }
  t.equal((await read(under, `/${body.id}`)).body['status'], 'queued')
  const rotated = { headers: { authorization: `Bearer ${await under.gateway.issueKey({ name: 'c', user: 'ada' })}` } }
  t.equal((await send(under, 'POST', `/${body.id}/cancel`, rotated)).body['status'], 'cancelled', 'a second key of the owner')
})

t.test('what runs can be neither continued nor deleted', async t => {
  const acme = dictated()
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  const { body } = await create(under)
  for (const more of [{}, { background: false }, { stream: true }]) {
    const next = await send(under, 'POST', '', { body: { ...hi, ...more, previous_response_id: body.id } })
    t.equal(next.status, 409)
    t.match(next.body['error'], { code: 'response_in_progress', param: 'previous_response_id' })
  }
  const kept = await send(under, 'DELETE', `/${body.id}`)
  t.match(kept, { status: 409, body: { error: { code: 'response_in_progress' } } })
  acme.end()
  await ended(under, body.id)
  t.equal((await send(under, 'DELETE', `/${body.id}`)).status, 200)
  t.equal((await read(under, `/${body.id}`)).status, 404)
  t.equal((await read(under, `/${body.id}?stream=true`)).status, 404)
})

t.test('refused as any other request, before it is accepted', async t => {
  const acme = dictated()
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  t.equal((await create(under, { model: 'nobody/m' })).status, 400)
  t.equal((await create(under, { temperature: 'hot' })).status, 400)
  t.equal((await create(under, { previous_response_id: 'resp_unknown' })).status, 400)
  t.equal((await create(under, { stream: true, model: 'nobody/m' })).status, 400)
  t.equal(acme.calls.length, 0)
})

t.test('a failure is read, and ends the stream', async t => {
  const acme = dictated()
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  acme.say('Hel')
  const { body, requestId } = await create(under)
  const following = await stream(under, `/${body.id}?stream=true`)
  await until(() => following.events.some(({ type }) => type === 'response.output_text.delta'))
  acme.fail(new Error('a secret reason'))
  const failed = await ended(under, body.id)
  t.match(failed, { status: 'failed', error: { code: String, message: String }, output: Array })
  const events = await following.over
  t.same(
    events.slice(-2).map(({ type }) => type),
    ['error', 'response.failed'],
  )
  t.same(events.at(-1)!['response'], failed)
  t.match(await under.record(requestId), { status: 200, errorCode: String })
})
