import t, { type Test } from 'tap'
import { noUsage } from '../../../core/contracts/events.ts'
import { ProviderFailure, type GenerationEvent, type GenerationRequest } from '../../../core/index.ts'
import type { DecisionCall } from '../../../core/kit.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import llmDecisions from '../../../plugins/decisions/llm/index.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import { stores } from '../../kit/accounts.ts'
import { decide, deciding, reply } from '../../kit/decision-stage.ts'
import { gateway, scripted, type GatewayUnderTest } from '../../kit/gateway.ts'
import { listing, stop, text, usage, witness } from '../../kit/stage.ts'
import { engine } from '../../plugins/decisions/llm-engine.ts'

type Options = NonNullable<Parameters<typeof gateway>[0]>

/** A call of the engine takes 120 tokens of input: 0.0012 USD. Its prompt has fewer than 1,000 bytes, each of which is held. */
const price = { input: 10, output: 10 }
const callUsd = (121 * 10) / 1e6
const maxUsd = 0.01

const free = [
  { model: 'one-1', aliases: ['one'], endpoints: [{ provider: 'acme', kind: 'decision', price: { input: 0, output: 0 } }] },
] as const
const listed = listing({ model: 'm', endpoints: [{ provider: 'globex', price, maxOutputTokens: 100 }] })
const judge = llmDecisions({ models: [{ name: 'judge', model: 'globex/m', mode: 'logprobs' }] })
const asked: GenerationRequest = {
  model: 'globex/m',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
}

interface Stage {
  readonly under: GatewayUnderTest
  /** US dollars that the key has spent. Fails the test unless a ledger without holds has as much left. */
  spent(capUsd: number): Promise<number>
}

async function stage(t: Test, plugins: readonly PluginUse[], key: object, options: Omit<Options, 'plugins' | 'key'> = {}): Promise<Stage> {
  const charged = stores()
  const under = await gateway({
    settings: { logLevel: 'silent', creditWaitMs: 60_000 },
    ...options,
    plugins: [decisions({}), charged.plugin, listed, ...plugins],
    key: { name: 'demo', ...key },
  })
  t.teardown(under.stop)
  return {
    under,
    async spent(capUsd) {
      const { keyId } = (await under.recorded(1))[0]!
      const account = `key:${keyId}`
      const { ledger } = charged.of()
      const usd = (await ledger.spent([{ account }]))[0]!
      const all = { atLeast: Math.max(0, capUsd - usd - 1e-9), atMost: capUsd }
      const rest = await ledger.reserve('test', { caps: [{ account, level: 'key', capUsd }] }, all)
      t.notOk('short' in rest, 'nothing is held any more')
      if (!('short' in rest)) await rest.release()
      return usd
    },
  }
}

function near(t: Test, found: number | null, wanted: number, message: string): void {
  t.ok(found !== null && Math.abs(found - wanted) < 2e-9, `${message}: ${found} is ${wanted}`)
}

function questions(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`q${index}`, { type: 'noul', instructions: 'Is it so?' }]))
}

for (const count of [4, 20])
  t.test(`${count} questions fit under a cap that holds one call at a time`, async t => {
    const model = witness('globex', ({ request }) => engine(request, () => 0))
    const spendCapUsd = maxUsd + (count - 1) * callUsd
    const { under, spent } = await stage(t, [judge, model.plugin], { spendCapUsd })
    const { status, id } = await decide(under, { model: 'llm/judge', questions: questions(count) })
    t.equal(status, 200)
    t.equal(model.calls.length, count)
    const { costUsd } = await under.record(id)
    near(t, costUsd, count * callUsd, 'the record')
    near(t, await spent(spendCapUsd), costUsd!, 'the ledger')
  })

t.test('decisions at once take turns under a cap', async t => {
  const model = witness('globex', ({ request }) => engine(request, () => 0))
  const spendCapUsd = maxUsd + 15 * callUsd
  const { under, spent } = await stage(t, [judge, model.plugin], { spendCapUsd })
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => decide(under, { model: 'llm/judge', questions: questions(4) })))
  t.same(
    outcomes.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  near(t, await spent(spendCapUsd), 16 * callUsd, 'the ledger')
})

t.test('the calls of a decision wait for credit as one request, of which 32 may wait', async t => {
  const model = witness('globex', ({ request }) => engine(request, () => 0))
  const spendCapUsd = maxUsd + 63 * callUsd
  const { under, spent } = await stage(t, [judge, model.plugin], { spendCapUsd })
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => decide(under, { model: 'llm/judge', questions: questions(8) })))
  t.same(
    outcomes.map(({ status }) => status),
    outcomes.map(() => 200),
  )
  near(t, await spent(spendCapUsd), 64 * callUsd, 'the ledger')
})

t.test('a decision whose calls the cap refuses has one note of it', async t => {
  const model = witness('globex', ({ request }) => engine(request, () => 0))
  const { under } = await stage(t, [judge, model.plugin], { spendCapUsd: 0.0001 })
  const { status, id } = await decide(under, { model: 'llm/judge', questions: questions(8) })
  t.equal(status, 402)
  t.same(
    (await under.record(id)).notes.map(({ kind }) => kind),
    ['credit'],
  )
})

t.test('a decision that fails pays for the calls before', async t => {
  const model = witness('globex', ({ request }, count) => {
    if (count > 2) throw new ProviderFailure({ kind: 'refused', message: 'no' })
    return engine(request, () => 0)
  })
  const one = llmDecisions({ concurrency: 1, models: [{ name: 'judge', model: 'globex/m', mode: 'logprobs' }] })
  const { under, spent } = await stage(t, [one, model.plugin], { spendCapUsd: 1 })
  const { status, id } = await decide(under, { model: 'llm/judge', questions: questions(4) })
  t.not(status, 200)
  const { costUsd } = await under.record(id)
  near(t, costUsd, 2 * callUsd, 'the record')
  near(t, await spent(1), costUsd!, 'the ledger')
})

t.test('too small a cap is a 402, and what was asked before is charged', async t => {
  const model = witness('globex', ({ request }) => engine(request, () => 0))
  const { under, spent } = await stage(t, [judge, model.plugin], { spendCapUsd: maxUsd })
  const { status, id, detail } = await decide(under, { model: 'llm/judge', questions: questions(20) })
  t.same([status, detail.error_type], [402, 'insufficient_credits'])
  t.notMatch(detail.message, /under way/, 'nothing else holds it')
  const { costUsd } = await under.record(id)
  t.ok(costUsd! > 0 && costUsd! < maxUsd)
  near(t, await spent(maxUsd), costUsd!, 'the ledger')
})

t.test('a caller that leaves pays for what was said', async t => {
  const reached = Promise.withResolvers<void>()
  const model = scripted('globex', async function* ({ request, signal }): AsyncGenerator<GenerationEvent> {
    if (++count === 1) return yield* engine(request, () => 0)
    yield text('y')
    yield usage(40, 1)
    if (count === 3) reached.resolve()
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))
  })
  let count = 0
  const { under, spent } = await stage(t, [judge, model], { spendCapUsd: 1 })
  const leaving = new AbortController()
  const pending = decide(under, { model: 'llm/judge', questions: questions(3) }, { signal: leaving.signal }).catch(() => undefined)
  await reached.promise
  await new Promise(setImmediate)
  leaving.abort()
  await pending
  const { status, costUsd } = (await under.recorded(1))[0]!
  t.equal(status, 499)
  near(t, costUsd, callUsd + (2 * 41 * 10) / 1e6, 'the record')
  near(t, await spent(1), costUsd!, 'the ledger')
})

t.test('the whole hold of a call whose cost is unknown counts, and what the others cost', async t => {
  const unknown: GenerationEvent = { type: 'usage', usage: { ...noUsage, toolCalls: { web_search: 1 }, output: 1 } }
  const model = witness('globex', (_, count) => [text('y'), count === 1 ? unknown : usage(40, 1), stop])
  const acme = deciding('acme', calling([asked, asked]), {}, free)
  const { under, spent } = await stage(t, [acme.plugin, model.plugin], { spendCapUsd: 1 })
  const { status, id } = await decide(under)
  t.equal(status, 200)
  t.equal((await under.record(id)).costUsd, null)
  const usd = await spent(1)
  t.ok(usd > 410 / 1e6 + 1_000 / 1e6 && usd < 410 / 1e6 + 1_500 / 1e6, `${usd} USD: 100 tokens of output were held`)
})

t.test('in a window of tokens, a call replaces its estimate before the next one', async t => {
  const model = witness('globex', () => [text('y'), usage(4, 1), stop])
  const brief = { ...asked, max_output_tokens: 100 }
  const acme = deciding('acme', calling(Array.from({ length: 5 }, () => brief)), {}, free)
  const limits = [{ tokens: 200, windowMs: 60_000 }]
  const { under } = await stage(t, [acme.plugin, model.plugin], { limits })
  const { status, id } = await decide(under)
  t.equal(status, 200)
  t.match((await under.record(id)).usage, { uncachedInput: 20, output: 5 })
  const ask = async (inputTokens: number): Promise<number> =>
    (await under.request('/v1/responses', { body: { model: 'globex/m', input: 'text'.repeat(inputTokens) } })).status
  t.equal(await ask(100), 429, 'of 200 tokens, 25 are used, and 100 of output are held')
  t.equal(await ask(60), 200)
})

for (const [how, leave] of [
  ['in the middle', async (replies: AsyncIterator<GenerationEvent>) => void (await replies.next())],
  [
    'while it waits for more',
    async (replies: AsyncIterator<GenerationEvent>) => {
      for (let count = 0; count < 2; count++) await replies.next()
      void replies.next().catch(() => {})
    },
  ],
] as const)
  t.test(`a call that a client forgets ${how} ends with the decision, and is charged`, async t => {
    const aborted = Promise.withResolvers<void>()
    const model = scripted('globex', async function* ({ signal }): AsyncGenerator<GenerationEvent> {
      signal.addEventListener('abort', () => aborted.resolve(), { once: true })
      yield text('y')
      yield usage(40, 1)
      await aborted.promise
    })
    const acme = deciding(
      'acme',
      async ({ request, generate }) => {
        await leave(generate(asked)[Symbol.asyncIterator]())
        return reply(request)
      },
      {},
      free,
    )
    const { under, spent } = await stage(t, [acme.plugin, model], { spendCapUsd: 1 })
    const { status, id } = await decide(under)
    t.equal(status, 200)
    await aborted.promise
    const { costUsd, attempts } = await under.record(id)
    t.ok(costUsd! > 0)
    t.same(attempts.map(({ outcome }) => outcome).toSorted(), ['left', 'ok'])
    near(t, await spent(1), costUsd!, 'the ledger')
  })

t.test('what a call cost is free no more, but the rest of its hold is, while the decision goes on', async t => {
  const model = witness('globex', () => [text('y'), usage(40, 1), stop])
  const going = Promise.withResolvers<void>()
  const called = Promise.withResolvers<void>()
  const acme = deciding(
    'acme',
    async call => {
      const answer = await calling([asked])(call)
      called.resolve()
      await going.promise
      return answer
    },
    {},
    free,
  )
  // A call holds more than 0.001 USD for its output.
  const { under, spent } = await stage(t, [acme.plugin, model.plugin], { spendCapUsd: 0.002 }, { settings: { creditWaitMs: 0 } })
  const deciding1 = decide(under)
  await called.promise
  const other = await under.request('/v1/responses', { body: { model: 'globex/m', input: 'hi', max_output_tokens: 100 } })
  t.equal(other.status, 200)
  t.equal(other.headers.get('x-gateway-warnings'), null)
  going.resolve()
  t.equal((await deciding1).status, 200)
  near(t, await spent(0.002), (2 * 41 * 10) / 1e6, 'the ledger')
})

function calling(requests: readonly GenerationRequest[]) {
  return async ({ request, generate }: DecisionCall) => {
    for (const each of requests) for await (const _ of generate(each)) continue
    return reply(request, { usage: undefined })
  }
}
