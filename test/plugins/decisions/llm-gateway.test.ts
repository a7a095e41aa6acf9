import t, { type Test } from 'tap'
import type { DecisionAnswer } from '../../../core/kit.ts'
import { fakeUpstream, stall, type FakeReply, type ReceivedRequest } from '../../../core/testing/index.ts'
import llmDecisions from '../../../plugins/decisions/llm/index.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import ollama from '../../../plugins/providers/ollama/index.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import { listing } from '../../kit/stage.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import type { Leaning } from './llm-engine.ts'
import { chatLabel, chatUsage, json, ollamaLabel, userText } from './llm-upstream.ts'

interface Body {
  readonly model: string
  readonly answers: Readonly<Record<string, DecisionAnswer>>
  readonly usage: object
  readonly detail?: { readonly error_type: string; readonly message: string }
}

const lean: Leaning = ({ answer, option, level }) => (answer === 'yes' ? 2 : option === 'bug' ? 1 : (level ?? 0))
const noul = { type: 'noul', instructions: 'Is it late?' }
const questions = {
  late: noul,
  kind: { type: 'choice', criteria: { billing: 'money', bug: null } },
  urgency: { type: 'score', criteria: ['next week', 'now'] },
}
const sigmoid = (leaning: number): number => 1 / (1 + Math.exp(-leaning))

interface Stage {
  readonly under: GatewayUnderTest
  /** The requests that the model got. */
  calls(): readonly ReceivedRequest[]
  decide(body?: object, signal?: AbortSignal): Promise<{ readonly status: number; readonly id: string; readonly body: Body }>
}

async function stage(t: Test, script: (request: ReceivedRequest, count: number) => FakeReply): Promise<Stage> {
  let count = 0
  const upstream = await fakeUpstream(request => (isCall(request) ? script(request, ++count) : { status: 404 }))
  const model = 'local/small'
  const under = await gateway({
    plugins: [
      decisions({}),
      openaiChat({ host: 'vllm', id: 'local', baseUrl: upstream.url }),
      ollama({ baseUrl: upstream.url }),
      listing({ model: 'small', endpoints: [{ provider: 'local', price: { input: 1, output: 10, cacheRead: 0.5 } }] }),
      llmDecisions({
        concurrency: 3,
        maxCalls: 5,
        models: [
          { name: 'judge', model, mode: 'logprobs' },
          { name: 'guess', model, mode: 'structured' },
          { name: 'either', model },
          { name: 'lama', model: 'ollama/small', mode: 'logprobs', effort: 'none' },
        ],
      }),
    ],
  })
  t.teardown(() => under.stop())
  t.teardown(() => upstream.close())
  return {
    under,
    calls: () => upstream.requests.filter(isCall),
    async decide(body, signal) {
      const reply = await under.request('/v1/systemone', {
        body: { model: 'llm/judge', state: 'It is midnight.', questions, ...body },
        ...(signal && { signal }),
      })
      return { status: reply.status, id: reply.headers.get('x-request-id')!, body: (await reply.json()) as Body }
    },
  }
}

/** Ollama is also asked which models it has. */
function isCall({ method }: ReceivedRequest): boolean {
  return method === 'POST'
}

function near(t: Test, found: unknown, wanted: number): void {
  t.ok(typeof found === 'number' && Math.abs(found - wanted) < 1e-9, `${String(found)} is ${wanted}`)
}

t.test('the three types over HTTP, charged as what was asked of the model', async t => {
  const { under, calls, decide } = await stage(t, request => chatLabel(request, lean))
  const { status, id, body } = await decide()
  t.equal(status, 200)
  t.equal(body.model, 'llm/judge')
  near(t, body.answers['late']?.['noul'], sigmoid(2))
  t.match(body.answers['kind'], { type: 'choice', choice: 'bug' })
  near(t, body.answers['urgency']?.['score'], sigmoid(1))
  t.same(body.usage, { input_tokens: 150, output_tokens: 3, calls: 3 })
  t.equal(calls().length, 3)
  for (const request of calls()) t.match(request.body, { model: 'small', max_tokens: 1, temperature: 0, logprobs: true, top_logprobs: 20 })

  const record = await under.record(id)
  t.match(record, { status: 200, provider: 'llm', model: 'judge', usage: { uncachedInput: 120, cacheRead: 30, output: 3 } })
  near(t, record.costUsd, (120 * 1 + 30 * 0.5 + 3 * 10) / 1_000_000)
  t.equal(record.attempts.filter(({ provider }) => provider === 'local').length, 3, 'each call is on the record')
  t.equal((await decide({ model: 'judge' })).body.model, 'llm/judge', 'a bare name will do')
})

t.test('Ollama in its own dialect', async t => {
  const { calls, decide } = await stage(t, request => ollamaLabel(request, lean))
  const { status, body } = await decide({ model: 'llm/lama' })
  t.equal(status, 200)
  near(t, body.answers['late']?.['noul'], sigmoid(2))
  t.match(calls()[0]?.body, { think: false, logprobs: true, top_logprobs: 20, options: { num_predict: 1, temperature: 0 } })
})

t.test('255 options, and too many', async t => {
  const { decide, calls } = await stage(t, request => chatLabel(request, ({ option }) => Number(option) / 50))
  const criteria = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}`, null]))
  const { body } = await decide({ questions: { which: { type: 'choice', criteria: criteria(80) } } })
  const which = body.answers['which']
  t.match(which, { choice: '79' })
  const values = which?.type === 'choice' ? Object.values(which.probabilities!) : []
  near(
    t,
    values.reduce((sum, value) => sum + value, 0),
    1,
  )
  near(t, values[79]! / values[0]!, Math.exp(79 / 50))
  const before = calls().length
  const refused = await decide({ questions: { which: { type: 'choice', criteria: criteria(255) } } })
  t.equal(refused.status, 400)
  t.match(refused.body.detail?.message, /take 14 calls to the model of judge; at most 5 are allowed/)
  t.equal(calls().length, before, 'nothing was asked')
  const single = await decide({ model: 'guess', questions: { which: { type: 'choice', criteria: criteria(255) } } })
  t.equal(calls().length, before + 1, 'an estimate takes one call')
  t.equal(single.status, 424, 'which a label does not answer')
})

t.test('a model without log probabilities estimates', async t => {
  const guess = { option_1: 0.8, option_2: 0.2 }
  const { decide, calls } = await stage(t, () =>
    json({
      choices: [{ index: 0, message: { role: 'assistant', content: JSON.stringify(guess) }, finish_reason: 'stop' }],
      usage: chatUsage,
    }),
  )
  for (const model of ['llm/guess', 'llm/either']) {
    const { status, body } = await decide({ model })
    t.equal(status, 200)
    t.match(body.answers, { late: { noul: 0.8, uncalibrated: true }, kind: { choice: 'billing', uncalibrated: true } })
  }
  t.match(calls()[0]?.body, { response_format: { type: 'json_schema', json_schema: { strict: true } } })
  t.match(userText(calls()[0]!), 'option_1: {"answer":"yes"}')
  t.equal(calls().length, 3 + 4)
  const { status, body } = await decide()
  t.equal(status, 424)
  t.match(body.detail?.message, /no log probabilities/)
})

t.test('one call that fails is a 424, and the others are given up', async t => {
  const { decide, calls, under } = await stage(t, (_, count) =>
    count < 3 ? { before: [stall] } : { status: 400, body: JSON.stringify({ error: { message: 'No such thing.' } }) },
  )
  const { status, id } = await decide()
  t.equal(status, 424)
  t.same(
    await Promise.all(
      calls()
        .slice(0, 2)
        .map(({ closed }) => closed),
    ),
    ['early', 'early'],
  )
  t.equal((await under.record(id)).status, 424)
})

t.test('a client that leaves calls everything off', async t => {
  const client = new AbortController()
  const { decide, calls, under } = await stage(t, (_, count) => {
    if (count === 3) setImmediate(() => client.abort())
    return { before: [stall] }
  })
  await decide({}, client.signal).catch(() => {})
  t.same(await Promise.all(calls().map(({ closed }) => closed)), ['early', 'early', 'early'])
  t.match(await under.recorded(1), [{ status: 499 }])
})

t.test('any model that generates text, under its own name', async t => {
  const upstream = await fakeUpstream(request => chatLabel(request, lean))
  t.teardown(() => upstream.close())
  const under = await gateway({
    plugins: [
      decisions({ aliasUntil: '2999-12-31' }),
      openaiChat({ host: 'vllm', id: 'local', baseUrl: upstream.url }),
      listing({ model: 'small', endpoints: [{ provider: 'local', price: { input: 1, output: 10 } }] }),
      llmDecisions({ id: 'language-model', anyModel: true }),
    ],
  })
  t.teardown(under.stop)
  const ask = async (model: string) => {
    const reply = await under.request('/v1/systemone', { body: { model, state: 'It is midnight.', questions: { late: noul } } })
    return { status: reply.status, record: await under.record(reply.headers.get('x-request-id')!), body: (await reply.json()) as Body }
  }
  for (const model of ['local/small', 'small']) {
    const { status, body, record } = await ask(model)
    t.equal(status, 200, model)
    near(t, body.answers['late']?.['noul'], sigmoid(2))
    t.ok(record.costUsd! > 0, 'the calls are charged')
  }
  t.equal((await ask('nobody/small')).status, 400)
  const reply = await under.request('/v1/decisions', {
    body: { model: 'local/small', input: 'It is midnight.', questions: [{ type: 'predicate', instructions: 'Is it late?' }] },
  })
  t.equal(reply.status, 200)
  await t.rejects(gateway({ plugins: [llmDecisions({})] }), /has nothing to answer with/)
})

t.test('a key that may not use the model gets no decision from it', async t => {
  const upstream = await fakeUpstream(request => chatLabel(request, lean))
  t.teardown(() => upstream.close())
  const under = await gateway({
    key: { name: 'bound', models: ['other'] },
    plugins: [
      decisions({}),
      openaiChat({ host: 'vllm', id: 'local', baseUrl: upstream.url }),
      listing({ model: 'small', endpoints: [{ provider: 'local' }] }, { model: 'other', endpoints: [{ provider: 'local' }] }),
      llmDecisions({ id: 'language-model', anyModel: true }),
    ],
  })
  t.teardown(under.stop)
  const reply = await under.request('/v1/systemone', { body: { model: 'small', state: 'x', questions: { late: noul } } })
  t.equal(reply.status, 403)
  t.equal(upstream.requests.length, 0)
})
