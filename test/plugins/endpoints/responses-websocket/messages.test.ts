import t from 'tap'
import { checkEvents, type PublicEvent } from '../../../../core/testing/index.ts'
import { Peer, textOf, underTest, type ServerEvent } from './stage.ts'

t.test('each message creates a response, with the events of a stream', async t => {
  const under = await underTest(t)
  const peer = await Peer.open(under)
  for (const text of ['first', 'second']) t.equal(textOf(await peer.answer({ input: text })), text)
  for (const start of [0, peer.events.length / 2]) {
    const events = peer.events.slice(start, start + peer.events.length / 2)
    t.match(events[0]!['headers'], { 'x-request-id': /^req_/, 'x-gateway-provider': 'sandbox', 'x-gateway-attempts': '1' })
    checkEvents(events.map(withoutHeaders) as unknown as readonly PublicEvent[])
  }
  const [first] = await under.recorded(2)
  t.match(first, { method: 'WEBSOCKET', path: '/v1/responses', surface: 'responses', status: 200, stream: true, kind: 'generation' })
  t.equal(first!.id, peer.events[0]!['headers']['x-request-id'])
  t.ok(first!.usage!.output > 0, 'each is billed')
  peer.close()
  t.match((await peer.closed).code, 1005)
  t.match((await under.recorded(3)).at(-1), { method: 'GET', status: 101 })
})

function withoutHeaders({ headers: _, ...event }: ServerEvent): ServerEvent {
  return event
}

t.test('the members of a stream are without effect', async t => {
  const peer = await Peer.open(await underTest(t))
  t.equal(textOf(await peer.answer({ input: 'a', stream: false })), 'a')
  t.equal(textOf(await peer.answer({ input: 'b', stream: true, stream_options: { include_obfuscation: true }, background: false })), 'b')
  t.match(await peer.fails({ input: 'c', background: true }), {
    status: 400,
    error: { code: 'unsupported_parameter', param: 'background', message: /POST \/v1\/responses/ },
  })
})

t.test('a warm-up that is not marked by a boolean asks no model', async t => {
  const under = await underTest(t)
  const peer = await Peer.open(under)
  for (const generate of ['false', 0, {}])
    t.match(await peer.fails({ input: 'a', generate }), { status: 400, error: { code: 'invalid_type', param: 'generate' } })
  t.equal(textOf(await peer.answer({ input: 'b', generate: null })), 'b')
  for (const { usage } of (await under.recorded(4)).slice(0, 3)) t.notOk(usage)
})

t.test('a request that fails before it begins is answered as over HTTP', async t => {
  const under = await underTest(t)
  const peer = await Peer.open(under)
  for (const [request, status, code, param] of [
    [{ input: 'a', model: 'sandbox/none' }, 400, 'model_not_found', 'model'],
    [{ input: 'a', temperature: 'hot' }, 400, 'invalid_type', 'temperature'],
    [{ input: [] }, 400, 'invalid_value', 'input'],
    [{}, 400, 'missing_required_parameter', 'input'],
    [{ input: '{"status":429}', model: 'sandbox/fail' }, 429, 'rate_limit_exceeded', null],
    [{ input: '{"status":503}', model: 'sandbox/fail' }, 424, 'provider_error', null],
  ] as const) {
    const event = await peer.fails(request)
    const reply = await under.request('/v1/responses', { method: 'POST', body: { model: 'sandbox/echo', ...request } })
    const { error } = (await reply.json()) as { readonly error: ServerEvent }
    t.equal(event['status'], status)
    t.match(event['error'], { code, param })
    t.same(event['error'].type, error['type'])
    t.same(event['error'].code, error['code'])
    t.match(event['headers'], { 'x-request-id': /^req_/ })
    t.notOk('stream_id' in event)
  }
  t.equal(textOf(await peer.answer({ input: 'still here' })), 'still here')
  t.same(
    (await under.recorded(13)).filter(({ method }) => method === 'WEBSOCKET').map(({ status }) => status),
    [400, 400, 400, 400, 429, 424, 200],
  )
})

t.test('a response that fails after its first event ends with response.failed alone', async t => {
  const under = await underTest(t)
  const peer = await Peer.open(under)
  const response = await peer.answer({ model: 'sandbox/fail', input: '{"status":503,"after":2,"message":"Gone for lunch."}' })
  t.match(response, { status: 'failed', error: { code: 'provider_error', message: /Gone for lunch/ }, store: false })
  t.equal(textOf(await peer.answer({ input: 'next' })), 'next')
  t.notOk(peer.events.some(({ type }) => type === 'error'))
  t.match((await under.recorded(2))[0], { status: 200, errorCode: 'provider_error' })
})

t.test('messages that are no requests', async t => {
  const under = await underTest(t)
  const peer = await Peer.open(under)
  for (const [message, code, param] of [
    ['{"type":', 'invalid_json', null],
    ['', 'invalid_json', null],
    ['[1]', 'invalid_value', 'type'],
    ['"hi"', 'invalid_value', 'type'],
    [{ type: 'response.steer', input: 'a' }, 'invalid_value', 'type'],
    [{ input: 'a' }, 'invalid_value', 'type'],
    [`{"type":"response.create","a":${'['.repeat(200)}${']'.repeat(200)}}`, 'invalid_json', null],
    [{ type: 'response.create', stream_id: '' }, 'invalid_stream_id', 'stream_id'],
    [{ type: 'response.create', stream_id: 'a b' }, 'invalid_stream_id', 'stream_id'],
    [{ type: 'response.create', stream_id: 7 }, 'invalid_stream_id', 'stream_id'],
    [{ type: 'response.create', stream_id: 'a'.repeat(257) }, 'invalid_stream_id', 'stream_id'],
  ] as const) {
    peer.send(message)
    t.match(await peer.next('error'), { status: 400, error: { code, param }, headers: { 'x-request-id': /^req_/ } })
  }
  peer.socket.send(Buffer.from('{"type":"response.create"}'))
  t.match(await peer.next('error'), { status: 400, error: { message: /Send the same bytes as text/ } })
  peer.send({ type: 'response.processed', response_id: 'resp_a' })
  peer.send({ type: 'response.cancel', response_id: 'resp_a' })
  t.equal(textOf(await peer.answer({ input: 'still here' })), 'still here')
  t.equal((await under.recorded(13)).length, 13, 'each refusal has a record')
})

t.test('cancels what runs, and what waits', async t => {
  const under = await underTest(t)
  const peer = await Peer.open(under)
  const endless = { model: 'sandbox/slow', input: '{"firstMs":0,"betweenMs":60000,"pieces":10}' }
  const kept = await peer.answer({ input: 'before', stream_id: 'kept' })
  peer.create({ ...endless, previous_response_id: kept['id'] })
  peer.create({ input: 'behind it' })
  await peer.next('response.output_text.delta')
  peer.send({ type: 'response.cancel', response_id: 5 })
  t.match((await peer.next('error'))['error'], { code: 'invalid_type', param: 'response_id' })
  peer.send({ type: 'response.cancel', response_id: null })
  t.match(await peer.last(), { status: 'cancelled', error: null })
  t.equal(textOf(await peer.last()), 'behind it')

  peer.create({ ...endless, stream_id: 'a' })
  const { response } = await peer.next('response.created')
  peer.create({ input: 'waits', stream_id: 'a' })
  peer.send({ type: 'response.cancel', stream_id: 'b' })
  peer.send({ type: 'response.cancel', response_id: response.id })
  t.match(await peer.last(), { id: response.id, status: 'cancelled' })
  t.equal(textOf(await peer.last()), 'waits')
  t.equal(
    textOf(await peer.answer({ input: 'again', previous_response_id: kept['id'], stream_id: 'c' })),
    'again',
    'what a cancelled request continued can be continued',
  )
  const statuses = (await under.recorded(7)).map(({ status }) => status)
  t.same(statuses.filter(status => status === 499).length, 2)
})

t.test('a client that leaves cancels its responses', async t => {
  const under = await underTest(t)
  const peer = await Peer.open(under)
  peer.create({ model: 'sandbox/slow', input: '{"firstMs":0,"betweenMs":60000,"pieces":10}', stream_id: 'a' })
  peer.create({ model: 'sandbox/slow', input: '{"firstMs":60000,"betweenMs":60000,"pieces":10}', stream_id: 'b' })
  await peer.next('response.output_text.delta')
  peer.close()
  const records = await under.recorded(3)
  t.same(records.map(({ status }) => status).sort(), [101, 499, 499])
  t.equal(under.gateway.connections.count, 0)
})

t.test('a message belongs to the session of the upgrade or, without one, to its own', async t => {
  const under = await underTest(t)
  const peer = await Peer.open(under, undefined, { 'session-id': 'run-1' })
  await peer.answer({ input: 'a' })
  await peer.answer({ input: 'b', session_id: 'run-2' })
  const other = await Peer.open(under)
  await other.answer({ input: 'c', session_id: 'run-1' })
  await other.answer({ input: 'd' })
  const [first, second, third, fourth] = (await under.recorded(4)).map(({ session }) => session)
  t.match(first, /^ses_/)
  t.same([second, third, fourth], [first, first, null])
})
