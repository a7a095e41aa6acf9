import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import t, { type Test } from 'tap'
import { ProviderFailure, type CatalogEntry, type GenerationEvent, type ProviderCall } from '../../../core/index.ts'
import { Ledger } from '../../../core/stores.ts'
import { systemClock } from '../../../core/foundation/clock.ts'
import { MemoryLedger } from '../../../plugins/stores/memory/ledger.ts'
import { gateway, scripted, type GatewayUnderTest } from '../../kit/gateway.ts'
import { ask, listing, providing, said, stop, text, usage, witness, type Answer } from '../../kit/stage.ts'

// 100 USD for a million tokens of output: 1,000 tokens, which are expected of an answer, are 0.10 USD. The longest are 0.82 USD.
const price = { input: 0, output: 100 }
const limit = 8_192

function model(capabilities: object = { efforts: [] }): CatalogEntry {
  return { model: 'm', endpoints: [{ provider: 'acme', price, maxOutputTokens: limit, tokenizer: 'o200k_base', capabilities }] }
}

const words = 'The gateway holds what an answer may cost, and no more than it has to. '
const wordsTokens = countTokens(words)

/** An honest vendor: `times` pieces of text, and what they have. Says nothing before `gate`. */
function talking(times: number, gate: Promise<unknown> = Promise.resolve(), size = 1) {
  const calls: ProviderCall[] = []
  const ended: string[] = []
  const plugin = scripted('acme', async function* (call) {
    calls.push(call)
    call.signal.addEventListener('abort', () => ended.push(call.context.id), { once: true })
    await gate
    for (let piece = 0; piece < times; piece += size) yield text(words.repeat(size))
    yield usage(0, countTokens(words.repeat(times)))
    yield stop
  })
  return { plugin, calls, ended }
}

async function spent(under: GatewayUnderTest, answers: readonly Answer[]): Promise<number> {
  const records = await Promise.all(answers.map(({ requestId }) => under.record(requestId)))
  return records.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
}

t.test('eight plain calls at once fit under a cap that could not pay for two of the longest', async t => {
  const gate = Promise.withResolvers<void>()
  const acme = talking(10, gate.promise)
  const under = await gateway({ plugins: [acme.plugin, listing(model())], key: { name: 'k', spendCapUsd: 1, spendPeriod: 'day' } })
  t.teardown(under.stop)
  const asking = Promise.all(Array.from({ length: 8 }, () => ask(under, { model: 'm' })))
  while (acme.calls.length < 8) await new Promise(setImmediate)
  gate.resolve()
  const answers = await asking
  t.same(
    answers.map(({ status, response }) => [status, response.status]),
    answers.map(() => [200, 'completed']),
  )
  t.ok(
    acme.calls.every(({ request }) => request.stream === true && request.max_output_tokens === undefined),
    'the vendor was asked for streams, without a limit',
  )
})

for (const stream of [true, false])
  for (const size of [1, 700])
    t.test(`an answer grows its hold as it comes${stream ? ', streamed' : ''}, in pieces of ${size}`, async t => {
      const acme = talking(700, undefined, size)
      const under = await gateway({ plugins: [acme.plugin, listing(model())], key: { name: 'k', spendCapUsd: 2 } })
      t.teardown(under.stop)
      const { response, requestId } = await ask(under, { model: 'm', stream })
      t.equal(response.status, 'completed')
      t.equal(said(response), words.repeat(700))
      t.equal((await under.record(requestId)).usage?.output, countTokens(words.repeat(700)), 'what the vendor reported counts')
    })

for (const stream of [true, false])
  for (const size of [1, 700])
    t.test(`an answer ends where nothing more can be held${stream ? ', streamed' : ''}, in pieces of ${size}`, async t => {
      const gate = Promise.withResolvers<void>()
      const acme = talking(700, gate.promise, size)
      // Two of them may both reach 0.7 USD, but not at once.
      const under = await gateway({ plugins: [acme.plugin, listing(model())], key: { name: 'k', spendCapUsd: 0.7 } })
      t.teardown(under.stop)
      const asking = Promise.all([1, 2].map(() => ask(under, { model: 'm', stream })))
      while (acme.calls.length < 2) await new Promise(setImmediate)
      gate.resolve()
      const answers = await asking
      for (const { status, response, requestId } of answers) {
        t.equal(status, 200)
        t.equal(response.status, 'incomplete')
        t.same(response.incomplete_details, { reason: 'max_output_tokens' })
        const record = await under.record(requestId)
        const tokens = countTokens(said(response))
        t.ok(tokens > 900, `${tokens} tokens came`)
        t.match(record.usage, { output: tokens, estimated: true }, 'what came is charged')
        t.match(record.notes, [{ kind: 'credit', summary: { level: 'key' } }])
        t.ok(acme.ended.includes(requestId), 'the vendor was stopped')
      }
      const usd = await spent(under, answers)
      t.ok(usd <= 0.7 && usd > 0.69, `${usd} USD of 0.7`)
    })

t.test('200 at once never pass the cap, and use it up', async t => {
  const acme = talking(150)
  const under = await gateway({ plugins: [acme.plugin, listing(model())], key: { name: 'k', spendCapUsd: 3 } })
  t.teardown(under.stop)
  const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => ask(under, { model: 'm', stream: index % 2 === 0 })))
  t.same([...new Set(answers.map(({ status }) => status))].toSorted(), [200, 402])
  const usd = await spent(under, answers)
  t.ok(usd <= 3, `${usd} USD of 3`)
  t.ok(usd > 2.9, `${usd} USD of 3`)
  t.equal((await under.record(answers.find(({ status }) => status === 402)!.requestId)).notes[0]?.kind, 'credit')
})

t.test('an endpoint that may bill what it does not show is held in full', async t => {
  const cases: readonly (readonly [capabilities: object, asked: object, isShown: boolean])[] = [
    [{ efforts: [] }, {}, true],
    [{ hiddenReasoning: false }, {}, true],
    [{ hiddenReasoning: 'asked' }, {}, true],
    [{ hiddenReasoning: 'asked' }, { reasoning: { effort: 'low' } }, false],
    [{ efforts: ['low', 'high'] }, {}, false],
    [{ efforts: ['none', 'low'] }, { reasoning: { effort: 'none' } }, false],
    [{ efforts: [], streaming: false }, {}, false],
    [{ efforts: [], structuredOutput: 'none' }, { text: { format: { type: 'json_object' } } }, false],
    [{}, {}, false],
  ]
  for (const [capabilities, asked, isShown] of cases) {
    const acme = talking(1)
    const under = await gateway({ plugins: [acme.plugin, listing(model(capabilities))], key: { name: 'k', spendCapUsd: 5 } })
    await ask(under, { model: 'm', ...asked })
    t.equal(acme.calls[0]?.request.stream === true, isShown, JSON.stringify([capabilities, asked]))
    await under.stop()
  }
})

t.test('the replies of an endpoint show whether it bills what it does not show', async t => {
  const long = words.repeat(10)
  for (const [said, reported, isShown] of [
    [long, countTokens(long), true],
    [long, 5_000, false],
    // As many tokens could be hidden behind what surrounds an answer.
    [words, wordsTokens, false],
    [words, 60, false],
    ['Because.', 70, false],
  ] as const) {
    const calls: ProviderCall[] = []
    const plugin = scripted('acme', async function* (call): AsyncGenerator<GenerationEvent> {
      calls.push(call)
      yield text(said)
      yield usage(0, reported)
      yield stop
    })
    const under = await gateway({ plugins: [plugin, listing(model({}))], key: { name: 'k', spendCapUsd: 5 } })
    await ask(under, { model: 'm' })
    await ask(under, { model: 'm' })
    t.same(
      calls.map(({ request }) => request.stream === true),
      [false, isShown],
    )
    await under.stop()
  }
})

t.test('a request waits for running holds, in turn, but not for what is spent', async t => {
  const gate = Promise.withResolvers<void>()
  const acme = talking(1, gate.promise)
  const kept = new MemoryLedger(systemClock)
  const under = await gateway({
    plugins: [acme.plugin, listing(model({ hiddenReasoning: true })), providing(Ledger, kept)],
    key: { name: 'k', spendCapUsd: 1 },
    settings: { creditWaitMs: 60_000 },
  })
  t.teardown(under.stop)
  const asking = Array.from({ length: 40 }, () => ask(under, { model: 'm', max_output_tokens: limit }))
  const early = await Promise.race(asking)
  t.equal(early.status, 402, 'at most 32 wait')
  t.match(early.error.message, /^The spend cap of this API key, 1 USD, leaves no room .* Requests under way hold 1 USD of it\./)
  t.match((await under.record(early.requestId)).notes, [{ kind: 'credit', summary: { level: 'key', held_usd: 1 } }])
  gate.resolve()
  const statuses = (await Promise.all(asking)).map(({ status }) => status)
  t.same([statuses.filter(status => status === 200).length, statuses.filter(status => status === 402).length], [34, 6])
  const waited = (await under.recorded(40)).filter(({ creditWaitMs }) => creditWaitMs !== null)
  t.equal(waited.length, 32, 'those that waited say how long')

  await kept.raiseSpent({ account: `key:${acme.calls[0]!.context.caller.key.id}` }, 1)
  const late = await ask(under, { model: 'm' })
  t.equal(late.status, 402, 'at once')
  t.notMatch(late.error.message, /hold/)
})

/** A gateway whose key has no room left while its first request waits for `gate`. */
async function fullKey(t: Test, creditWaitMs: number) {
  const gate = Promise.withResolvers<void>()
  const acme = talking(1, gate.promise)
  const under = await gateway({
    plugins: [acme.plugin, listing(model({ hiddenReasoning: true }))],
    key: { name: 'k', spendCapUsd: 0.5 },
    settings: { creditWaitMs },
  })
  t.teardown(under.stop)
  const first = ask(under, { model: 'm' })
  while (acme.calls.length < 1) await new Promise(setImmediate)
  return { gate, acme, under, first }
}

t.test('a caller that leaves while waiting gives the place back', async t => {
  const { gate, acme, under, first } = await fullKey(t, 60_000)
  const leaving = new AbortController()
  const left = under.request('/v1/responses', { body: { model: 'm', input: 'hi' }, signal: leaving.signal }).catch(() => {})
  const last = ask(under, { model: 'm' })
  leaving.abort()
  await left
  gate.resolve()
  t.equal((await first).status, 200)
  t.equal((await last).status, 200)
  t.equal(acme.calls.length, 2)
})

t.test('without a time to wait, a request is refused at once', async t => {
  const { gate, under, first } = await fullKey(t, 0)
  t.equal((await ask(under, { model: 'm' })).status, 402)
  gate.resolve()
  t.equal((await first).status, 200)
})

t.test('while the ledger is away, an answer ends where its hold ends', async t => {
  const failing: Ledger = {
    reserve: () => ({
      usd: 0.1,
      reachableUsd: 5,
      extend: () => {
        throw new Error('the database is locked')
      },
      settle: () => {},
      release: () => {},
    }),
    spent: caps => caps.map(() => 0),
    raiseSpent: () => {},
    addCredit: () => undefined,
    balance: () => 0,
    entries: () => [],
  }
  const acme = talking(700)
  const under = await gateway({
    plugins: [acme.plugin, listing(model()), providing(Ledger, failing)],
    key: { name: 'k', spendCapUsd: 5 },
  })
  t.teardown(under.stop)
  const { response } = await ask(under, { model: 'm' })
  t.equal(response.status, 'incomplete')
  t.ok(countTokens(said(response)) <= 1_000)
})

t.test('a plain reply that breaks off is asked for elsewhere, and costs nothing', async t => {
  const breaking = witness('acme', function* () {
    for (let piece = 0; piece < 200; piece++) yield text(words)
    throw new ProviderFailure({ kind: 'network', message: 'The connection broke.' })
  })
  const globex = witness('globex', () => [text('Hello'), usage(0, 1), stop])
  const endpoint = { price, maxOutputTokens: limit, tokenizer: 'o200k_base', capabilities: { efforts: [] } } as const
  const under = await gateway({
    plugins: [
      breaking.plugin,
      globex.plugin,
      listing({
        model: 'm',
        endpoints: [
          { provider: 'acme', ...endpoint },
          { provider: 'globex', ...endpoint },
        ],
      }),
    ],
    key: { name: 'k', spendCapUsd: 5 },
  })
  t.teardown(under.stop)
  const { status, response, requestId } = await ask(under, { model: 'm' })
  t.same([status, said(response)], [200, 'Hello'])
  t.equal((await under.record(requestId)).costUsd, 0.0001)
})

t.test('an answer that comes at once reaches the cap, and no less', async t => {
  const cap = 0.19
  for (let count = 0; count < 10; count++) {
    const acme = talking(110)
    const under = await gateway({ plugins: [acme.plugin, listing(model())], key: { name: 'k', spendCapUsd: cap } })
    const { response } = await ask(under, { model: 'm', stream: true })
    t.equal(response.status, 'completed', `${countTokens(words.repeat(110))} of 1,900 tokens`)
    await under.stop()
  }
})

t.test('input that is held by its bytes does not end an answer', async t => {
  const acme = talking(100)
  const priced: CatalogEntry = {
    model: 'm',
    endpoints: [
      {
        provider: 'acme',
        price: { input: 10, output: 100 },
        maxOutputTokens: limit,
        tokenizer: 'o200k_base',
        capabilities: { efforts: [] },
      },
    ],
  }
  for (const input of [words.repeat(20), words.repeat(300)]) {
    // Pays for both, with 100 tokens to spare.
    const spendCapUsd = ((countTokens(input) + 20) * 10 + (countTokens(words.repeat(100)) + 100) * 100) / 1e6
    const under = await gateway({ plugins: [acme.plugin, listing(priced)], key: { name: 'k', spendCapUsd } })
    const { response } = await ask(under, { model: 'm', input })
    t.equal(response.status, 'completed', `${input.length} bytes of input`)
    await under.stop()
  }
})
