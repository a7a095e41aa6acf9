import t from 'tap'
import type { Clock, JsonObject } from '../../../core/index.ts'
import { RateLimiter, type TokenWindow } from '../../../core/stores.ts'
import { cut, fakeUpstream, Gate, reset, stall, type FakeReply, type FakeUpstream, type Script } from '../../../core/testing/index.ts'
import dm from '../../../plugins/decisions/dm/index.ts'
import { defaults } from '../../../config/defaults.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import sandbox from '../../../plugins/providers/sandbox/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import models from '../../../plugins/endpoints/models/index.ts'
import { testGateway } from '../../../core/testing/index.ts'
import { anyAnswers, decide, yes } from '../../kit/decision-stage.ts'
import { providing } from '../../kit/stage.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'

const keys = ['sk-demo-first', 'sk-demo-second']
const json = { 'content-type': 'application/json' }
const asked = { model: 'dm', state: { text: 'The invoice is wrong!', tags: ['mail', null, 3] } }
const questions = {
  angry: { type: 'noul', instructions: ['Is the writer angry?', { scale: 'any' }], criteria: { true: 'swears', false: { or: 'polite' } } },
  kind: { type: 'choice', criteria: { billing: 'About money', bug: null, other: { any: 1 } } },
  urgency: { type: 'score', instructions: { text: 'How soon?' }, criteria: ['a week', ['days'], 'today'] },
}

interface WireRequest {
  readonly model: string
  readonly state: unknown
  readonly questions: Parameters<typeof anyAnswers>[0]
}

function answering(more: object = {}): (request: { readonly body: unknown }) => FakeReply {
  return ({ body }) => {
    const { model, questions: wanted } = body as WireRequest
    const usage = { input_tokens: 437, output_tokens: 72 }
    return { headers: { ...json, 'x-request-id': 'vnd-1' }, body: JSON.stringify({ model, answers: anyAnswers(wanted), usage, ...more }) }
  }
}

type DmOptions = Parameters<typeof dm>[0]

async function stage(
  script: Script,
  options: Partial<DmOptions> = {},
  clock?: Clock,
): Promise<{ under: GatewayUnderTest; vendor: FakeUpstream }> {
  const vendor = await fakeUpstream(script)
  const plugin = dm({ baseUrl: vendor.url, apiKey: keys[0]!, ...options })
  const under = await gateway({
    plugins: [decisions({}), plugin],
    settings: { logLevel: 'debug' },
    key: { name: 'demo' },
    ...(clock && { clock }),
  })
  t.teardown(async () => {
    await under.stop()
    await vendor.close()
  })
  return { under, vendor }
}

t.test('the request on the wire, and the reply with all that the vendor says', async t => {
  const answers = {
    angry: { type: 'noul', noul: 0.98, because: { words: 2 } },
    kind: { type: 'choice', choice: 'billing', confidence: 1, probabilities: { billing: 1, bug: 0, other: 0 }, note: null },
    urgency: {
      type: 'score',
      score: 1.97,
      confidence: 0.96,
      probabilities: { 0: 0, 1: 0.03, 2: 0.97 },
      legend: { 0: 'a week', 1: ['days'], 2: 'today' },
    },
  }
  const usage = { input_tokens: 437, output_tokens: 72, cached: 3 }
  const { under, vendor } = await stage(
    answering({ id: 'theirs', answers: { ...answers, unasked: { type: 'noul', noul: 1 } }, usage, region: { at: 'x' } }),
  )
  const reply = await decide(under, { ...asked, questions, routing: { model: {} }, stream: true, n: null })
  t.equal(reply.status, 200)
  t.same(reply.body, { id: reply.id, model: 'vendor/dm-1.13.0', answers, usage, region: { at: 'x' } })
  t.match(reply.id, /^dec_/)
  const [request] = vendor.requests
  t.equal(`${request!.method} ${request!.url}`, 'POST /v1/systemone')
  t.equal(request!.headers.authorization, `Bearer ${keys[0]}`)
  t.same(request!.body, { model: 'dm-1.13.0', state: asked.state, questions })
  t.equal(reply.headers.get('x-gateway-provider'), 'vendor')
  t.notMatch(JSON.stringify([...reply.headers]), 'vnd-1', "the vendor's id is not forwarded")
  t.match(await under.record(reply.id), {
    id: reply.id,
    path: '/v1/systemone',
    status: 200,
    requestedModel: 'dm',
    model: 'dm-1.13.0',
    provider: 'vendor',
    attempts: [{ provider: 'vendor', model: 'dm-1.13.0', outcome: 'ok' }],
    usage: { uncachedInput: 437, output: 72 },
    costUsd: (437 * 0.042) / 1e6,
    errorCode: null,
    notes: [{ kind: 'vendor-request', summary: { id: 'vnd-1' } }],
    request: null,
    response: null,
  })
})

t.test('names: aliases, prefixes, versions, and what is none of them', async t => {
  const { under, vendor } = await stage(answering(), {
    vendor: 'acme',
    models: ['dm-1.12.0'],
    aliases: { dm: 'dm-1.13.0', 'dm-old': 'dm-1.12.0' },
  })
  for (const [name, version] of [
    ['dm', 'dm-1.13.0'],
    ['dm-1.13.0', 'dm-1.13.0'],
    ['acme/dm', 'dm-1.13.0'],
    ['acme/dm-1.13.0', 'dm-1.13.0'],
    ['dm-old', 'dm-1.12.0'],
    ['acme/dm-1.12.0', 'dm-1.12.0'],
  ] as const) {
    const { status, body } = await decide(under, { model: name })
    t.same([status, body.model], [200, `acme/${version}`], name)
    t.match(vendor.requests.at(-1)!.body, { model: version })
  }
  const before = vendor.requests.length
  for (const [name, message] of [
    ['vendor/dm', /"vendor" is not a provider of the model "dm"\. Write acme\/dm/],
    ['openai/dm-1.13.0', /"openai" is not a provider of the model "dm-1\.13\.0"\. Write acme\/dm-1\.13\.0/],
    ['acme/', /does not exist/],
    ['acme/echo', /does not exist/],
    ['dm-1.13', /"dm-1\.13" does not exist here\. Did you mean dm-1\.13\.0/],
    ['dn', /Did you mean dm/],
    ['constructor', /Decision models here: /],
    ['sandbox/echo', /is not a decision model\. Use POST \/v1\/responses/],
    ['echo', /is not a decision model/],
    ['auto', /is not a decision model/],
  ] as const) {
    const { status, detail } = await decide(under, { model: name })
    t.same([status, detail.error_type], [400, 'model_not_found'], name)
    t.match(detail.message, message)
  }
  t.equal(vendor.requests.length, before, 'nothing of it went upstream')
  for (const name of ['dm', 'acme/dm-1.13.0', 'dm-old']) {
    const reply = await under.request('/v1/responses', { body: { model: name, input: 'hi' } })
    t.equal(reply.status, 400)
    t.match(await reply.json(), { error: { param: 'model', message: /POST \/v1\/systemone/ } })
  }
})

t.test('the names of the documentation are the defaults, and the list has them with their price', async t => {
  const { under } = await stage(answering())
  for (const name of ['dm-1.13.0', 'dm-latest', 'dm-preview', 'dm', 'dm-1.13', 'vendor/dm-1.13.0', 'vendor/dm-1.13'])
    t.equal((await decide(under, { model: name })).body.model, 'vendor/dm-1.13.0', name)
  const list = (await (await under.request('/v1/models')).json()) as { data: { id: string }[] }
  t.ok(list.data.some(({ id }) => id === 'dm-1.13.0'))
  const detail = (await (await under.request('/v1/models/dm-1.13.0')).json()) as { aliases: string[]; providers: JsonObject }
  t.match(detail.providers, { vendor: { price: { input: 0.042, output: 0 } } })
  t.same(detail.aliases.toSorted(), ['dm', 'dm-1.13', 'dm-latest', 'dm-preview'])
  const auto = await under.request('/v1/responses', { body: { model: 'auto', input: 'hi' } })
  t.equal(auto.status, 400, 'auto never chooses it')
})

t.test('the version that the vendor says has answered', async t => {
  const { under } = await stage(({ body }) => answering({ model: 'vendor/dm-1.13.1' })({ body }))
  t.equal((await decide(under, { model: 'dm' })).body.model, 'vendor/dm-1.13.1')
})

const failure = (status: number, detail: unknown, headers: Record<string, string> = {}): FakeReply => ({
  status,
  headers: { ...json, ...headers },
  body: JSON.stringify({ detail }),
})
const answers = { yes: { type: 'noul', noul: 0.5 } }
const usage = { input_tokens: 1, output_tokens: 1 }
const ok = (body: unknown): FakeReply => ({ headers: json, body: JSON.stringify(body) })
const secret = 'a secret of the vendor'

/** The vendor's reply; the caller's status, error type and message; and the outcome of the attempt in the record. */
const rows: readonly (readonly [string, FakeReply, number, string, RegExp, string])[] = [
  ['refuses our key', failure(401, `bad key ${keys[0]}`), 424, 'provider_error', /refused the gateway's credentials/, 'auth'],
  ['forbids', failure(403, secret), 424, 'provider_error', /refused the gateway's credentials/, 'auth'],
  ['wants money', failure(402, secret), 424, 'provider_error', /no credit left/, 'quota'],
  ['does not know the path', failure(404, secret), 424, 'provider_error', /status 404/, 'not-found'],
  ['refuses the shape in words', failure(422, 'no state, no answer'), 422, 'invalid_request', /^no state, no answer$/, 'invalid-request'],
  ['refuses with an object', failure(422, { error_type: 'x', message: 'too odd' }), 422, 'invalid_request', /^too odd$/, 'invalid-request'],
  [
    'refuses with a list',
    failure(422, [{ loc: ['body', 'questions', 'q'], msg: 'no criteria', type: 'value' }, { msg: 'and no state' }, 7]),
    422,
    'invalid_request',
    /^body\.questions\.q: no criteria; and no state$/,
    'invalid-request',
  ],
  ['refuses without a word', { status: 422, body: '' }, 422, 'invalid_request', /status 422/, 'invalid-request'],
  ['refuses in HTML', { status: 400, body: `<html>${secret}` }, 422, 'invalid_request', /status 400/, 'invalid-request'],
  ['finds it too large', failure(413, 'too large for us'), 422, 'invalid_request', /too large for us/, 'invalid-request'],
  ['is overloaded', failure(529, secret), 424, 'provider_error', /status 529/, 'overloaded'],
  ['is in trouble', { status: 500, body: secret }, 424, 'provider_error', /status 500/, 'unavailable'],
  ['is behind a tired proxy', { status: 504, body: secret }, 424, 'provider_error', /status 504/, 'unavailable'],
  ['redirects', { status: 302, headers: { location: '/elsewhere' }, body: '' }, 424, 'provider_error', /status 302/, 'unavailable'],
  ['is silent', { before: [stall] }, 504, 'provider_timeout', /did not finish within 60 ms/, 'timeout'],
  ['stops in the middle', { headers: json, body: ['{"answers":', stall] }, 504, 'provider_timeout', /did not finish/, 'timeout'],
  ['breaks the connection', { before: [reset] }, 424, 'provider_error', /connection to the provider failed/, 'network'],
  ['cuts the reply', { headers: { 'content-length': '100' }, body: ['{"answers"', cut] }, 424, 'provider_error', /connection/, 'network'],
  ['answers in HTML', { body: `<html>${secret}</html>` }, 424, 'provider_error', /not a JSON object/, 'protocol'],
  ['answers nothing', { body: '' }, 424, 'provider_error', /not a JSON object/, 'protocol'],
  ['answers with half a document', { body: '{"answers":{"yes":' }, 424, 'provider_error', /not a JSON object/, 'protocol'],
  ['answers with a list', ok([answers]), 424, 'provider_error', /not a JSON object/, 'protocol'],
  ['has no answers', ok({ model: 'dm-1.13.0', usage }), 424, 'provider_error', /without answers/, 'protocol'],
  ['leaves a question out', ok({ answers: {}, usage }), 424, 'provider_error', /did not answer the question "yes"/, 'protocol'],
  ['answers another', ok({ answers: { no: answers.yes }, usage }), 424, 'provider_error', /did not answer the question "yes"/, 'protocol'],
  [
    'answers with another type',
    ok({ answers: { yes: { type: 'score', score: 0 } }, usage }),
    424,
    'provider_error',
    /invalid answer to the noul/,
    'protocol',
  ],
  ['answers null', ok({ answers: { yes: null }, usage }), 424, 'provider_error', /invalid answer to the noul/, 'protocol'],
  ['answers in words', ok({ answers: { yes: { type: 'noul', noul: '0.5' } }, usage }), 424, 'provider_error', /invalid answer/, 'protocol'],
  ['is more than sure', ok({ answers: { yes: { type: 'noul', noul: 1.5 } }, usage }), 424, 'provider_error', /invalid answer/, 'protocol'],
  ['is less than sure', ok({ answers: { yes: { type: 'noul', noul: -0.1 } }, usage }), 424, 'provider_error', /invalid answer/, 'protocol'],
  ['is infinitely sure', { body: '{"answers":{"yes":{"type":"noul","noul":1e999}}}' }, 424, 'provider_error', /invalid answer/, 'protocol'],
  ['is no number', { body: '{"answers":{"yes":{"type":"noul","noul":NaN}}}' }, 424, 'provider_error', /not a JSON object/, 'protocol'],
  [
    'counts in words',
    ok({ answers, usage: { input_tokens: 'many', output_tokens: 1 } }),
    424,
    'provider_error',
    /invalid usage/,
    'protocol',
  ],
  ['counts below zero', ok({ answers, usage: { input_tokens: -1, output_tokens: 1 } }), 424, 'provider_error', /usage/, 'protocol'],
]

t.test('every failure of the vendor is told in its row of the table', async t => {
  const replies = new Map(rows.map(([name, reply]) => [name, reply]))
  const script: Script = ({ body }) => replies.get((body as WireRequest).state as string)!
  let now = Date.now()
  const clock = { now: () => now, elapsed: () => performance.now() }
  const patient = await stage(script, {}, clock)
  // Only where the vendor never answers: a busy machine makes others late too.
  const impatient = await stage(script, { timeoutMs: 60 }, clock)
  const ids: string[] = []
  for (const [name, , status, type, message, outcome] of rows) {
    const { under } = outcome === 'timeout' ? impatient : patient
    const reply = await decide(under, { model: 'dm', state: name })
    t.same([reply.status, reply.detail.error_type], [status, type], name)
    t.match(reply.detail.message, message)
    t.equal(reply.headers.get('retry-after'), null)
    now += 60_000
    ids.push(reply.id)
  }
  for (const [index, [name, , status, type, , outcome]] of rows.entries()) {
    const record = await (outcome === 'timeout' ? impatient : patient).under.record(ids[index]!)
    t.match(record, { status, errorCode: type, usage: null, costUsd: null, model: 'dm-1.13.0' })
    t.equal(record.attempts.at(-1)!.outcome, outcome)
    const passes = ['network', 'unavailable', 'overloaded'].includes(outcome) && name !== 'redirects'
    t.equal(record.attempts.length, passes ? 3 : 1, `${name}: only what may pass is tried again with the same key`)
  }
  t.ok(patient.vendor.requests.length + impatient.vendor.requests.length >= rows.length)
  const written = [patient, impatient].flatMap(({ under }) => [...under.logs, JSON.stringify(under.records)]).join('\n')
  for (const hidden of [secret, keys[0]!, 'no state, no answer', 'too odd', 'no criteria', '<html>', 'the question "yes"'])
    t.notMatch(written, hidden, `"${hidden}" is in no log and no record`)
})

t.test('429 passes, with the time to wait', async t => {
  const { under, vendor } = await stage([
    failure(429, 'slow down', { 'retry-after': '7' }),
    failure(429, 'slow down', { 'retry-after': 'Wed, 01 Apr 2026 00:00:09 GMT', date: 'Wed, 01 Apr 2026 00:00:00 GMT' }),
    failure(429, 'slow down'),
  ])
  const waits: (string | null)[] = []
  for (let count = 0; count < 3; count++) {
    const { status, detail, headers } = await decide(under, { model: 'dm' })
    t.same([status, detail.error_type], [429, 'rate_limit_exceeded'])
    waits.push(headers.get('retry-after'))
  }
  t.same(waits, ['7', '9', null])
  t.equal(vendor.requests.length, 3, 'one key is not tried twice')
})

t.test('keys are used in turn, and one that fails makes way for the next', async t => {
  const bearer = `Bearer ${keys[0]}`
  const refused = new Set<string>()
  const { under, vendor } = await stage(
    request => (refused.has(request.headers.authorization!) ? failure(401, 'no') : answering()(request)),
    { apiKey: keys },
  )
  for (let count = 0; count < 4; count++) await decide(under, { model: 'dm' })
  t.equal(vendor.requests.filter(({ headers }) => headers.authorization === bearer).length, 2)
  refused.add(bearer)
  const outcomes: string[][] = []
  for (let count = 0; count < 3; count++) {
    const { id, status } = await decide(under, { model: 'dm' })
    t.equal(status, 200)
    outcomes.push((await under.record(id)).attempts.map(({ outcome }) => outcome))
  }
  t.same(outcomes, [['auth', 'ok'], ['ok'], ['ok']], 'the refused key rests')
})

t.test('a caller that leaves is a 499, and the vendor is let go', async t => {
  const gate = new Gate()
  const { under, vendor } = await stage([{ before: [gate], body: '' }])
  const leaving = new AbortController()
  const pending = decide(under, { model: 'dm' }, { signal: leaving.signal }).catch(() => undefined)
  await gate.reached
  leaving.abort()
  await pending
  const [record] = await under.recorded(1)
  t.match(record, { status: 499, errorCode: 'client_closed_request', usage: null, attempts: [{ outcome: 'left' }] })
  t.equal(await vendor.requests[0]!.closed, 'early')
  t.equal(under.gateway.liveRuns, 0)
})

/** Services with a limiter of the test's own, whose waits can be told. */
async function limited(waits: (number | undefined)[]) {
  const windows: TokenWindow[] = []
  const limiter: RateLimiter = {
    enter: () => () => {},
    reserve(asked) {
      windows.push(...asked)
      const hold = { extend: () => true, settle: () => {}, release: () => {} }
      return waits.length === 0 ? hold : { full: asked[0]!, retryAfterMs: waits.shift() }
    },
  }
  const vendor = await fakeUpstream(answering())
  const under = await testGateway({
    plugins: [
      memory({ services: ['keys', 'responses', 'metrics', 'ledger'] }),
      providing(RateLimiter, limiter),
      localSealer({ masterKey: 'ab'.repeat(32) }),
      decisions({}),
      models({}),
      sandbox({}),
      dm({ baseUrl: `${vendor.url}/`, apiKey: keys, requestsPerMinute: 1_200 }),
    ],
  })
  t.teardown(async () => {
    await under.stop()
    await vendor.close()
  })
  return { under, vendor, windows }
}

t.test("the vendor's requests a minute are one bucket; who finds it full waits a second at most", async t => {
  for (const [waits, status, requests] of [
    [[], 200, 1],
    [[5], 200, 1],
    [[5, 10, 15], 200, 1],
    [[1_001], 429, 0],
    [[20, 990], 429, 0],
    [[undefined], 429, 0],
    [[30_000], 429, 0],
  ] as const) {
    const { under, vendor, windows } = await limited([...waits])
    const reply = await decide(under, { model: 'dm' })
    t.equal(reply.status, status, JSON.stringify(waits))
    t.equal(vendor.requests.length, requests)
    for (const window of windows) t.same(window, { bucket: 'decisions:vendor', tokens: 1_200, windowMs: 60_000 })
    if (status !== 429) continue
    t.match(reply.detail, { error_type: 'rate_limit_exceeded', message: /1200 requests per minute/ })
    t.ok(Number(reply.headers.get('retry-after')) >= 1)
    t.equal(windows.length, waits.length, 'another key is not tried: it has the same bucket')
  }
})

t.test('the memory limiter keeps the bucket, whichever key of the gateway or of the vendor it is', async t => {
  const { under, vendor } = await stage(answering(), { requestsPerMinute: 5, apiKey: keys })
  const other = await under.gateway.issueKey({ name: 'other' })
  const statuses = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const headers = index % 2 === 0 ? {} : { authorization: `Bearer ${other}` }
      return (await decide(under, { model: 'dm', state: `${index}`, questions: { yes } }, { headers })).status
    }),
  )
  t.same(statuses.toSorted(), [200, 200, 200, 200, 200, 429, 429, 429])
  t.equal(vendor.requests.length, 5)
})

t.test('it is among the defaults where its key and its address are in the environment', async t => {
  const withDm = async (environment: object): Promise<boolean> => {
    for (const name of ['DM_API_KEY', 'DM_BASE_URL']) delete process.env[name]
    Object.assign(process.env, environment)
    const entries = await Promise.all(defaults({ without: ['ollama'] }))
    return entries.some(entry => entry && entry.plugin.name === 'dm')
  }
  t.notOk(await withDm({}))
  t.ok(await withDm({ DM_API_KEY: 'sk-demo-dm', DM_BASE_URL: 'https://vendor.example.com' }))
  await t.rejects(withDm({ DM_API_KEY: 'sk-demo-dm' }), /DM_BASE_URL is not set\. DM_API_KEY is/)
  t.notOk(await withDm({ DM_BASE_URL: 'https://vendor.example.com' }))
  for (const name of ['DM_API_KEY', 'DM_BASE_URL']) delete process.env[name]
})
