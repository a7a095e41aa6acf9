import t from 'tap'
import { hello, gateway, saying } from '../../../kit/gateway.ts'
import responses from '../../../../plugins/endpoints/responses/index.ts'
import { ask } from '../../../kit/stage.ts'
import { send } from '../reading.ts'
import { create, dictated, ended, gatewayWith, hi, stream, until } from './background-stage.ts'

t.test('a key may have a number of them at once, and so may all keys of a gateway', async t => {
  const acme = dictated()
  const under = await gatewayWith({ maxRunning: 3, maxRunningPerKey: 2 }, { plugins: [acme.plugin] })
  t.teardown(under.stop)
  const first = await create(under)
  t.equal((await create(under)).status, 200)
  const refused = await create(under)
  t.equal(refused.status, 429)
  t.match(refused.body['error'], {
    code: 'rate_limit_exceeded',
    message: /^This API key may have 2 background responses in progress at once\./,
  })
  const other = {
    headers: { authorization: `Bearer ${await under.gateway.issueKey({ name: 'other', policy: { logging: { value: true } } })}` },
  }
  t.equal((await send(under, 'POST', '', { body: hi, ...other })).status, 200)
  const full = await send(under, 'POST', '', { body: hi, ...other })
  t.equal(full.status, 429)
  t.match(full.body['error'], { message: /^This gateway may have 3 background responses/ })
  t.equal((await send(under, 'POST', `/${first.body.id}/cancel`)).body['status'], 'cancelled')
  await under.record(first.requestId)
  t.equal((await create(under)).status, 200, 'there is room again')
})

t.test('one that is refused takes no room', async t => {
  const acme = dictated()
  const under = await gatewayWith({ maxRunning: 1, maxRunningPerKey: 1 }, { plugins: [acme.plugin] })
  t.teardown(under.stop)
  for (let times = 0; times < 3; times++) t.equal((await create(under, { model: 'nobody/m' })).status, 400)
  t.equal((await create(under)).status, 200)
})

t.test('those that run count among the requests of a key at once', async t => {
  const acme = dictated()
  const under = await gateway({ plugins: [acme.plugin], key: { name: 'one', maxConcurrency: 1, policy: { logging: { value: true } } } })
  t.teardown(under.stop)
  const { body, requestId } = await create(under)
  for (const background of [true, false]) t.equal((await create(under, { background })).status, 429)
  acme.end()
  await ended(under, body.id)
  await under.record(requestId)
  t.equal((await create(under, { background: false })).status, 200)
})

t.test('where none may run, or none is stored, the reply waits for the answer, with a warning', async t => {
  const none = await gatewayWith({ maxRunning: 0 }, { plugins: [saying('acme', hello)] })
  t.teardown(none.stop)
  const silent = await gateway({ plugins: [saying('acme', hello)], key: { name: 'silent' } })
  t.teardown(silent.stop)
  const open = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(open.stop)
  for (const [under, more] of [
    [none, {}],
    [silent, {}],
    [open, { store: false }],
  ] as const) {
    const { status, body, headers } = await create(under, more)
    t.equal(status, 200)
    t.equal(body['status'], 'completed')
    t.match(headers.get('x-gateway-warnings'), /^background: /)
    const streamed = await ask(under, { ...hi, ...more, stream: true })
    t.equal(streamed.response.status, 'completed')
    t.match(streamed.headers.get('x-gateway-warnings'), /^background: /)
  }
  t.equal((await send(none, 'POST', `/${(await create(none)).body.id}/cancel`)).status, 400)
})

t.test('too many events end it with an error', async t => {
  const acme = dictated()
  const under = await gatewayWith({ maxEventBytes: 65_536 }, { plugins: [acme.plugin] })
  t.teardown(under.stop)
  const { body } = await create(under)
  for (let times = 0; times < 100; times++) acme.say('x'.repeat(1_000))
  const failed = await ended(under, body.id)
  t.match(failed, { status: 'failed', error: { code: 'server_error', message: /have more than 65536 characters/ } })
  const events = await (await stream(under, `/${body.id}?stream=true`)).over
  t.equal(events.at(-1)!.type, 'response.failed')
})

t.test('the time limit of a request ends it', async t => {
  const acme = dictated()
  const under = await gateway({ plugins: [acme.plugin], settings: { runTimeoutMs: 50 } })
  t.teardown(under.stop)
  const { body, requestId } = await create(under)
  t.match(await ended(under, body.id), { status: 'failed', error: { code: 'provider_timeout' } })
  t.match(await under.record(requestId), { errorCode: 'provider_timeout' })
})

t.test('a key that is revoked ends it', async t => {
  const acme = dictated()
  const under = await gateway({ plugins: [acme.plugin], key: { name: 'a', user: 'ada', policy: { logging: { value: true } } } })
  t.teardown(under.stop)
  const { body, requestId } = await create(under)
  const [key] = await under.gateway.keys.list()
  await under.gateway.keys.update(key!.id, { disabled: true })
  await until(() => under.records.some(({ id }) => id === requestId))
  t.match(await under.record(requestId), { errorCode: 'invalid_api_key' })
  const other = { headers: { authorization: `Bearer ${await under.gateway.issueKey({ name: 'b', user: 'ada' })}` } }
  const failed = await send(under, 'GET', `/${body.id}`, other)
  t.match(failed.body, { status: 'failed', error: { message: 'The API key is disabled.' } })
})

t.test('a reader that is slow, or does not read at all, slows nothing down and loses nothing', async t => {
  const acme = dictated()
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  const reply = await under.request('/v1/responses', { body: { ...hi, stream: true } })
  const reader = reply.body!.getReader()
  const start = new TextDecoder().decode((await reader.read()).value)
  for (let times = 0; times < 400; times++) acme.say(`${times} ${'x'.repeat(10_000)} `)
  acme.end()
  const record = await under.record(reply.headers.get('x-request-id')!)
  t.match(record, { status: 200, errorCode: null })
  let rest = start
  for (;;) {
    const { value, done } = await reader.read()
    if (done) break
    rest += new TextDecoder().decode(value)
  }
  const whole = await (await under.request(`/v1/responses/${record.answerId}?stream=true`)).text()
  const events = (text: string): string => text.replaceAll(/^:.*\n\n/gm, '')
  t.ok(events(rest) === events(whole), 'the events are the same')
  t.ok(whole.length > 12_000_000)
})

t.test('options that cannot work end the start', async t => {
  const webhook = { url: 'https://hooks.example.com/x', secret: 'whsec_ZGVtby1zZWNyZXQtb2YtYS13ZWJob29r' }
  for (const [options, message] of [
    [{ webhook: { ...webhook, url: 'http://hooks.example.com/x' } }, /expected https:/],
    [{ webhook: { ...webhook, url: 'https://10.0.0.1/x' } }, /a private address/],
    [{ webhook: { ...webhook, url: 'https://localhost/x' } }, /a private address/],
    [{ webhook: { ...webhook, url: 'https://user:pass@hooks.example.com/x' } }, /has credentials/],
    [{ webhook: { ...webhook, secret: 'whsec_c2hvcnQtc2VjcmV0' } }, /fewer than 16 bytes/],
    [{ webhook: { url: webhook.url } }, /secret/],
    [{ keepHours: 25 }, /keepHours/],
  ] as const)
    await t.rejects(gateway({ plugins: [responses({ background: options as object })] }), { message })
})
