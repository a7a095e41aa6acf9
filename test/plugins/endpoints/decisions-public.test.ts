import { Ajv2020 } from 'ajv/dist/2020.js'
import type OpenAI from 'openai'
import t, { type Test } from 'tap'
import { ProviderFailure, type JsonObject } from '../../../core/index.ts'
import { decisionTexts, type DecisionCall, type DecisionReply } from '../../../core/kit.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import openapi from '../../../plugins/endpoints/openapi/index.ts'
import { deciding, reply, type DecisionWitness } from '../../kit/decision-stage.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { guarding } from '../../kit/stage.ts'

type Body = Partial<OpenAI.DecisionCreateParams> & JsonObject
type Options = NonNullable<Parameters<typeof gateway>[0]>

interface Outcome {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly id: string; readonly error: JsonObject } & OpenAI.Decision & {
      readonly usage: { readonly cost_usd: number | null }
    }
}

const predicate = { type: 'predicate', instructions: 'Is it so?' } as const

async function stage(t: Test, witness: DecisionWitness = deciding('acme'), options: Options = {}): Promise<GatewayUnderTest> {
  const plugins = [decisions({ aliasUntil: '2999-12-31' }), openapi({}), witness.plugin, ...(options.plugins ?? [])]
  const under = await gateway({ settings: { logLevel: 'silent' }, ...options, plugins })
  t.teardown(under.stop)
  return under
}

/** `POST /v1/decisions`, with one question about a text unless the body says otherwise. */
async function ask(under: GatewayUnderTest, body: Body | string = {}): Promise<Outcome> {
  const whole = typeof body === 'string' ? body : { model: 'one', input: 'It is so.', questions: [predicate], ...body }
  const answer = await under.request('/v1/decisions', { body: whole })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Outcome['body'] }
}

/** A client that takes conversation items, and answers as told. */
function taking(answer?: (call: DecisionCall) => DecisionReply): DecisionWitness {
  return deciding('acme', call => answer?.(call) ?? reply(call.request), {
    limits: { items: true, levels: Infinity, requestTokens: Infinity, questionTokens: Infinity },
  })
}

const text = { type: 'input_text', text: 'Where is my money?' } as const
const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' } as const
const call = { type: 'function_call', call_id: 'call_1', name: 'look_up', arguments: '{"id": 1}' } as const
const output = { type: 'function_call_output', call_id: 'call_1', output: 'Nothing found.' } as const
const choice = (...values: readonly (string | boolean)[]): Body => ({
  questions: [{ type: 'choice', instructions: 'Which?', choices: values.map(value => ({ value })) }],
})
const levels = (count: number): Body => ({
  questions: [{ type: 'score', instructions: 'How?', levels: Array.from({ length: count }, (_, index) => ({ label: `l${index}` })) }],
})
const items = (...input: readonly unknown[]): Body => ({ input: input as never })
const user = (...content: readonly unknown[]): Body => items({ role: 'user', content })

const accepted: readonly (readonly [string, Body])[] = [
  ['text', {}],
  ['no stream', { stream: false }],
  ['a stream that is null', { stream: null }],
  [
    'messages of every role',
    items(
      { role: 'system', content: 'Be fair.' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } }] },
      { role: 'user', content: [text, { type: 'input_json', data: [{ a: 1 }] }] },
      {
        role: 'assistant',
        phase: null,
        content: [
          { type: 'output_text', text: 'a' },
          { type: 'refusal', refusal: 'no' },
        ],
      },
    ),
  ],
  [
    'calls and their outputs',
    items(
      { role: 'user', content: 'hi' },
      { ...call, id: null, namespace: null, status: 'completed' },
      output,
      { type: 'custom_tool_call', call_id: 'c2', name: 'run', input: 'ls' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: [text] },
    ),
  ],
  ['400 questions', { questions: Array.from({ length: 400 }, () => predicate) }],
  [
    'questions without names, and with one name',
    { questions: [predicate, { ...predicate, name: 'a' }, { ...predicate, name: 'a' }, { ...predicate, name: 'question_1' }] },
  ],
  ['255 choices', choice(...Array.from({ length: 255 }, (_, index) => `c${index}`))],
  ['true and "true"', choice(true, 'true', false, 'false')],
  ['ten levels', levels(10)],
  ['null for what is optional', { prompt_cache_key: null, prompt_cache_options: null, safety_identifier: null }],
  ['hints for a cache', { prompt_cache_key: 'k', prompt_cache_options: { mode: 'explicit', ttl: '30m' }, safety_identifier: 'u' }],
  ['no instructions where the options say all', { questions: [{ type: 'choice', choices: [{ value: 'a' }, { value: 'b' }] } as never] }],
]

const refused: readonly (readonly [string, Body | string, string, RegExp])[] = [
  ['a list', '[]', '', /must be a JSON object/],
  ['no model', { model: undefined as never }, 'model', /Missing required parameter/],
  ['no input', { input: undefined as never }, 'input', /Missing required parameter/],
  ['an empty input', items(), 'input', /fewer than 1/],
  ['no questions', { questions: undefined as never }, 'questions', /Missing required parameter/],
  ['zero questions', { questions: [] }, 'questions', /fewer than 1/],
  ['401 questions', { questions: Array.from({ length: 401 }, () => predicate) }, 'questions', /more than 400/],
  ['an unknown type', { questions: [{ type: 'noul' } as never] }, 'questions[0]', /'predicate', 'choice', 'score'/],
  ['a predicate without instructions', { questions: [{ type: 'predicate' } as never] }, 'questions[0].instructions', /Missing/],
  ['a stream', { stream: true }, 'stream', /not streamed: leave it out/],
  ['a stream that is text', { stream: 'yes' }, 'stream', /not streamed: leave it out/],
  ['one choice', choice('a'), 'questions[0].choices', /fewer than 2/],
  ['256 choices', choice(...Array.from({ length: 256 }, (_, index) => `c${index}`)), 'questions[0].choices', /more than 255/],
  ['a choice that repeats another', choice('a', true, 'a'), 'questions[0].choices[2].value', /unique/],
  ['a number as choice', choice(1 as never, 'b'), 'questions[0].choices[0].value', /Invalid type/],
  ['no levels', levels(0), 'questions[0].levels', /fewer than 1/],
  ['an image of the system', items({ role: 'system', content: [image] }), 'input[0].content[0].type', /input_text.*input_image/],
  ['input text of the assistant', items({ role: 'assistant', content: [text] }), 'input[0].content[0].type', /output_text or refusal/],
  ['an output without its call', items(output), 'input[0].call_id', /function_call .*none/],
  ['an output before its call', items(output, call), 'input[0].call_id', /before it/],
  ['an unknown item', items({ type: 'reasoning' }), 'input[0]', /'reasoning'/],
  ['an unknown part', user({ type: 'input_file' }), 'input[0].content[0]', /'input_file'/],
  ['an image by its id', user({ type: 'input_image', file_id: 'f' }), 'input[0].content[0].image_url', /Missing/],
  [
    'an image at a private address',
    user({ type: 'input_image', image_url: 'http://10.0.0.1/x.png' }),
    'input[0].content[0].image_url',
    /./,
  ],
]

t.test('what the public API allows is taken, and answered in order', async t => {
  const acme = deciding('acme')
  const under = await stage(t, acme)
  for (const [name, body] of accepted) {
    const { status, body: answered } = await ask(under, body)
    t.equal(status, 200, `${name} ${JSON.stringify(answered.error)}`)
    const questions = (body.questions ?? [predicate]) as OpenAI.DecisionCreateParams['questions']
    t.same(
      answered.answers.map(({ type, name }) => [type, name]),
      questions.map(({ type, name = null }) => [type, name]),
    )
    t.same(Object.keys(acme.calls.at(-1)!.request), ['model', 'state', 'questions'], 'a client that takes JSON gets nothing else')
  }
})

t.test('what it does not allow is a 400 that names the place', async t => {
  const under = await stage(t, taking())
  for (const [name, body, param, message] of refused) {
    const { status, body: answered } = await ask(under, body)
    t.equal(status, 400, name)
    t.match(answered.error, { type: 'invalid_request_error', param: param || null, message, code: String }, name)
    t.same(Object.keys(answered.error), ['message', 'type', 'param', 'code'])
  }
})

t.test('answers keep the types, the order and the names of the caller', async t => {
  const acme = taking(({ request }) => {
    t.same(Object.keys(request.questions), ['is_it', 'question_2', 'which', 'how'])
    return reply(request, {
      answers: {
        how: { type: 'score', score: 0.9, confidence: 0.8, probabilities: { 0: 0.1, 1: 0.9 }, legend: { 0: 'a', 1: 'b' } },
        which: {
          type: 'choice',
          choice: 'true (boolean)',
          confidence: 0.4,
          probabilities: { 'true (boolean)': 0.6, true: 0.3, '10': 0.1 },
          because: 'so',
        },
        question_2: { type: 'noul', noul: 0.25 },
        is_it: { type: 'noul', noul: 0.98 },
      },
      usage: { input_tokens: 100, output_tokens: 7, input_tokens_details: { cached_tokens: 40 }, tier: 'x' },
      model: 'one-2',
    })
  })
  const under = await stage(t, acme)
  const { body, headers } = await ask(under, {
    questions: [
      { type: 'predicate', name: 'is_it', instructions: 'Is it?' },
      { type: 'predicate', instructions: [text] },
      {
        type: 'choice',
        name: 'which',
        instructions: 'Which?',
        choices: [{ value: true, description: 'Yes.' }, { value: 'true' }, { value: '10' }],
      },
      { type: 'score', name: 'how', instructions: 'How?', levels: [{ label: 'a' }, { label: 'b', description: 'More.' }] },
    ],
  })
  t.same(body, {
    id: headers.get('x-request-id'),
    model: 'acme/one-2',
    answers: [
      { type: 'predicate', name: 'is_it', probability: 0.98 },
      { type: 'predicate', name: null, probability: 0.25 },
      {
        type: 'choice',
        name: 'which',
        choice: true,
        confidence: 0.4,
        probabilities: [
          { probability: 0.6, value: true },
          { probability: 0.3, value: 'true' },
          { probability: 0.1, value: '10' },
        ],
        because: 'so',
      },
      {
        type: 'score',
        name: 'how',
        score: 0.9,
        confidence: 0.8,
        probabilities: [
          { label: 'a', probability: 0.1, value: 0 },
          { label: 'b', probability: 0.9, value: 1 },
        ],
      },
    ],
    usage: {
      tier: 'x',
      input_tokens: 100,
      input_tokens_details: { cache_write_tokens: 0, cached_tokens: 40 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 107,
      cost_usd: 0.0002,
    },
  })
  t.equal(headers.get('x-gateway-warnings'), null)
  t.match(acme.calls[0]!.request, {
    form: 'items',
    state: 'It is so.',
    questions: {
      question_2: { type: 'noul', name: null, instructions: [text] },
      which: {
        criteria: { 'true (boolean)': 'Yes.', true: null, 10: null },
        options: [{ key: 'true (boolean)', value: true }, { key: 'true' }, { key: '10' }],
      },
      how: { criteria: ['a', { label: 'b', description: 'More.' }] },
    },
  })
  t.match(await under.record(body.id), {
    path: '/v1/decisions',
    answerId: body.id,
    costUsd: 0.0002,
    usage: { uncachedInput: 60, cacheRead: 40 },
  })
})

t.test('a refusal is an answer, and a failure on the other path', async t => {
  const under = await stage(
    t,
    taking(({ request }) => reply(request, { answers: { a: { type: 'refusal', why: 'x' }, b: { type: 'noul', noul: 1 } } })),
  )
  const { body } = await ask(under, {
    questions: [
      { ...predicate, name: 'a' },
      { ...predicate, name: 'b' },
    ],
  })
  t.same(body.answers, [
    { type: 'refusal', name: 'a', why: 'x' },
    { type: 'predicate', name: 'b', probability: 1 },
  ])
  const noul = { type: 'noul', instructions: 'Is it?' }
  const old = await under.request('/v1/systemone', { body: { model: 'one', state: 'x', questions: { a: noul, b: noul } } })
  t.equal(old.status, 424)
  t.match(await old.json(), { detail: { message: /declined to answer the question "a"/ } })
})

t.test('a model that reports no probabilities gets those of its answer, and the caller a warning', async t => {
  const bare = taking(({ request }) =>
    reply(request, { answers: { a: { type: 'choice', choice: 'x' }, b: { type: 'score', score: 1.25 } } }),
  )
  const under = await stage(t, bare)
  const { body, headers } = await ask(under, {
    questions: [
      { type: 'choice', name: 'a', instructions: '?', choices: [{ value: 'x' }, { value: 'y' }] },
      { type: 'score', name: 'b', instructions: '?', levels: [{ label: 'k' }, { label: 'l' }, { label: 'm' }] },
    ],
  })
  t.match(body.answers, [
    { choice: 'x', confidence: 1, probabilities: [{ probability: 1 }, { probability: 0 }] },
    { score: 1.25, confidence: 0.625, probabilities: [{ probability: 0 }, { probability: 0.75 }, { probability: 0.25 }] },
  ])
  t.match(headers.get('x-gateway-warnings'), /questions\[0\]: the model reports no probabilities.*questions\[1\]/)
})

t.test('a client that takes JSON gets the conversation as JSON, and the caller hears of what is lost', async t => {
  const acme = deciding('acme')
  const under = await stage(t, acme)
  const stateOf = async (body: Body): Promise<unknown> => {
    t.equal((await ask(under, body)).status, 200)
    return acme.calls.at(-1)!.request.state
  }
  t.equal(await stateOf({}), 'It is so.')
  t.equal(await stateOf(user(text)), text.text)
  t.same(await stateOf(user({ type: 'input_json', data: { a: 1 } })), { a: 1 })
  t.same(await stateOf(user(text, { type: 'input_json', data: { a: 1 } })), [text.text, { a: 1 }])
  t.same(
    await stateOf(items({ role: 'user', content: 'hi' }, { ...call, id: 'fc_1', status: 'completed' }, { ...output, output: [text] })),
    [{ role: 'user', content: 'hi' }, call, { type: 'function_call_output', call_id: 'call_1', output: text.text }],
  )
  const marked = { ...text, prompt_cache_breakpoint: { mode: 'explicit' } }
  const { headers } = await ask(under, {
    ...user(marked),
    ...choice('b', '2', '1'),
    prompt_cache_key: 'k',
    prompt_cache_options: { mode: 'explicit' },
    novelty: 1,
    routing: {},
  })
  const warnings = headers.get('x-gateway-warnings') ?? ''
  for (const param of [
    'prompt_cache_key',
    'prompt_cache_options',
    'input[0].content[0].prompt_cache_breakpoint',
    'novelty',
    'questions[0].choices',
  ])
    t.ok(warnings.includes(`${param}: `), `${param} in ${warnings}`)
  t.notOk(warnings.includes('routing'))
})

t.test('images and more than ten levels go past a client that does not take them', async t => {
  const acme = deciding('acme')
  const under = await stage(t, acme)
  const none = await ask(under, user(text, image))
  t.same([none.status, none.body.error['param']], [400, 'input[0].content[1]'])
  t.match(none.body.error['message'], /"acme\/one-1" takes no images/)
  const tall = await ask(under, levels(11))
  t.same([tall.status, tall.body.error['param']], [400, 'questions[0].levels'])
  const seeing = deciding('globex', undefined, { limits: { items: true, levels: 20 } })
  const both = await stage(t, acme, { plugins: [seeing.plugin] })
  acme.calls.length = 0
  for (const body of [user(text, image), levels(11)]) t.match((await ask(both, body)).body.model, 'globex/')
  t.match((await ask(both)).body.model, 'acme/')
  t.equal(acme.calls.length, 1)
  t.match(seeing.calls[0]!.request.state, [{ content: [text, image] }])
})

t.test('a vendor that limits its requests gets several, which are one decision', async t => {
  const failing = new Set<string>()
  const acme = deciding(
    'acme',
    call => {
      if (Object.keys(call.request.questions).some(id => failing.has(id)))
        throw new ProviderFailure({ kind: 'unavailable', status: 500, message: 'broken', transient: false })
      return reply(call.request)
    },
    { limits: { questions: 3 } },
  )
  const under = await stage(t, acme)
  const questions = Array.from({ length: 8 }, (_, index) => ({ ...predicate, name: `q${index}` }))
  const { body } = await ask(under, { questions })
  t.same(
    body.answers.map(({ name }) => name),
    questions.map(({ name }) => name),
  )
  t.same(
    acme.calls.map(({ request }) => Object.keys(request.questions).length),
    [3, 3, 2],
  )
  t.match(body.usage, { input_tokens: 300, output_tokens: 21, total_tokens: 321, cost_usd: 3 * 0.0002 })
  t.match(await under.record(body.id), { costUsd: 3 * 0.0002, attempts: [{ outcome: 'ok' }], usage: { uncachedInput: 300 } })
  failing.add('q7')
  const failed = await ask(under, { questions })
  t.equal(failed.status, 424)
  t.match(failed.body.error, { type: 'provider_error', code: 'provider_error' })
  const record = await under.record(failed.headers.get('x-request-id')!)
  t.equal(record.attempts.length, 1)
  t.equal(record.costUsd, 0.0004, 'the parts that were answered are paid for')
})

t.test('long questions are split by their tokens, and a long input is a 400', async t => {
  const acme = deciding('acme', undefined, { limits: { requestTokens: 2_000, questionTokens: 1_000 } })
  const under = await stage(t, acme)
  const long = 'word '.repeat(300)
  const { status, body } = await ask(under, { questions: Array.from({ length: 12 }, () => ({ ...predicate, instructions: long })) })
  t.equal(status, 200)
  t.equal(body.answers.length, 12)
  t.ok(acme.calls.length >= 2 && acme.calls.length <= 4, `${acme.calls.length} parts`)
  const tooLong = await ask(under, { input: 'word '.repeat(1_200) })
  t.match([tooLong.status, tooLong.body.error['code']], [400, 'max_tokens_exceeded'])
})

t.test('the rules for keys are those of the other path', async t => {
  for (const [field, status] of [
    ['redaction', 400],
    ['zdr', 422],
    ['hipaa', 422],
  ] as const) {
    const acme = deciding('acme')
    const under = await stage(t, acme, { key: { name: 'demo', policy: { [field]: { value: true } } } })
    const { status: given, body } = await ask(under)
    t.equal(given, status, field)
    t.type(body.error['message'], 'string')
    t.equal(acme.calls.length, 0)
  }
})

t.test('every error has the body of this path', async t => {
  const under = await stage(t, deciding('acme'), { settings: { maxBodyBytes: 2_000, logLevel: 'silent' } })
  const whole = { model: 'one', input: 'x', questions: [predicate] }
  for (const [status, code, more, path = '/v1/decisions'] of [
    [401, 'invalid_api_key', { headers: { authorization: 'Bearer tp_demo' } }],
    [413, 'request_too_large', { body: { ...whole, input: 'x'.repeat(3_000) } }],
    [415, 'unsupported_media_type', { headers: { 'content-type': 'text/plain' } }],
    [404, 'not_found', {}, '/v1/decisions/more'],
    [405, 'method_not_allowed', { method: 'PUT' }],
    [400, 'model_not_found', { body: { ...whole, model: 'none' } }],
  ] as const) {
    const reply = await under.request(path, { body: whole, ...more })
    t.equal(reply.status, status)
    const body = (await reply.json()) as JsonObject
    t.same(Object.keys(body), ['error'])
    t.match(body, { error: { message: String, type: String, code } })
    t.match(await under.record(reply.headers.get('x-request-id')!), { status, errorCode: code })
  }
})

t.test('a guardrail sees the conversation, and what it replaces goes to the model in the same form', async t => {
  const acme = taking()
  const masking = guarding({
    decision: request => {
      const { request: replaced, slots } = decisionTexts(request)
      for (const { text, replace } of slots) if (text.includes('CANARY')) replace(text.replace('CANARY', '***'))
      const { form: _, ...plain } = replaced
      return { replace: plain }
    },
  })
  const under = await stage(t, acme, { plugins: [masking] })
  const { status, body } = await ask(under, {
    ...user({ type: 'input_text', text: 'a CANARY' }, image),
    ...choice(true, 'true'),
    novelty: 'CANARY',
  })
  t.equal(status, 200, JSON.stringify(body))
  const { request } = acme.calls[0]!
  t.match(request, { form: 'items', state: [{ content: [{ text: 'a ***' }, image] }] })
  t.notMatch(JSON.stringify(request), /CANARY/, 'members that nobody knows are left out')
  const free = await stage(t, acme)
  await ask(free, { novelty: 'CANARY' })
  t.match(acme.calls[1]!.request, { extra: { novelty: 'CANARY' } })
})

t.test('the status of a failed vendor is an option of both paths', async t => {
  const failing = deciding('acme', () => {
    throw new ProviderFailure({ kind: 'unavailable', status: 500, message: 'broken', transient: false })
  })
  const under = await gateway({ settings: { logLevel: 'silent' }, plugins: [decisions({ upstreamFailureStatus: 503 }), failing.plugin] })
  t.teardown(under.stop)
  const { status, body, headers } = await ask(under)
  t.same([status, body.error['code']], [503, 'provider_error'])
  t.match(await under.record(headers.get('x-request-id')!), { status: 503 })
  const noul = { type: 'noul', instructions: 'Is it?' }
  t.equal((await under.request('/v1/systemone', { body: { model: 'one', state: 'x', questions: { a: noul } } })).status, 503)
})

t.test('what is described is what is taken and answered', async t => {
  const under = await stage(t)
  const document = (await (await under.request('/openapi.json')).json()) as JsonObject
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ $id: 'https://example.com/openapi.json', components: document['components'] })
  const check = (name: string, value: unknown): string | undefined => {
    const validate = ajv.getSchema(`https://example.com/openapi.json#/components/schemas/${name}`)!
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }
  for (const [name, body] of accepted) {
    t.equal(check('CreatePublicDecision', { model: 'one', input: 'x', questions: [predicate], ...body }), undefined, name)
    t.equal(check('PublicDecision', (await ask(under, body)).body), undefined, name)
  }
  t.equal(check('PublicDecisionError', (await ask(under, { model: 'x' })).body), undefined)
})
