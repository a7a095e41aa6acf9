import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import t from 'tap'
import {
  GatewayError,
  ProviderFailure,
  type FailureKind,
  type GenerationRequest,
  type Guardrail,
  type GuardSession,
} from '../../../core/index.ts'
import type { DecisionRequest } from '../../../core/kit.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { gateway, listeningGateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { decide, deciding, reply, yes, type DecisionWitness } from '../../kit/decision-stage.ts'
import { guarding, listing, stop, text, usage, witness } from '../../kit/stage.ts'

type Options = NonNullable<Parameters<typeof gateway>[0]>

async function stage(plugins: readonly PluginUse[], options: Omit<Options, 'plugins'> = {}): Promise<GatewayUnderTest> {
  const under = await gateway({ settings: { logLevel: 'silent' }, ...options, plugins: [decisions({}), ...plugins] })
  t.teardown(under.stop)
  return under
}

function failing(provider: string, kind: FailureKind): DecisionWitness {
  return deciding(provider, () => {
    throw new ProviderFailure({ kind, message: `it fails by ${kind}`, retryAfterMs: kind === 'rate-limit' ? 3_000 : undefined })
  })
}

t.test('the life of a decision leaves one record, with what it cost', async t => {
  const acme = deciding('acme')
  const under = await stage([acme.plugin])
  const { status, id, body, headers } = await decide(under, { model: 'acme/one' })
  t.equal(status, 200)
  t.same(body, { id, model: 'acme/one-1', answers: { yes: { type: 'noul', noul: 0.25 } }, usage: { input_tokens: 100, output_tokens: 7 } })
  t.match(id, /^dec_[0-9a-f]{32}$/)
  t.equal(headers.get('x-gateway-attempts'), '1')
  const record = await under.record(id)
  t.match(record, {
    id,
    method: 'POST',
    path: '/v1/systemone',
    status: 200,
    stream: false,
    requestedModel: 'acme/one',
    model: 'one-1',
    provider: 'acme',
    usage: { uncachedInput: 100, output: 7 },
    costUsd: 0.0002,
    errorCode: null,
  })
  t.match(record.attempts, [{ provider: 'acme', model: 'one-1', outcome: 'ok', status: null }])
  t.match(record.request, { state: 'It is so.', questions: { yes } }, 'its key has logging on')
  t.match(record.response, { answers: body.answers })
  const [call] = acme.calls
  t.same(call!.request, { model: 'one-1', state: 'It is so.', questions: { yes } })
  t.equal(call!.context.id, id)
  t.equal(under.gateway.liveRuns, 0)
})

t.test('with logging off nothing of it is recorded or logged', async t => {
  const acme = deciding('acme', ({ request }, count) => {
    if (count === 1) return reply(request)
    if (count === 2) throw new TypeError(`a bug that tells CANARY`)
    throw new ProviderFailure({ kind: 'protocol', message: 'CANARY', upstream: 'CANARY' })
  })
  const under = await stage([acme.plugin], { settings: { logLevel: 'debug' }, key: { name: 'demo' } })
  const body = { state: { CANARY: 1 }, questions: { CANARY: { type: 'choice', criteria: { CANARY: 'CANARY' } } } }
  const statuses: number[] = []
  for (let count = 0; count < 3; count++) statuses.push((await decide(under, body)).status)
  t.same(statuses, [200, 424, 424])
  statuses.push(
    (await decide(under, { ...body, model: 'two' })).status,
    (await decide(under, { ...body, questions: { CANARY: 1 } })).status,
  )
  t.same(statuses.slice(3), [400, 400])
  const records = await under.recorded(5)
  t.notMatch(JSON.stringify([records, under.logs]), 'CANARY')
  t.match(under.logs.join('\n'), /deciding-/, 'the plugin that has the bug is named')
})

t.test('a bare name is asked at every client that knows it, until one answers', async t => {
  const globex = deciding('globex', undefined, {}, [
    { model: 'one-1', endpoints: [{ provider: 'globex', kind: 'decision', price: { input: 4, output: 0 } }] },
  ])
  for (const [kind, status, type] of [
    ['overloaded', 200],
    ['unavailable', 200],
    ['timeout', 200],
    ['network', 200],
    ['protocol', 200],
    ['auth', 200],
    ['quota', 200],
    ['rate-limit', 200],
    ['not-found', 200],
    ['refused', 200],
    ['context-length', 200],
    ['invalid-request', 422, 'invalid_request'],
  ] as const) {
    const under = await stage([failing('acme', kind).plugin, globex.plugin])
    const { status: came, body, id, detail } = await decide(under)
    t.equal(came, status, kind)
    if (status === 200) {
      t.equal(body.model, 'globex/one-1')
      t.equal((await under.record(id)).costUsd, 0.0004)
    } else t.equal(detail.error_type, type)
  }
  for (const [kind, status, type] of [
    ['overloaded', 424, 'provider_error'],
    ['unavailable', 424, 'provider_error'],
    ['protocol', 424, 'provider_error'],
    ['network', 424, 'provider_error'],
    ['auth', 424, 'provider_error'],
    ['quota', 424, 'provider_error'],
    ['not-found', 424, 'provider_error'],
    ['timeout', 504, 'provider_timeout'],
    ['rate-limit', 429, 'rate_limit_exceeded'],
    ['refused', 422, 'invalid_request'],
    ['context-length', 422, 'invalid_request'],
  ] as const) {
    const acme = failing('acme', kind)
    const under = await stage([acme.plugin])
    const { status: came, detail, headers } = await decide(under)
    t.same([came, detail.error_type], [status, type], kind)
    t.equal(headers.get('retry-after'), kind === 'rate-limit' ? '3' : null)
    const passes = kind === 'overloaded' || kind === 'unavailable' || kind === 'network'
    t.equal(acme.calls.length, passes ? 3 : 1)
    t.equal(headers.get('x-should-retry'), came === 424 ? String(passes) : null)
  }
})

t.test('any malformed answer is a failure of the client', async t => {
  const questions = {
    c: { type: 'choice', criteria: { a: null, b: null } },
    s: { type: 'score', criteria: ['x', 'y', 'z'] },
  }
  const good = { c: { type: 'choice', choice: 'a' }, s: { type: 'score', score: 2 } }
  const cases: readonly (readonly [string, unknown, boolean])[] = [
    ['as little as can be', {}, true],
    [
      'all there is',
      { c: { confidence: 1, probabilities: { a: 1, b: 0 } }, s: { confidence: 0, probabilities: { 0: 0, 1: 0, 2: 1 }, legend: { 0: 1 } } },
      true,
    ],
    ['off by rounding', { c: { probabilities: { a: 1.0000001, b: -1e-9 } }, s: { score: 2.0000001 } }, true],
    ['null for what is left out', { c: { confidence: null, probabilities: null }, s: { legend: null } }, true],
    ['an option that was not given', { c: { choice: 'c' } }, false],
    ['an option of every object', { c: { choice: 'constructor' } }, false],
    ['no option', { c: { choice: undefined } }, false],
    ['a confidence in words', { c: { confidence: 'high' } }, false],
    ['too much confidence', { s: { confidence: 1.1 } }, false],
    ['a probability too few', { c: { probabilities: { a: 1 } } }, false],
    ['a probability of something else', { c: { probabilities: { a: 1, c: 0 } } }, false],
    ['a probability too many', { c: { probabilities: { a: 1, b: 0, c: 0 } } }, false],
    ['a probability that is none', { s: { probabilities: { 0: 1, 1: NaN, 2: 0 } } }, false],
    ['probabilities as a list', { s: { probabilities: [1, 0, 0] } }, false],
    ['a score beyond the levels', { s: { score: 2.1 } }, false],
    ['a score below them', { s: { score: -1 } }, false],
    ['a legend that is none', { s: { legend: 'x' } }, false],
  ]
  for (const [name, change, fine] of cases) {
    const { c = {}, s = {} } = change as { c?: object; s?: object }
    const answers = { c: { ...good.c, ...c }, s: { ...good.s, ...s } }
    const under = await stage([deciding('acme', ({ request }) => reply(request, { answers: answers as never })).plugin])
    const { status, body } = await decide(under, { questions })
    t.equal(status, fine ? 200 : 424, name)
    if (!fine) continue
    t.same(Object.keys(body.answers), ['c', 's'])
    t.notMatch(JSON.stringify(body.answers), 'null')
    t.notMatch(JSON.stringify(body.answers), '0000001')
  }
  for (const nothing of [undefined, null, 'x', [], { answers: null }]) {
    const under = await stage([deciding('acme', () => nothing as never).plugin])
    t.equal((await decide(under)).status, 424)
  }
})

t.test('a vendor that does not count is counted for', async t => {
  const under = await stage([deciding('acme', ({ request }) => reply(request, { usage: undefined })).plugin])
  const state = '判断'.repeat(1_000)
  const { body, id } = await decide(under, { state })
  const least = countTokens(state) * 1.5
  t.ok(
    body.usage.input_tokens > least && body.usage.input_tokens < least + 100,
    `${body.usage.input_tokens} for ${least} and the questions`,
  )
  const { usage: recorded, costUsd } = await under.record(id)
  t.match(recorded, { uncachedInput: body.usage.input_tokens, estimated: true })
  t.equal(costUsd, (body.usage.input_tokens * 2) / 1e6)
})

t.test('keys that may not: 402 and 403', async t => {
  const unpriced = deciding('globex', undefined, { resolve: name => (name === 'two' ? 'two' : undefined) }, [])
  for (const [key, status, type, body] of [
    [{ models: ['echo'] }, 403, 'model_not_allowed', {}],
    [{ models: ['one-1'] }, 200, '', {}],
    [{ models: ['acme/one-1'] }, 200, '', {}],
    [{ providers: ['sandbox'] }, 403, 'provider_not_allowed', {}],
    [{ providers: ['acme'] }, 200, '', {}],
    [{ models: ['sandbox/dm'] }, 200, '', { model: 'sandbox/dm' }],
    [{ spendCapUsd: 1 }, 200, '', {}],
    [{ spendCapUsd: 0.00001 }, 402, 'insufficient_credits', { state: 'x'.repeat(1_000) }],
    [{ spendCapUsd: 1 }, 402, 'insufficient_credits', { model: 'two' }],
    [{ spendCapUsd: 1, allowUnpriced: true }, 200, '', { model: 'two' }],
  ] as const) {
    const acme = deciding('acme')
    const under = await stage([acme.plugin, unpriced.plugin], { key: { name: 'demo', ...key } })
    const { status: came, detail } = await decide(under, body)
    t.equal(came, status, JSON.stringify(key))
    if (status === 200) continue
    t.equal(detail.error_type, type)
    t.equal(acme.calls.length, 0)
    t.match((await under.recorded(1))[0], { status, errorCode: type, usage: null, attempts: [] })
  }
})

t.test('what is spent is settled: input alone, as the vendor counted it', async t => {
  const costly = deciding('acme', ({ request }) => reply(request, { usage: { input_tokens: 450_000, output_tokens: 1e6 } }))
  const under = await stage([costly.plugin], { key: { name: 'demo', spendCapUsd: 1 } })
  const statuses: number[] = []
  for (let count = 0; count < 3; count++) statuses.push((await decide(under)).status)
  t.same(statuses, [200, 200, 402], 'of 1 USD each takes 0.9')
})

t.test('200 decisions at once never pass the cap', async t => {
  const acme = deciding('acme', ({ request }) => reply(request, { usage: { input_tokens: 30, output_tokens: 5 } }))
  const under = await stage([acme.plugin], { key: { name: 'demo', spendCapUsd: 0.001 } })
  const outcomes = await Promise.all(Array.from({ length: 200 }, () => decide(under)))
  t.same([...new Set(outcomes.map(({ status }) => status))].toSorted(), [200, 402])
  const records = await under.recorded(200)
  const spentUsd = records.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
  t.ok(spentUsd > 0 && spentUsd <= 0.001, `${spentUsd} USD`)
})

t.test('a window that is full is a 429 that says when to come again', async t => {
  const clock = new FakeClock()
  const acme = deciding('acme', ({ request }) => reply(request, { usage: { input_tokens: 900, output_tokens: 50 } }))
  const under = await stage([acme.plugin], { key: { name: 'demo', limits: [{ tokens: 1_000, windowMs: 60_000 }] }, clock })
  t.equal((await decide(under)).status, 200)
  clock.pass(20_500)
  const refused = await decide(under, { state: 'x'.repeat(400) })
  t.same([refused.status, refused.detail.error_type], [429, 'rate_limit_exceeded'])
  t.equal(refused.headers.get('retry-after'), '40')
  const generation = await under.request('/v1/responses', { body: { model: 'sandbox/echo', input: 'hi' } })
  t.equal(generation.status, 429, 'a generation finds the same window full')
  t.equal(acme.calls.length, 1)
})

t.test('failed decisions give back what was held', async t => {
  const acme = failing('acme', 'protocol')
  const under = await stage([acme.plugin], { key: { name: 'demo', limits: [{ tokens: 100, windowMs: 60_000 }], spendCapUsd: 0.001 } })
  for (let count = 0; count < 10; count++) t.equal((await decide(under)).status, 424)
})

t.test('redaction is a 400, zero retention and HIPAA a 422, before anything goes upstream', async t => {
  for (const [policy, status, type, message] of [
    [{ redaction: { value: true } }, 400, 'redaction_not_supported', /redaction/],
    [{ zdr: { value: true } }, 422, 'policy_refusal', /zero data retention/],
    [{ hipaa: { value: true } }, 422, 'policy_refusal', /HIPAA/],
    [{ redaction: { value: true }, zdr: { value: true } }, 400, 'redaction_not_supported', /redaction/],
    [{ zdr: { value: false }, redaction: { value: false } }, 200, '', /./],
  ] as const) {
    const acme = deciding('acme')
    const enforcing = guarding(undefined, { enforces: ['zdr', 'hipaa', 'redaction'] })
    for (const plugins of [[acme.plugin], [acme.plugin, enforcing]]) {
      const under = await stage(plugins, { key: { name: 'demo', policy } })
      const outcome = await decide(under, { model: 'one' })
      t.equal(outcome.status, status, JSON.stringify(policy))
      if (status === 200) continue
      t.equal(outcome.detail.error_type, type)
      t.match(outcome.detail.message, message)
      t.equal(acme.calls.length, 0)
    }
  }
})

t.test('guards see decisions, change them and refuse them', async t => {
  const seen: DecisionRequest[] = []
  const refusal = new GatewayError({ status: 400, type: 'invalid_request_error', code: 'not_here', message: 'Not here.' })
  const watching: GuardSession = { decision: request => (seen.push(request), { pass: true }) }
  const changing: GuardSession = { input: () => ({ pass: true }), decision: request => ({ replace: { ...request, state: 'changed' } }) }
  const blind: GuardSession = { input: () => ({ pass: true }) }
  const routing: GuardSession = { route: () => true }
  const broken: GuardSession = {
    decision() {
      throw new Error('broken')
    },
  }
  const hanging: GuardSession = { decision: () => new Promise(() => {}) }
  const cases: readonly (readonly [string, GuardSession, Partial<Guardrail>, number, string | undefined])[] = [
    ['watching', watching, {}, 200, 'It is so.'],
    ['changing', changing, {}, 200, 'changed'],
    ['refusing', { decision: () => ({ refuse: refusal }) }, {}, 400, undefined],
    ['blind to decisions', blind, {}, 422, undefined],
    ['blind to decisions, though its failure allows', blind, { onFailure: 'allow' }, 422, undefined],
    ['choosing providers alone', routing, {}, 422, undefined],
    ['looking at output alone', { output: () => undefined }, {}, 200, 'It is so.'],
    ['broken', broken, {}, 503, undefined],
    ['broken, which allows', broken, { onFailure: 'allow' }, 200, 'It is so.'],
    ['late', hanging, { timeoutMs: 5 }, 503, undefined],
    ['late, which allows', hanging, { timeoutMs: 5, onFailure: 'allow' }, 200, 'It is so.'],
  ]
  for (const [name, session, more, status, state] of cases) {
    const acme = deciding('acme')
    const under = await stage([acme.plugin, guarding(session, more)])
    t.equal((await decide(under)).status, status, name)
    t.equal(acme.calls[0]?.request.state, state)
  }
  t.match(seen, [{ model: 'one', questions: { yes } }])
})

t.test('64,000 tokens a request, and 32,000 for the state and the longest question', async t => {
  const words = (count: number): string => ' a'.repeat(count)
  const many = (count: number, length: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`q${index}`, { type: 'noul', instructions: words(length) }]))
  const under = await stage([deciding('acme').plugin])
  for (const [name, body, refused] of [
    ['a long state', { state: words(31_900) }, undefined],
    ['a longer one', { state: words(32_100) }, /The state alone has more than 32000 tokens/],
    ['a long question', { questions: many(1, 31_900) }, undefined],
    ['a longer one', { questions: many(1, 32_100) }, /The state with the longest question has more than 32000 tokens/],
    ['both', { state: words(16_000), questions: many(1, 16_100) }, /The state with the longest question/],
    [
      'the longest of them, which is not the first',
      { state: words(16_000), questions: { ...many(2, 10), z: { type: 'noul', instructions: words(16_100) } } },
      /longest question/,
    ],
    ['long in bytes alone', { state: 'internationalization '.repeat(6_000) }, undefined],
    ['many questions', { state: words(10_000), questions: many(5, 10_000) }, undefined],
    ['too many', { state: words(10_000), questions: many(6, 10_000) }, /The request has more than 64000 tokens/],
    ['far too many', { questions: many(400, 5_000) }, /The request has more than 64000 tokens/],
    ['structured', { state: { list: Array.from({ length: 20_000 }, (_, index) => index) } }, /The state alone has more than 32000/],
    ['no words', { state: 'a'.repeat(200_000) }, undefined],
    ['special', { state: '<|endoftext|>'.repeat(3_000) }, undefined],
  ] as const) {
    const outcome = await decide(under, body)
    t.equal(outcome.status, refused ? 400 : 200, name)
    if (!refused) continue
    t.equal(outcome.detail.error_type, 'max_tokens_exceeded')
    t.match(outcome.detail.message, refused)
  }
})

t.test('the limits hold to the token', async t => {
  const count = (value: unknown): number => countTokens(JSON.stringify(value))
  const filled = (tokens: number, measure: (words: string) => number): string => {
    let words = ' a'.repeat(tokens)
    while (measure(words) > tokens) words = words.slice(2)
    return words
  }
  const under = await stage([deciding('acme').plugin])
  const state = filled(20_000, count)
  const asking = (words: string): object => ({ type: 'noul', instructions: words })
  const question = filled(12_000, words => countTokens(`"q":${JSON.stringify(asking(words))}`))
  t.equal((await decide(under, { state, questions: { q: asking(question) } })).status, 200, 'exactly 32,000')
  t.equal((await decide(under, { state, questions: { q: asking(`${question} a`) } })).detail.error_type, 'max_tokens_exceeded')
  t.equal((await decide(under, { state: `${state} a`, questions: { q: asking(question) } })).detail.error_type, 'max_tokens_exceeded')
  const many = Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`q${index}`, asking(filled(10_900, count))]))
  const used =
    countTokens(JSON.stringify(state)) +
    Object.entries(many).reduce((sum, [id, each]) => sum + countTokens(`"${id}":${JSON.stringify(each)}`), 0)
  const rest = filled(64_000 - used, words => countTokens(`"z":${JSON.stringify(asking(words))}`))
  t.ok(used < 64_000)
  t.equal((await decide(under, { state, questions: { ...many, z: asking(rest) } })).status, 200, 'exactly 64,000')
  t.equal((await decide(under, { state, questions: { ...many, z: asking(`${rest} a`) } })).detail.error_type, 'max_tokens_exceeded')
})

t.test('a request whose length was told is cleared by it', async t => {
  const under = await listeningGateway({ settings: { logLevel: 'silent' }, plugins: [decisions({}), deciding('acme').plugin] })
  t.teardown(under.stop)
  const post = async (state: string): Promise<number> => {
    const body = JSON.stringify({ model: 'one', state, questions: { yes } })
    const headers = { authorization: `Bearer ${under.apiKey}`, 'content-type': 'application/json' }
    return (await fetch(`${under.url}/v1/systemone`, { method: 'POST', headers, body })).status
  }
  t.same([await post('x'), await post(' a'.repeat(15_900)), await post(' a'.repeat(33_000))], [200, 200, 400])
})

t.test('a decision that takes too long is a 504, one that is left a 499, and none outlives the gateway', async t => {
  const forever = (): Promise<never> => new Promise(() => {})
  const slow = deciding('acme', forever, { timeoutMs: 20 })
  const under = await stage([slow.plugin])
  const late = await decide(under)
  t.same([late.status, late.detail.error_type], [504, 'provider_timeout'])
  t.match(await under.record(late.id), { status: 504, attempts: [{ outcome: 'timeout' }] })
  t.ok(slow.calls[0]!.signal.aborted)

  const clock = new FakeClock()
  const reached = Promise.withResolvers<void>()
  const endless = deciding('acme', () => (reached.resolve(), forever()))
  const impatient = await stage([endless.plugin], { clock, settings: { runTimeoutMs: 7_500, logLevel: 'silent' } })
  const asking = decide(impatient)
  await reached.promise
  clock.pass(7_500)
  // The timer of long deadlines does not keep a process alive.
  const alive = setInterval(() => {}, 1_000)
  const over = await asking
  clearInterval(alive)
  t.same([over.status, over.detail.message], [504, 'The request took longer than 7.5 s.'])
  t.match(await impatient.record(over.id), { status: 504, errorCode: 'provider_timeout', attempts: [{ outcome: 'timeout' }] })

  const asked = Promise.withResolvers<void>()
  const left = deciding('acme', () => (asked.resolve(), forever()))
  const waiting = await stage([left.plugin], { key: { name: 'demo', limits: [{ tokens: 100, windowMs: 60_000 }] } })
  const leaving = new AbortController()
  const pending = decide(waiting, {}, { signal: leaving.signal }).catch(() => undefined)
  await asked.promise
  t.equal(waiting.gateway.liveRuns, 1)
  leaving.abort()
  await pending
  t.match(await waiting.recorded(1), [{ status: 499, errorCode: 'client_closed_request', usage: null, costUsd: null }])
  t.ok(left.calls[0]!.signal.aborted)

  const begun = Promise.withResolvers<void>()
  const closing = await stage([deciding('acme', () => (begun.resolve(), forever())).plugin])
  const ended = decide(closing)
  await begun.promise
  closing.gateway.abortRuns()
  t.equal((await ended).status, 503)
  t.equal(closing.gateway.liveRuns, 0)
})

t.test('a client may ask models: within the key, and on the account of the decision', async t => {
  const model = witness('globex', () => [text('yes'), usage(40, 2), stop])
  const priced = listing({ model: 'm', endpoints: [{ provider: 'globex', price: { input: 10, output: 20 } }] })
  const request: GenerationRequest = {
    model: 'globex/m',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
  }
  const free = [
    { model: 'one-1', aliases: ['one'], endpoints: [{ provider: 'acme', kind: 'decision', price: { input: 0, output: 0 } }] },
  ] as const
  const asking = deciding(
    'acme',
    async ({ request: asked, generate }) => {
      let said = ''
      for (let count = 0; count < 2; count++) for await (const event of generate(request)) if (event.type === 'text') said += event.text
      return reply(asked, { extra: { said }, usage: { input_tokens: 80, output_tokens: 4 } })
    },
    {},
    free,
  )
  const under = await stage([asking.plugin, model.plugin, priced], {
    key: { name: 'demo', spendCapUsd: 1, limits: [{ tokens: 10_000, windowMs: 60_000 }] },
  })
  const outcome = await decide(under)
  t.equal(outcome.status, 200)
  t.match(outcome.body, { said: 'yesyes', usage: { input_tokens: 80, output_tokens: 4 } })
  t.equal(model.calls.length, 2)
  const record = await under.record(outcome.id)
  t.match(record, { model: 'one-1', provider: 'acme', usage: { uncachedInput: 80, output: 4 }, costUsd: (80 * 10 + 4 * 20) / 1e6 })
  t.same(
    record.attempts.map(({ provider, outcome: result }) => [provider, result]),
    [
      ['globex', 'ok'],
      ['globex', 'ok'],
      ['acme', 'ok'],
    ],
  )
  for (const [key, status, type] of [
    [{ models: ['one-1'] }, 403, 'model_not_allowed'],
    [{ spendCapUsd: 0.000001 }, 402, 'insufficient_credits'],
    [{ limits: [{ tokens: 50, windowMs: 60_000 }] }, 429, 'rate_limit_exceeded'],
  ] as const) {
    const narrow = await stage([asking.plugin, model.plugin, priced], { key: { name: 'demo', ...key } })
    const { status: came, detail } = await decide(narrow)
    t.same([came, detail.error_type], [status, type])
  }
  const refusing = guarding({ decision: () => ({ pass: true }), route: ({ provider }) => provider !== 'globex' })
  t.equal((await decide(await stage([asking.plugin, model.plugin, priced, refusing]))).status, 422, 'where models may be asked, guards say')
})

t.test('an answer is charged beside the models that another client asked in vain', async t => {
  const model = witness('initech', () => [text('yes'), usage(40, 2), stop])
  const asking = deciding('acme', async ({ generate }) => {
    const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }] as const
    for await (const _ of generate({ model: 'initech/m', input })) continue
    throw new ProviderFailure({ kind: 'unavailable', message: 'it went away' })
  })
  const globex = deciding('globex', undefined, {}, [
    { model: 'one-1', endpoints: [{ provider: 'globex', kind: 'decision', price: { input: 4, output: 0 } }] },
  ])
  const price = { input: 10, output: 20 }
  const under = await stage([
    asking.plugin,
    globex.plugin,
    model.plugin,
    listing({ model: 'm', endpoints: [{ provider: 'initech', price }] }),
  ])
  const { status, body, id } = await decide(under)
  t.same([status, body.model], [200, 'globex/one-1'])
  t.equal((await under.record(id)).costUsd, 0.0004 + (40 * 10 + 2 * 20) / 1e6)
})

t.test('what a model that was asked says in vain is still charged, and a client that gives up ends it', async t => {
  const cutShort = witness('globex', () => [text('yes'), usage(40, 2)])
  const request: GenerationRequest = {
    model: 'globex/m',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
  }
  const asking = deciding('acme', async ({ request: asked, generate }) => {
    for await (const _ of generate(request)) continue
    return reply(asked)
  })
  const under = await stage([
    asking.plugin,
    cutShort.plugin,
    listing({ model: 'm', endpoints: [{ provider: 'globex', price: { input: 10, output: 20 } }] }),
  ])
  const { status, id } = await decide(under)
  t.equal(status, 424)
  t.match(await under.record(id), {
    usage: { uncachedInput: 40, output: 2 },
    costUsd: 0.00044,
    attempts: [{ outcome: 'protocol' }, { outcome: 'left' }],
  })

  const released = Promise.withResolvers<void>()
  const endless = witness('globex', () => ({
    *[Symbol.iterator]() {
      try {
        for (;;) yield text('a')
      } finally {
        released.resolve()
      }
    },
  }))
  const glancing = deciding('acme', async ({ request: asked, generate }) => {
    for await (const _ of generate(request)) break
    return reply(asked)
  })
  const brief = await stage([glancing.plugin, endless.plugin])
  const outcome = await decide(brief)
  t.equal(outcome.status, 200)
  await released.promise
  t.match((await brief.record(outcome.id)).attempts, [
    { provider: 'globex', outcome: 'left' },
    { provider: 'acme', outcome: 'ok' },
  ])
})
