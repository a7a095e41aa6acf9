import { createOpenAI } from '@ai-sdk/openai'
import { experimental_decide as decideWith } from 'ai'
import OpenAI from 'openai'
import t from 'tap'
import { fakeUpstream, type FakeReply } from '../../core/testing/index.ts'
import dm from '../../plugins/decisions/dm/index.ts'
import openaiDecisions from '../../plugins/decisions/openai/index.ts'
import decisions from '../../plugins/endpoints/decisions/index.ts'
import { listeningGateway } from '../kit/gateway.ts'
import { publicVendor, type VendorRequest } from '../plugins/decisions/public-vendor.ts'
import { dmVendor } from '../plugins/decisions/dm-vendor.ts'

t.test('clients of the public Decisions API', async t => {
  let failing: FakeReply | undefined
  const vendor = await fakeUpstream(({ body }) => failing ?? publicVendor(body as VendorRequest))
  const other = await fakeUpstream(dmVendor)
  const under = await listeningGateway({
    settings: { retries: 0 },
    plugins: [
      decisions({ upstreamFailureStatus: 503 }),
      openaiDecisions({ apiKey: 'sk-demo', baseUrl: vendor.url }),
      dm({ baseUrl: other.url, apiKey: 'demo' }),
    ],
  })
  t.teardown(async () => {
    await under.stop()
    await Promise.all([vendor.close(), other.close()])
  })
  const baseURL = `${under.url}/v1`
  let calls = 0
  const counting: typeof fetch = (url, init) => {
    calls++
    return fetch(url, init)
  }
  const client = (apiKey = under.apiKey): OpenAI => new OpenAI({ apiKey, baseURL, fetch: counting })
  const questions: OpenAI.DecisionCreateParams['questions'] = [
    { type: 'predicate', name: 'angry', instructions: 'The writer is angry.' },
    {
      type: 'choice',
      instructions: 'Is it paid?',
      choices: [{ value: true, description: 'Yes.' }, { value: 'true' }, { value: 'unclear' }],
    },
    {
      type: 'score',
      name: 'urgency',
      instructions: 'How urgent?',
      levels: [{ label: 'can wait' }, { label: 'today', description: 'Now.' }],
    },
  ]
  const models = ['gpt-6-luna', 'vendor/dm', 'sandbox/dm']

  await t.test('openai: answers of every model', async t => {
    for (const model of models) {
      const decision = await client().decisions.create({ model, input: 'Where is my money?', questions })
      const [angry, paid, urgency] = decision.answers
      t.match(angry, { type: 'predicate', name: 'angry', probability: Number }, model)
      t.match(paid, {
        type: 'choice',
        name: null,
        confidence: Number,
        probabilities: [{ value: true }, { value: 'true' }, { value: 'unclear' }],
      })
      t.match(urgency, {
        type: 'score',
        name: 'urgency',
        score: Number,
        probabilities: [
          { label: 'can wait', value: 0 },
          { label: 'today', value: 1 },
        ],
      })
      const { usage } = decision
      t.equal(usage.total_tokens, usage.input_tokens + usage.output_tokens)
      t.match(usage, {
        input_tokens_details: { cached_tokens: Number, cache_write_tokens: Number },
        output_tokens_details: { reasoning_tokens: Number },
      })
      t.equal(decision._request_id?.slice(0, 4), 'dec_')
    }
  })

  await t.test('openai: messages, calls, an image and a refusal', async t => {
    const decision = await client().decisions.create({
      model: 'openai/gpt-6-luna',
      input: [
        { role: 'developer', content: 'Be fair.' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Here:' },
            { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
          ],
        },
        { type: 'function_call', call_id: 'call_1', name: 'look_up', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'Nothing.' },
      ],
      questions: [{ type: 'predicate', instructions: 'Refuse this.' }, ...questions],
    })
    t.same(decision.answers[0], { type: 'refusal', name: null })
    t.equal(decision.answers.length, 4)
  })

  await t.test('openai: errors and retries', async t => {
    const { BadRequestError, AuthenticationError, UnprocessableEntityError } = OpenAI
    const guarded = await under.gateway.issueKey({ name: 'guarded', policy: { zdr: { value: true } } })
    const asked = { model: 'gpt-6-luna', input: 'x', questions }
    for (const [asker, body, kind, expected] of [
      [client(), { ...asked, questions: [] }, BadRequestError, { status: 400, param: 'questions', type: 'invalid_request_error' }],
      [client(), { ...asked, model: 'none-such' }, BadRequestError, { status: 400, code: 'model_not_found', param: 'model' }],
      [client('tp_demo_wrong'), asked, AuthenticationError, { status: 401, code: 'invalid_api_key' }],
      [client(guarded), asked, UnprocessableEntityError, { status: 422 }],
    ] as const) {
      calls = 0
      const error = await asker.decisions.create(body as OpenAI.DecisionCreateParams).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      t.ok(error instanceof kind, String(error))
      t.match(error, expected)
      t.equal(calls, 1)
    }
    failing = { status: 500, body: '{}' }
    calls = 0
    await t.rejects(client().decisions.create(asked), { status: 503, code: 'provider_error' })
    t.equal(calls, 3, 'the option makes a failed vendor worth another try')
    failing = undefined
    await client().decisions.create(asked)
  })

  await t.test('AI SDK: experimental_decide', async t => {
    const openai = createOpenAI({ apiKey: under.apiKey, baseURL })
    for (const model of models) {
      const { answers, usage } = await decideWith({
        model: openai.decisionModel(model),
        state: [
          { type: 'text', text: 'Where is my money?' },
          { type: 'json', value: { tags: ['mail'] } },
        ],
        questions: {
          angry: { type: 'boolean', instructions: 'Is the writer angry?', criteria: { true: 'swears' } },
          topic: { type: 'choice', criteria: { billing: 'Money', bug: null } },
          urgency: { type: 'score', instructions: 'How urgent?', criteria: ['can wait', 'today'] },
        },
      })
      t.match(answers, { angry: { type: 'boolean' }, topic: { type: 'choice' }, urgency: { type: 'score' } }, model)
      t.ok(usage.inputTokens)
    }
  })
})
