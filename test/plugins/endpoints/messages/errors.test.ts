import t from 'tap'
import { ProviderFailure, type FailureKind } from '../../../../core/index.ts'
import messages from '../../../../plugins/endpoints/messages/index.ts'
import { gateway, hello, listeningGateway } from '../../../kit/gateway.ts'
import { listing, stop, text, witness } from '../../../kit/stage.ts'
import { askMessages, hi } from './stage.ts'

const failing = (kind: FailureKind, transient?: boolean) =>
  witness('acme', () => {
    throw new ProviderFailure({ kind, message: 'It failed.', ...(transient !== undefined && { transient }) })
  }).plugin

t.test('failures of vendors in the statuses and types of this API', async t => {
  for (const [kind, status, type, retry] of [
    ['invalid-request', 400, 'invalid_request_error', null],
    ['rate-limit', 429, 'rate_limit_error', null],
    ['timeout', 504, 'timeout_error', null],
    ['auth', 503, 'api_error', 'false'],
    ['quota', 503, 'api_error', 'false'],
    ['overloaded', 529, 'overloaded_error', 'true'],
    ['unavailable', 503, 'api_error', 'true'],
  ] as const) {
    const under = await gateway({ plugins: [messages({}), failing(kind)], settings: { retries: 0 } })
    const reply = await askMessages(under, { model: 'acme/m' })
    t.same([reply.status, reply.body.error['type'], reply.headers.get('x-should-retry')], [status, type, retry], kind)
    t.match(reply.body, { type: 'error', request_id: reply.headers.get('request-id') })
    t.equal(reply.headers.get('request-id'), reply.headers.get('x-request-id'))
    await under.stop()
  }
})

t.test('a conversation that the vendor keeps is refused, so that SDKs send all of it', async t => {
  const { plugin, calls } = witness('acme', () => hello)
  const under = await gateway({ plugins: [messages({}), plugin] })
  t.teardown(under.stop)
  for (const thread of [{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_demo' }])
    t.match(await askMessages(under, { model: 'acme/m', thread }), {
      status: 400,
      body: { error: { type: 'invalid_request_error', message: /thread/, details: { error_code: 'thread_unsupported_request' } } },
    })
  t.equal(calls.length, 0)
  t.match(await askMessages(under, { model: 'acme/m', thread: null }), { status: 200 })
})

t.test('the operator chooses the status of a spent chain', async t => {
  const under = await gateway({ plugins: [messages({ upstreamFailureStatus: 424 }), failing('overloaded')], settings: { retries: 0 } })
  t.teardown(under.stop)
  t.match(await askMessages(under, { model: 'acme/m' }), { status: 424, body: { error: { type: 'api_error' } } })
})

t.test('keys, and paths below', async t => {
  const under = await listeningGateway({ plugins: [messages({})] })
  t.teardown(under.stop)
  const ask = (path: string, headers: Record<string, string>): Promise<Response> =>
    fetch(`${under.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...hi, model: 'sandbox/echo' }),
    })
  const accepted = await ask('/v1/messages', { 'x-api-key': under.apiKey, 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a, b' })
  t.match(await accepted.json(), { type: 'message', content: [{ type: 'text' }] })
  t.equal(accepted.headers.get('request-id'), accepted.headers.get('x-request-id'))
  for (const headers of [{}, { 'x-api-key': 'sk-ant-demo' }, { authorization: 'Bearer wrong' }]) {
    const refused = await ask('/v1/messages', headers)
    t.equal(refused.status, 401)
    t.match(await refused.json(), { type: 'error', error: { type: 'authentication_error' }, request_id: /^req_/ })
  }
  for (const path of ['/v1/messages/batches', '/v1/messages/a/b']) {
    const unknown = await ask(path, { 'x-api-key': under.apiKey })
    t.equal(unknown.status, 404)
    t.match(await unknown.json(), { type: 'error', error: { type: 'not_found_error', message: /POST/ } })
  }
  const got = await fetch(`${under.url}/v1/messages`, { headers: { 'x-api-key': under.apiKey } })
  t.equal(got.status, 405)
  t.match(await got.json(), { type: 'error', error: { type: 'invalid_request_error' } })
})

t.test('tokens are counted', async t => {
  const under = await gateway({ plugins: [messages({})] })
  t.teardown(under.stop)
  const { max_tokens: _, ...body } = hi
  const reply = await askMessages(under, { ...body, model: 'sandbox/echo' }, {}, '/v1/messages/count_tokens')
  t.equal(reply.status, 200)
  t.type(reply.body['input_tokens'], 'number')
  const bad = await askMessages(under, { model: 'sandbox/echo' }, {}, '/v1/messages/count_tokens')
  t.match(bad, { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: /messages/ } } })
})

t.test('a schema that cannot be checked is named as the caller wrote it', async t => {
  const acme = witness('acme', () => [text('{}'), stop], { dialect: 'demo' })
  const under = await gateway({
    plugins: [
      messages({}),
      acme.plugin,
      listing({ model: 'm', endpoints: [{ provider: 'acme', capabilities: { structuredOutput: 'none' } }] }),
    ],
  })
  t.teardown(under.stop)
  const format = { type: 'json_schema', schema: { $ref: '#' } }
  const { status, body } = await askMessages(under, { model: 'm', output_config: { format } })
  t.equal(status, 400)
  t.match(body, { error: { message: /'output_config\.format\.schema'/ } })
})
