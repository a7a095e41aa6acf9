import { Ajv2020 } from 'ajv/dist/2020.js'
import t, { type Test } from 'tap'
import { ProviderFailure, type JsonObject } from '../../../core/index.ts'
import { KeyStore } from '../../../core/stores.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import openapi from '../../../plugins/endpoints/openapi/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import { testGateway } from '../../../core/testing/index.ts'
import { decide, deciding, yes } from '../../kit/decision-stage.ts'
import { providing } from '../../kit/stage.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'

type Options = NonNullable<Parameters<typeof gateway>[0]>

async function stage(t: Test, options: Options = {}): Promise<GatewayUnderTest> {
  const under = await gateway({
    settings: { logLevel: 'silent' },
    ...options,
    plugins: [decisions({}), deciding('acme').plugin, ...(options.plugins ?? [])],
  })
  t.teardown(under.stop)
  return under
}

const choice = (criteria: unknown): object => ({ questions: { q: { type: 'choice', criteria } } })
const score = (criteria: unknown): object => ({ questions: { q: { type: 'score', criteria } } })
const noul = (more: object): object => ({ questions: { q: { type: 'noul', ...more } } })
const options = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, index) => [`o${index}`, null]))

const accepted: readonly (readonly [string, object])[] = [
  ['a state that is text', { state: '' }],
  ['a state that is an object', { state: { a: [null, 1.5, { b: true }] } }],
  ['a state that is a list', { state: [1, [2], null] }],
  ['a noul without anything', noul({})],
  ['a noul with one side described', noul({ criteria: { true: 'so' } })],
  ['a noul with both sides structured', noul({ criteria: { true: { a: 1 }, false: ['b', null] } })],
  ['instructions that are an object', noul({ instructions: { any: [{ json: null }] } })],
  ['instructions that are a list', noul({ instructions: ['a', { b: 1 }] })],
  ['one option', choice({ only: null })],
  ['255 options', choice(options(255))],
  ['options described by any JSON', choice({ a: 'x', b: null, c: { d: 1 }, e: [], f: 1, g: false, '': 'y', constructor: null })],
  ['one level', score(['x'])],
  ['ten levels of any JSON', score(['a', null, 1, true, {}, [], 'g', 'h', 'i', 'j'])],
  ['many questions', { questions: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`q${index}`, yes])) }],
  ['ids of any kind', { questions: { 7: yes, 'a/b~c': yes, constructor: yes, 'ä b': yes, '': yes } }],
  ['members that are not implemented', { routing: 5, stream: true, temperature: 'hot', tools: null }],
  ['members of a question that are not known', noul({ weight: 3 })],
]

/** The body, and the sentence that names its mistake. */
const refused: readonly (readonly [string, object | string, RegExp])[] = [
  ['no JSON', '{"model"', /not valid JSON/],
  ['nothing', '', /empty/],
  ['a list', '[]', /must be a JSON object/],
  ['null', 'null', /must be a JSON object/],
  ['text', '"x"', /must be a JSON object/],
  ['no model', { model: undefined }, /Missing required parameter: 'model'/],
  ['an empty model', { model: '' }, /'model'/],
  ['a number as model', { model: 1 }, /Invalid type for 'model': expected a string, but got 1/],
  ['no state', { state: undefined }, /Missing required parameter: 'state'/],
  ['a null state', { state: null }, /Invalid type for 'state'.*got null/],
  ['a number as state', { state: 1 }, /Invalid type for 'state'/],
  ['no questions', { questions: undefined }, /Missing required parameter: 'questions'/],
  ['zero questions', { questions: {} }, /'questions'.*fewer than 1/],
  ['questions as a list', { questions: [yes] }, /Invalid type for 'questions': expected an object, but got an array/],
  ['a question that is text', { questions: { q: 'so?' } }, /Invalid type for 'questions\.q'/],
  ['a question without a type', { questions: { q: {} } }, /Missing required parameter: 'questions\.q\.type'/],
  ['an unknown type', { questions: { q: { type: 'bool' } } }, /'bool' is not a known type; expected one of 'noul', 'choice', 'score'/],
  ['a number as instructions', noul({ instructions: 1 }), /Invalid type for 'questions\.q\.instructions'/],
  ['null as instructions', noul({ instructions: null }), /'questions\.q\.instructions'/],
  ['a noul with a list as criteria', noul({ criteria: [] }), /Invalid type for 'questions\.q\.criteria'/],
  ['a choice without criteria', choice(undefined), /Missing required parameter: 'questions\.q\.criteria'/],
  ['a choice among nothing', choice({}), /'questions\.q\.criteria'.*fewer than 1 .*has 0/],
  ['a choice among 256', choice(options(256)), /'questions\.q\.criteria'.*more than 255 .*has 256/],
  ['a choice among a list', choice(['a']), /Invalid type for 'questions\.q\.criteria': expected an object/],
  ['a score without criteria', score(undefined), /Missing required parameter: 'questions\.q\.criteria'/],
  ['a score of no levels', score([]), /fewer than 1 .*has 0/],
  ['a score of 11 levels', score(Array.from({ length: 11 }, () => 'x')), /more than 10 .*has 11/],
  ['a score of an object', score({ 0: 'x' }), /Invalid type for 'questions\.q\.criteria': expected an array/],
  ['an id that is long', { questions: { ['x'.repeat(1_000)]: 1 } }, /'questions\.x{64}…'/],
]

t.test('what the documentation allows is taken, and what it does not know is ignored', async t => {
  const acme = deciding('acme')
  const under = await gateway({ settings: { logLevel: 'silent' }, plugins: [decisions({}), acme.plugin] })
  t.teardown(under.stop)
  for (const [name, body] of accepted) {
    const { status, body: answered, detail } = await decide(under, body)
    t.equal(status, 200, `${name} ${detail.message}`)
    const { questions } = acme.calls.at(-1)!.request
    t.same(Object.keys(answered.answers), Object.keys(questions))
  }
  for (const { request } of acme.calls) {
    t.same(Object.keys(request).toSorted(), ['model', 'questions', 'state'])
    for (const question of Object.values(request.questions)) t.notOk('weight' in question)
  }
  const odd = '{"model":"one","state":"x","questions":{"__proto__":{"type":"noul"}}}'
  const reply = await under.request('/v1/systemone', { body: odd })
  t.match(await reply.text(), '"answers":{"__proto__":{"type":"noul"')
})

t.test('what it does not allow is a 400 that names the place', async t => {
  const under = await stage(t)
  const types = new Map<string, string>()
  for (const [name, body, message] of refused) {
    const { status, detail, id } = await decide(under, body)
    t.equal(status, 400, name)
    t.match(detail.message, message)
    t.match(id, /^dec_/)
    types.set(id, detail.error_type)
  }
  for (const [id, errorCode] of types) t.match(await under.record(id), { id, status: 400, errorCode })
  const { status, detail } = await decide(under, { model: 'sandbox/\ud800' })
  t.equal(status, 400, 'half a character in the name of the model')
  t.match(detail.message, /Invalid value for 'model'.*surrogate/)
})

t.test('every status has the error body of this surface', async t => {
  const keyless = { headers: { authorization: 'Bearer tp_demo' } }
  const under = await stage(t, { settings: { maxBodyBytes: 2_000, logLevel: 'silent' } })
  const cases: readonly (readonly [number, string, object, Parameters<typeof decide>[2], string?])[] = [
    [401, 'invalid_api_key', {}, keyless],
    [401, 'invalid_api_key', {}, { headers: { authorization: '' } }],
    [413, 'request_too_large', { state: 'x'.repeat(3_000) }, {}],
    [415, 'unsupported_media_type', {}, { headers: { 'content-type': 'text/plain' } }],
    [415, 'unsupported_media_type', {}, { headers: { 'content-encoding': 'lzma' } }],
    [404, 'not_found', {}, {}, '/v1/systemone/more'],
    [405, 'method_not_allowed', {}, { method: 'PUT' }],
    [405, 'method_not_allowed', {}, { method: 'DELETE' }],
  ]
  for (const [status, type, body, more, path] of cases) {
    const outcome = await decide(under, body, more, path)
    t.same([outcome.status, outcome.detail.error_type], [status, type])
    t.equal(outcome.headers.get('content-type'), 'application/json')
    t.match(await under.record(outcome.id), { status, errorCode: type })
  }
  t.equal((await decide(under, {}, {}, '/v1/systemone/')).status, 200, 'the slash makes no difference')
  const elsewhere = (await (await under.request('/v1/systemtwo', { body: {} })).json()) as JsonObject
  t.match(elsewhere, { error: { code: 'not_found' } }, 'paths of nobody keep the common form')
})

t.test('a store that fails is a 503, a bug a 500, both in the same form', async t => {
  const keys: KeyStore = {
    persistent: false,
    empty: () => false,
    add: () => {},
    update: () => false,
    list: () => [],
    page: () => [],
    remove: () => false,
    find() {
      throw new Error('down')
    },
  }
  const services = memory({ services: ['responses', 'metrics', 'limits', 'ledger'] })
  const under = await testGateway({
    settings: { logLevel: 'silent' },
    plugins: [services, providing(KeyStore, keys), localSealer({ masterKey: 'ab'.repeat(32) }), decisions({})],
  })
  t.teardown(under.stop)
  const { status, detail } = await decide(under)
  t.same([status, detail.error_type], [503, 'server_error'])
})

t.test("a vendor's wait is passed on, and a final refusal says so", async t => {
  const waiting = deciding(
    'globex',
    () => {
      throw new ProviderFailure({ kind: 'rate-limit', message: 'slow down', retryAfterMs: 4_200 })
    },
    { resolve: name => (name === 'two' ? 'two' : undefined) },
    [],
  )
  const under = await stage(t, { plugins: [waiting.plugin], key: { name: 'demo', limits: [{ tokens: 100, windowMs: 60_000 }] } })
  const limited = await decide(under, { model: 'two' })
  t.match([limited.status, limited.headers.get('retry-after'), limited.detail.message], [429, '5', /"globex" .*slow down$/])
  const never = await decide(under, { state: 'x'.repeat(4_000) })
  t.same([never.status, never.headers.get('retry-after'), never.headers.get('x-should-retry')], [429, null, 'false'])
})

t.test('/v1/decisions takes the same until its last day is over, and then says where to send it', async t => {
  const clock = new FakeClock(Date.UTC(2026, 9, 26, 23, 59, 59, 999))
  const under = await stage(t, { clock })
  const body = { state: 'x', questions: { a: yes } }
  for (const path of ['/v1/decisions', '/v1/decisions/']) t.equal((await decide(under, body, {}, path)).status, 200, path)
  const [direct, aliased] = [await decide(under, body), await decide(under, body, {}, '/v1/decisions')]
  t.same({ ...aliased.body, id: '' }, { ...direct.body, id: '' })
  const { status, detail } = await decide(under, { questions: {} }, {}, '/v1/decisions')
  t.same([status, detail.error_type], [400, 'invalid_value'], 'errors have the form of the request')
  clock.pass(1)
  const late = { model: 'one', ...body }
  for (const path of ['/v1/decisions', '/v1/decisions/']) {
    const reply = await under.request(path, { body: late })
    t.equal(reply.status, 400)
    t.match(await reply.json(), {
      error: { type: 'invalid_request_error', param: 'questions', message: /until 2026-10-26.*\/v1\/systemone/ },
    })
  }
  const open = await gateway({ clock, plugins: [decisions({ aliasUntil: '2027-01-31' }), deciding('acme').plugin] })
  t.teardown(open.stop)
  const dates = { deprecation: '@1793059200', sunset: 'Mon, 01 Feb 2027 00:00:00 GMT' }
  for (const [path, sent, expected] of [
    ['/v1/decisions', { model: 'one', ...body }, dates],
    ['/v1/decisions', { model: 'none', ...body }, dates],
    ['/v1/systemone', { model: 'one', ...body }, { deprecation: null, sunset: null }],
    [
      '/v1/decisions',
      { model: 'one', input: 'x', questions: [{ type: 'predicate', instructions: 'x' }] },
      { deprecation: null, sunset: null },
    ],
  ] as const) {
    const { headers } = await open.request(path, { body: sent })
    t.same({ deprecation: headers.get('deprecation'), sunset: headers.get('sunset') }, expected, `${path} ${JSON.stringify(sent)}`)
  }
  const keyless = await under.request('/v1/decisions', { body: late, headers: { authorization: '' } })
  t.equal(keyless.status, 401, 'keys come first')
  t.equal((await decide(under, body)).status, 200)

  const later = await gateway({ clock, plugins: [decisions({ aliasUntil: '2027-01-31' }), deciding('acme').plugin] })
  t.teardown(later.stop)
  t.equal((await decide(later, body, {}, '/v1/decisions')).status, 200, 'the day is an option')
  await t.rejects(gateway({ plugins: [decisions({ aliasUntil: '2026-13-40' })] }), /aliasUntil must be a date/)
  await t.rejects(gateway({ plugins: [decisions({ aliasUntil: 'tomorrow' })] }), /aliasUntil/)
})

t.test('a stream is ignored, with a warning', async t => {
  const under = await stage(t)
  for (const [stream, warning] of [
    [true, 'stream: ignored, the answer is one JSON object'],
    ['yes', 'stream: ignored, the answer is one JSON object'],
    [false, null],
    [null, null],
  ] as const) {
    const { status, headers } = await under.request('/v1/systemone', { body: { model: 'one', state: 'x', questions: { q: yes }, stream } })
    t.same([status, headers.get('x-gateway-warnings')], [200, warning], String(stream))
  }
})

t.test('what is described is what is taken and answered', async t => {
  const under = await stage(t, { plugins: [openapi({})] })
  const document = (await (await under.request('/openapi.json')).json()) as JsonObject & { components: { schemas: JsonObject } }
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ $id: 'https://example.com/openapi.json', components: document.components })
  const check = (name: string, value: unknown): string | undefined => {
    const validate = ajv.getSchema(`https://example.com/openapi.json#/components/schemas/${name}`)!
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }
  const whole = (body: object): unknown => JSON.parse(JSON.stringify({ model: 'one', state: 'x', questions: { yes }, ...body }))
  for (const [name, body] of accepted) {
    t.equal(check('CreateDecision', whole(body)), undefined, name)
    t.equal(check('Decision', (await decide(under, body)).body), undefined, name)
  }
  for (const [name, body] of refused) if (typeof body !== 'string') t.ok(check('CreateDecision', whole(body)), name)
  t.equal(check('DecisionError', { detail: (await decide(under, { model: 'x' })).detail }), undefined)
  t.match(document, {
    paths: { '/v1/systemone': { post: { responses: { 424: {}, 504: {} } } }, '/v1/decisions': { post: { responses: { 424: {} } } } },
  })
})
