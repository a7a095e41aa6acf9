import t from 'tap'
import { ProviderFailure, type FailureKind, type GenerationEvent } from '../../../../core/index.ts'
import geminiApi from '../../../../plugins/endpoints/gemini/index.ts'
import { gateway, listeningGateway } from '../../../kit/gateway.ts'
import { text, witness } from '../../../kit/stage.ts'
import { askContent, hi } from './stage.ts'

const failing = (kind: FailureKind) =>
  witness('acme', () => {
    throw new ProviderFailure({ kind, message: 'It failed.', ...(kind === 'rate-limit' && { retryAfterMs: 3_000 }) })
  }).plugin

t.test('failures of vendors in the statuses of this API', async t => {
  for (const [kind, code, status, retry] of [
    ['invalid-request', 400, 'INVALID_ARGUMENT', null],
    ['rate-limit', 429, 'RESOURCE_EXHAUSTED', null],
    ['timeout', 504, 'DEADLINE_EXCEEDED', null],
    ['auth', 503, 'UNAVAILABLE', 'false'],
    ['quota', 503, 'UNAVAILABLE', 'false'],
    ['overloaded', 503, 'UNAVAILABLE', 'true'],
    ['unavailable', 503, 'UNAVAILABLE', 'true'],
  ] as const) {
    const under = await gateway({ plugins: [geminiApi({}), failing(kind)], settings: { retries: 0 } })
    const reply = await askContent(under, 'acme/m')
    t.match([reply.status, reply.body.error], [code, { code, status }], kind)
    t.equal(reply.headers.get('x-should-retry'), retry)
    if (kind === 'rate-limit') {
      t.match(reply.body.error['details'], [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' }])
      t.equal(reply.headers.get('retry-after'), '3')
    }
    await under.stop()
  }
})

t.test('the operator chooses the status of a spent chain', async t => {
  const under = await gateway({ plugins: [geminiApi({ upstreamFailureStatus: 424 }), failing('overloaded')], settings: { retries: 0 } })
  t.teardown(under.stop)
  t.match(await askContent(under, 'acme/m'), { status: 424, body: { error: { code: 424, status: 'UNAVAILABLE' } } })
})

t.test('a stream that was cut ends with an error, never with a reason', async t => {
  const cut = witness('acme', function* (): Iterable<GenerationEvent> {
    yield text('Hel')
    throw new ProviderFailure({ kind: 'unavailable', message: 'It broke.' })
  }).plugin
  const under = await gateway({ plugins: [geminiApi({}), cut], settings: { retries: 0 } })
  t.teardown(under.stop)
  for (const form of ['events', 'list'] as const) {
    const { status, chunks } = await askContent(under, 'acme/m', {}, form)
    t.equal(status, 200)
    t.match(chunks, [{ candidates: [{ content: { parts: [{ text: 'Hel' }] } }] }, { error: { code: 503, status: 'UNAVAILABLE' } }])
    t.notMatch(JSON.stringify(chunks), 'finishReason')
  }
})

t.test('keys, and paths below', async t => {
  const under = await listeningGateway({ plugins: [geminiApi({})] })
  t.teardown(under.stop)
  const path = '/v1beta/models/sandbox/echo:generateContent'
  const ask = (where: string, headers: Record<string, string> = {}, method = 'POST'): Promise<Response> =>
    fetch(`${under.url}${where}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(method === 'POST' && { body: JSON.stringify(hi) }),
    })
  for (const accepted of [
    ask(path, { 'x-goog-api-key': under.apiKey }),
    ask(`${path}?key=${under.apiKey}`),
    ask(`${path}?key=${under.apiKey}&key=${under.apiKey}`),
    ask(path, { authorization: `Bearer ${under.apiKey}` }),
    ask(`${path}?key=${under.apiKey}`, { 'x-goog-api-key': under.apiKey }),
  ]) {
    const reply = await accepted
    t.equal(reply.status, 200)
    t.match(await reply.json(), { candidates: [{ content: { role: 'model' } }] })
  }
  const other = under.apiKey.replace(/.$/, last => (last === 'a' ? 'b' : 'a'))
  for (const [where, headers] of [
    [path, {}],
    [`${path}?key=`, {}],
    [`${path}?key=AIzaDemo`, {}],
    [`${path}?key=${under.apiKey}&key=${other}`, {}],
    [`${path}?key=${under.apiKey}`, { 'x-goog-api-key': other }],
    [path, { 'x-goog-api-key': `${under.apiKey}, ${other}` }],
    ['/v1beta/models', {}],
    ['/v1beta/models/sandbox/echo', {}],
  ] as const) {
    const refused = await ask(where, headers, where === path || where.includes('?') ? 'POST' : 'GET')
    t.equal(refused.status, 401, where)
    const body = await refused.text()
    t.match(JSON.parse(body), { error: { code: 401, status: 'UNAUTHENTICATED' } })
    t.notMatch(body, under.apiKey)
  }
  for (const where of ['/v1beta/files', '/v1beta/cachedContents', '/v1beta/a/b', '/v1beta']) {
    const unknown = await ask(`${where}?key=${under.apiKey}`)
    t.equal(unknown.status, 404, where)
    const body = await unknown.text()
    if (where !== '/v1beta') t.match(JSON.parse(body), { error: { code: 404, status: 'NOT_FOUND', message: String } }, where)
    t.notMatch(body, under.apiKey, 'no error shows the key')
  }
  const put = await ask(path, { 'x-goog-api-key': under.apiKey }, 'PUT')
  t.equal(put.status, 405)
  t.match(await put.json(), { error: { code: 405, status: 'INVALID_ARGUMENT' } })
  const records = await under.recorded(1)
  t.notMatch(JSON.stringify(records), under.apiKey, 'no record has the key')
  t.match(records[0], { path: /^\/v1beta\/models\/sandbox\/echo:generateContent$/ })
})

t.test('a key in the query is for this API only', async t => {
  const under = await gateway({ plugins: [geminiApi({})], key: { name: 'test' } })
  t.teardown(under.stop)
  const reply = await under.request(`/v1/responses?key=${under.apiKey}`, {
    body: { model: 'sandbox/echo', input: 'hi' },
    headers: { authorization: '' },
  })
  t.equal(reply.status, 401)
})

t.test('tokens are counted', async t => {
  const under = await gateway({ plugins: [geminiApi({})] })
  t.teardown(under.stop)
  for (const body of [hi, { generateContentRequest: { model: 'models/sandbox/echo', ...hi } }, { generate_content_request: hi }]) {
    const reply = await under.request('/v1beta/models/sandbox/echo:countTokens', { body })
    t.equal(reply.status, 200)
    t.match(await reply.json(), { totalTokens: Number })
  }
  const bad = await under.request('/v1beta/models/sandbox/echo:countTokens', { body: {} })
  t.match([bad.status, await bad.json()], [400, { error: { message: /contents/ } }])
})
