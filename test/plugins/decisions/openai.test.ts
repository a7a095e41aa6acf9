import t, { type Test } from 'tap'
import type { JsonObject } from '../../../core/index.ts'
import { fakeUpstream, type FakeReply, type FakeUpstream } from '../../../core/testing/index.ts'
import dm from '../../../plugins/decisions/dm/index.ts'
import openaiDecisions from '../../../plugins/decisions/openai/index.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import openaiResponses from '../../../plugins/providers/openai-responses/index.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { listing } from '../../kit/stage.ts'
import { publicVendor, type VendorRequest } from './public-vendor.ts'

type Answer = (request: VendorRequest) => FakeReply

interface Stage {
  readonly under: GatewayUnderTest
  readonly vendor: FakeUpstream
  ask(
    path: 'decisions' | 'systemone',
    body: object,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly body: JsonObject }>
}

const price = { input: 10, output: 20, cacheRead: 1 }

async function stage(t: Test, answer: Answer = publicVendor): Promise<Stage> {
  const vendor = await fakeUpstream(({ body }) => answer(body as VendorRequest))
  const under = await gateway({
    settings: { logLevel: 'silent' },
    plugins: [
      decisions({}),
      openaiResponses({ apiKey: 'sk-demo', baseUrl: `${vendor.url}/v1` }),
      openaiDecisions({ apiKey: 'sk-demo', baseUrl: `${vendor.url}/v1` }),
      listing({ model: 'gpt-6-luna', endpoints: [{ provider: 'openai', price }] }),
    ],
  })
  t.teardown(async () => {
    await under.stop()
    await vendor.close()
  })
  return {
    under,
    vendor,
    async ask(path, body) {
      const reply = await under.request(`/v1/${path}`, { body: { model: 'gpt-6-luna', ...body } })
      return { status: reply.status, headers: reply.headers, body: (await reply.json()) as JsonObject }
    },
  }
}

const whole = {
  input: [
    { type: 'message', role: 'system', content: 'Be fair.' },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'hi', prompt_cache_breakpoint: { mode: 'explicit' }, novelty: { a: [1] } },
        { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' },
        { type: 'input_json', data: { b: 1, a: [null] } },
      ],
    },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{ "x": 1 }', status: 'completed' },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'done' }] },
  ],
  questions: [
    { type: 'predicate', instructions: [{ type: 'input_text', text: 'So?' }] },
    {
      type: 'choice',
      name: '7',
      instructions: 'Which?',
      choices: [{ value: 'true' }, { value: true, description: 'Yes.' }, { value: '2' }, { value: '1' }],
    },
    {
      type: 'score',
      name: 's',
      instructions: 'How?',
      levels: Array.from({ length: 12 }, (_, index) => ({ label: `l${index}`, ...(index === 3 && { description: 'd' }) })),
    },
    { type: 'predicate', name: 's', instructions: 'Again?' },
  ],
  prompt_cache_options: { mode: 'explicit', ttl: '30m' },
  novelty: { deep: true },
}

t.test('the same format goes through with everything in it', async t => {
  const { ask, vendor, under } = await stage(t)
  const { status, body, headers } = await ask('decisions', {
    ...whole,
    prompt_cache_key: 'mine',
    safety_identifier: 'u',
    routing: {},
    store: true,
  })
  t.equal(status, 200, JSON.stringify(body))
  const [request] = vendor.requests
  t.equal(`${request!.method} ${request!.url}`, 'POST /v1/decisions')
  t.equal(request!.headers.authorization, 'Bearer sk-demo')
  const { prompt_cache_key: key, ...sent } = request!.body as JsonObject & VendorRequest
  t.match(key, /^[\w-]{32}$/)
  // Questions with numbers as names come first inside the gateway, and the vendor gets them by their names.
  const byName = (questions: readonly object[]): readonly string[] => questions.map(question => JSON.stringify(question)).toSorted()
  t.same({ ...sent, questions: byName(sent.questions) }, { model: 'gpt-6-luna', ...whole, questions: byName(whole.questions) })
  t.equal(headers.get('x-gateway-warnings'), null)
  t.equal(headers.get('x-gateway-provider'), 'openai')
  t.match(body, {
    model: 'openai/gpt-6-luna-2026-09-01',
    created: 7,
    answers: [
      { type: 'predicate', name: null, probability: 0.25, because: 'so' },
      { type: 'choice', name: '7', choice: 'true', probabilities: [{ value: 'true' }, { value: true }, { value: '2' }, { value: '1' }] },
      { type: 'score', name: 's', probabilities: { length: 12, 3: { label: 'l3', value: 3 } } },
      { type: 'predicate', name: 's' },
    ],
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 40, cache_write_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 110,
      cost_usd: (60 * price.input + 40 * price.cacheRead + 10 * price.output) / 1e6,
    },
  })
  t.match(await under.record(headers.get('x-request-id')!), { provider: 'openai', model: 'gpt-6-luna', path: '/v1/decisions' })
  await ask('decisions', { ...whole, prompt_cache_key: 'mine' })
  t.equal((vendor.requests[1]!.body as JsonObject)['prompt_cache_key'], key, 'the same key is the same HMAC')
})

t.test('a request of the other path is put into this format, and its answers back', async t => {
  const { ask, vendor } = await stage(t)
  const questions = {
    angry: {
      type: 'noul',
      instructions: ['Is the writer angry?', { scale: 'any' }],
      criteria: { true: 'swears', false: { or: 'polite' } },
    },
    kind: { type: 'choice', criteria: { billing: 'About money', bug: null, other: { any: 1 } } },
    only: { type: 'choice', criteria: { this: null } },
    urgency: { type: 'score', instructions: { text: 'How soon?' }, criteria: ['a week', ['days'], null] },
  }
  const { status, body } = await ask('systemone', { state: { text: 'The invoice is wrong!', tags: ['mail', null] }, questions })
  t.equal(status, 200, JSON.stringify(body))
  t.same(vendor.requests[0]!.body, {
    model: 'gpt-6-luna',
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_json', data: { text: 'The invoice is wrong!', tags: ['mail', null] } }] },
    ],
    questions: [
      {
        type: 'predicate',
        name: 'angry',
        instructions: '["Is the writer angry?",{"scale":"any"}]\n\nCriteria for true:\nswears\n\nCriteria for false:\n{"or":"polite"}',
      },
      {
        type: 'choice',
        name: 'kind',
        instructions: 'Which choice fits the input best?',
        choices: [{ value: 'billing', description: 'About money' }, { value: 'bug' }, { value: 'other', description: '{"any":1}' }],
      },
      {
        type: 'score',
        name: 'urgency',
        instructions: '{"text":"How soon?"}',
        levels: [{ label: '0', description: 'a week' }, { label: '1', description: '["days"]' }, { label: '2' }],
      },
    ],
  })
  t.match(body['answers'], {
    angry: { type: 'noul', noul: 0.25 },
    kind: { type: 'choice', choice: 'billing', probabilities: { billing: 1, bug: 0, other: 0 } },
    only: { type: 'choice', choice: 'this', confidence: 1, probabilities: { this: 1 } },
    urgency: { type: 'score', score: 0, probabilities: { 0: 1, 1: 0, 2: 0 }, legend: { 0: 'a week', 1: ['days'], 2: null } },
  })
  t.same(Object.keys(body['answers'] as object).toSorted(), Object.keys(questions).toSorted())
  for (const state of [['text', 1], [], 'plain']) {
    await ask('systemone', { state, questions: { angry: questions.angry } })
    const { input } = vendor.requests.at(-1)!.body as JsonObject
    if (typeof state === 'string') t.equal(input, state)
    else t.match(input, [{ content: [{ type: 'input_text', text: JSON.stringify(state) }] }])
  }
  const empty = await ask('systemone', { state: 'x', questions: { q: { type: 'noul' } } })
  t.equal(empty.status, 422)
})

t.test('more than 400 questions of the other path are several requests', async t => {
  const { ask, vendor } = await stage(t)
  const questions = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`q${index}`, { type: 'noul', instructions: 'So?' }]))
  const { status, body } = await ask('systemone', { state: 'x', questions })
  t.equal(status, 200)
  t.equal(Object.keys(body['answers'] as object).length, 900)
  t.equal(vendor.requests.length, 3)
  t.match(body['usage'], { input_tokens: 300 })
})

t.test('failures of the vendor are those of every decision', async t => {
  const error = (status: number, code: string, message = 'no'): FakeReply => ({
    status,
    body: JSON.stringify({ error: { message, type: 'x', param: 'questions[0]', code } }),
  })
  for (const [reply, status, code] of [
    [error(400, 'invalid_value', 'The name is too long.'), 422, 'invalid_request'],
    [error(401, 'invalid_api_key'), 424, 'provider_error'],
    [error(403, 'x'), 424, 'provider_error'],
    [error(404, 'model_not_found'), 424, 'provider_error'],
    [error(429, 'rate_limit_exceeded'), 429, 'rate_limit_exceeded'],
    [error(429, 'insufficient_quota'), 424, 'provider_error'],
    [error(500, 'x'), 424, 'provider_error'],
    [{ body: '[]' }, 424, 'provider_error'],
    [{ body: '{"answers":[]}' }, 424, 'provider_error'],
    [{ body: '{"answers":[{"type":"score","name":null}]}' }, 424, 'provider_error'],
  ] as const) {
    const { ask } = await stage(t, () => reply)
    const { status: given, body } = await ask('decisions', { input: 'x', questions: [{ type: 'predicate', instructions: 'So?' }] })
    t.match([given, body['error']], [status, { code }], JSON.stringify(reply))
    if (status === 422) t.match(body['error'], { message: /questions\[0\]: The name is too long/ })
    else t.notMatch(JSON.stringify(body), /sk-demo/)
  }
})

t.test('a bare name is asked of the vendor first, and then of the decision model of that name', async t => {
  const vendor = await fakeUpstream(() => ({ status: 500, body: '{}' }))
  const other = await fakeUpstream(() => ({ body: JSON.stringify({ answers: { question_1: { type: 'noul', noul: 1 } } }) }))
  const under = await gateway({
    settings: { logLevel: 'silent' },
    plugins: [
      decisions({}),
      openaiDecisions({ apiKey: 'sk-demo', baseUrl: vendor.url }),
      dm({ baseUrl: other.url, apiKey: 'demo', aliases: { 'gpt-6-luna': 'dm-1.13.0' } }),
    ],
  })
  t.teardown(async () => {
    await under.stop()
    await Promise.all([vendor.close(), other.close()])
  })
  const body = { model: 'gpt-6-luna', input: 'x', questions: [{ type: 'predicate', instructions: 'So?' }] }
  const reply = await under.request('/v1/decisions', { body })
  t.match(await reply.json(), { model: 'vendor/dm-1.13.0', answers: [{ probability: 1 }] })
  const image = { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }] }
  const pictured = await under.request('/v1/decisions', { body: { ...body, input: [image] } })
  t.equal(pictured.status, 424, 'it cannot see')
  t.equal(other.requests.length, 1)
})
