import t from 'tap'
import { definePlugin, ProviderFailure, type GenerationEvent, type ProviderCall } from '../../../core/index.ts'
import { Ledger } from '../../../core/stores.ts'
import { stores } from '../../kit/accounts.ts'
import { gateway, saying, type GatewayUnderTest } from '../../kit/gateway.ts'
import { ask, listing, stop, text, usage, witness, type Witness } from '../../kit/stage.ts'

// Prices are 10 USD for a million tokens of input and 100 USD for a million of output: 100 tokens of output are a cent.
const price = { input: 10, output: 100 }
const inputUsd = 10 / 1e6
const outputUsd = 100 / 1e6
const limit = 8_192
const length: GenerationEvent = { type: 'finish', reason: 'length' }

function listed(provider = 'acme', more: object = {}) {
  return { provider, price, maxOutputTokens: limit, contextWindow: 100_000, ...more }
}

/** Answers with as much as it is allowed to. */
function greedy(excess = 0): Witness {
  return witness('acme', ({ request }) => {
    const most = (request.max_output_tokens ?? limit) + excess
    return [text('a'), text('a'), usage(10, most), request.max_output_tokens === undefined ? stop : length]
  })
}

async function costs(under: Awaited<ReturnType<typeof gateway>>, ids: readonly string[]): Promise<readonly number[]> {
  return await Promise.all(ids.map(async id => (await under.record(id)).costUsd ?? 0))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

for (const stream of [true, false])
  t.test(`200 requests at once never pass the cap${stream ? ', streamed' : ''}`, async t => {
    const acme = greedy()
    const under = await gateway({
      plugins: [acme.plugin, listing({ model: 'm', endpoints: [listed()] })],
      key: { name: 'k', spendCapUsd: 1 },
    })
    t.teardown(under.stop)
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(under, { model: 'm', stream })))
    const served = answers.filter(({ status }) => status === 200)
    t.ok(served.length > 0)
    t.same([...new Set(answers.map(({ status }) => status))].toSorted(), [200, 402])
    const spent = sum(
      await costs(
        under,
        served.map(({ requestId }) => requestId),
      ),
    )
    t.ok(spent <= 1, `${spent} USD were spent of 1`)
    t.ok(spent > 0.99, `${spent} USD were spent of 1: what is left is used up`)
    for (const { response, headers } of served) {
      const lowered = /^max_output_tokens: limited to \d+ by the spend cap/.test(headers.get('x-gateway-warnings') ?? '')
      t.equal(response.status, lowered ? 'incomplete' : 'completed')
      if (lowered) t.same(response.incomplete_details, { reason: 'max_output_tokens' })
      t.equal(response.max_output_tokens, null, 'the response shows what the caller asked for')
    }
    t.equal((await ask(under, { model: 'm', stream })).status, 402)
  })

t.test('a vendor that takes more than it was asked for passes the cap by that and no more', async t => {
  const acme = greedy(10)
  const under = await gateway({
    plugins: [acme.plugin, listing({ model: 'm', endpoints: [listed()] })],
    key: { name: 'k', spendCapUsd: 1 },
  })
  t.teardown(under.stop)
  const answers = await Promise.all(Array.from({ length: 200 }, () => ask(under, { model: 'm' })))
  const served = answers.filter(({ status }) => status === 200).map(({ requestId }) => requestId)
  const spent = sum(await costs(under, served))
  t.ok(spent <= 1 + served.length * (10 * outputUsd + 1e-9), `${spent} USD for ${served.length} answers`)
  t.equal((await ask(under, { model: 'm' })).status, 402, 'the excess counts')
})

async function limitsAsked(calls: readonly ProviderCall[]): Promise<readonly (number | undefined)[]> {
  return calls.map(({ request }) => request.max_output_tokens)
}

t.test('the least answer is 16 tokens, the most what the caller, the endpoint or its context window allows', async t => {
  const cases: readonly (readonly [capUsd: number, endpoint: object, asked: object, status: number, limit: number | undefined])[] = [
    // The input is 9 tokens at most: 0.00009 USD.
    [0.00009 + 16 * outputUsd, {}, {}, 200, 16],
    [0.00009 + 15 * outputUsd, {}, {}, 402, undefined],
    [0.00009 + 15 * outputUsd, {}, { max_output_tokens: 15 }, 200, 15],
    [0.00009 + 500 * outputUsd, {}, { max_output_tokens: 1_000 }, 200, 500],
    [0.00009 + 500 * outputUsd, {}, { max_output_tokens: 500 }, 200, 500],
    [0.00009 + limit * outputUsd, {}, {}, 200, undefined],
    [0.00009 + limit * outputUsd, {}, { max_output_tokens: 100_000 }, 200, limit],
    [0.00009 + limit * outputUsd, { maxOutputTokens: undefined }, {}, 200, limit],
    [0.00009 + 10_000 * outputUsd, { maxOutputTokens: undefined, contextWindow: 10_000 }, {}, 200, undefined],
    [0.00009 + 32_768 * outputUsd, { maxOutputTokens: undefined, contextWindow: undefined }, {}, 200, undefined],
    [0.00109 + 500 * outputUsd, { price: { ...price, request: 0.001 } }, {}, 200, 500],
    [0.00009 + 500 * outputUsd, { price: { ...price, reasoning: 200 } }, {}, 200, 250],
    // A tool adds 5 tokens, and 10 searches are assumed.
    [0.10014 + 500 * outputUsd, { price: { ...price, webSearch: 0.01 } }, { tools: [{ type: 'web_search' }] }, 200, 500],
    [0.10014 + 15 * outputUsd, { price: { ...price, webSearch: 0.01 } }, { tools: [{ type: 'web_search' }] }, 402, undefined],
  ]
  for (const [spendCapUsd, endpoint, asked, status, outputLimit] of cases) {
    const acme = witness('acme', () => [text('a'), usage(9, 1), stop])
    const plugins = [acme.plugin, listing({ model: 'm', endpoints: [listed('acme', endpoint)] })]
    const under = await gateway({ plugins, key: { name: 'k', spendCapUsd } })
    const name = JSON.stringify([spendCapUsd, endpoint, asked])
    t.equal((await ask(under, { model: 'm', ...asked })).status, status, name)
    if (status === 200) t.same(await limitsAsked(acme.calls), [outputLimit], name)
    else t.equal(acme.calls.length, 0)
    await under.stop()
  }
})

t.test('input is held by its bytes, and counted where that is too much', async t => {
  const long = 'word '.repeat(4_000)
  const chinese = '数'.repeat(4_000)
  // 4,000 tokens in 20,000 bytes are 0.04 USD; without the model's own vocabulary they are taken for half as many again.
  for (const [input, capUsd, tokenizer, status] of [
    [long, 0.05, 'o200k_base', 200],
    [long, 0.05, undefined, 402],
    [long, 0.07, undefined, 200],
    [chinese, 0.03, 'o200k_base', 402],
  ] as const) {
    const acme = witness('acme', () => [text('a'), usage(4_000, 1), stop])
    const plugins = [acme.plugin, listing({ model: 'm', endpoints: [listed('acme', { tokenizer })] })]
    const under = await gateway({ plugins, key: { name: 'k', spendCapUsd: capUsd } })
    t.equal((await ask(under, { model: 'm', input })).status, status, `${input.slice(0, 4)} ${capUsd} ${tokenizer}`)
    await under.stop()
  }
})

t.test('a fallback is limited by its own price, and what is too dear is passed over', async t => {
  const dear = witness('acme', () => [text('a'), usage(9, 1), stop])
  const cheap = witness('globex', () => [text('b'), usage(9, 1), stop])
  const endpoints = [listed('acme', { price: { input: 1_000, output: 10_000 } }), listed('globex')]
  const under = await gateway({
    plugins: [dear.plugin, cheap.plugin, listing({ model: 'm', endpoints })],
    key: { name: 'k', spendCapUsd: 0.00009 + 500 * outputUsd },
  })
  t.teardown(under.stop)
  const { status, headers } = await ask(under, { model: 'm' })
  t.equal(status, 200)
  t.equal(headers.get('x-gateway-provider'), 'globex')
  t.equal(dear.calls.length, 0)
  t.same(await limitsAsked(cheap.calls), [500])
})

t.test('the known or possible cost of a failed attempt is not available to the next', async t => {
  const capUsd = 0.00009 + 500 * outputUsd
  const failing = (kind: 'timeout' | 'protocol' | 'unavailable', told?: GenerationEvent) =>
    witness('acme', function* () {
      if (told) yield told
      throw new ProviderFailure({ kind, message: 'no' })
    })
  const stage = async (first: Witness): Promise<{ under: GatewayUnderTest; second: Witness }> => {
    const second = witness('globex', () => [text('b'), usage(9, 1), stop])
    const endpoints = [listed('acme'), listed('globex')]
    const plugins = [first.plugin, second.plugin, listing({ model: 'm', endpoints })]
    return { under: await gateway({ plugins, key: { name: 'k', spendCapUsd: capUsd } }), second }
  }
  for (const stream of [true, false]) {
    const refused = await stage(failing('unavailable'))
    t.equal((await ask(refused.under, { model: 'm', stream })).status, 200)
    t.same(await limitsAsked(refused.second.calls), [500], 'what was refused is not billed')
    await refused.under.stop()

    const late = await stage(failing('timeout'))
    const { status, headers, requestId } = await ask(late.under, { model: 'm', stream })
    t.equal(status, 504, 'the failure is the reason, and the credit that it may have used up why nobody else was asked')
    t.equal(headers.get('x-gateway-warnings'), 'routing: not asked for lack of credit: globex/m')
    t.same((await late.under.record(requestId)).routing!.passedOver, { credit: 1 })
    t.equal(late.second.calls.length, 0)
    t.equal((await ask(late.under, { model: 'globex/m', stream })).status, 200, 'but what nobody knows of is not charged')
    await late.under.stop()

    const unmade = await stage(
      witness('acme', () => {
        throw new ProviderFailure({ kind: 'timeout', progress: 'none', message: 'no connection' })
      }),
    )
    t.equal((await ask(unmade.under, { model: 'm', stream })).status, 200, 'without a connection, nothing was generated')
    await unmade.under.stop()

    const told = await stage(failing('protocol', usage(9, 300)))
    t.equal((await ask(told.under, { model: 'm', stream })).status, 200)
    t.same(await limitsAsked(told.second.calls), [199], 'what was told is spent')
    t.equal((await ask(told.under, { model: 'globex/m', stream })).status, 200)
    t.ok((await limitsAsked(told.second.calls))[1]! < 200, 'for good')
    await told.under.stop()
  }
})

t.test('a round that the cap does not cover ends the answer, incomplete', async t => {
  const pause: GenerationEvent = { type: 'finish', reason: 'pause' }
  for (const stream of [true, false]) {
    const acme = witness('acme', ({ request }, count) => [
      text(`${count} `),
      usage(9, request.max_output_tokens!),
      count < 3 ? pause : stop,
    ])
    const under = await gateway({
      plugins: [acme.plugin, listing({ model: 'm', endpoints: [listed()] })],
      key: { name: 'k', spendCapUsd: 0.06 },
    })
    t.teardown(under.stop)
    const { status, response } = await ask(under, { model: 'm', max_output_tokens: 400, stream })
    t.equal(status, 200)
    t.equal(response.status, 'incomplete')
    t.same(response.incomplete_details, { reason: 'max_output_tokens' })
    const [first, second, ...others] = await limitsAsked(acme.calls)
    t.equal(first, 400)
    t.ok(second! < 200 && second! > 180, `${second} tokens are left for the second round`)
    t.same(others, [])
  }
})

t.test('a key that may use unpriced models is not limited on them', async t => {
  const acme = witness('acme', () => [text('a'), usage(9, 1), stop])
  const under = await gateway({ plugins: [acme.plugin], key: { name: 'k', spendCapUsd: 0.000001, allowUnpriced: true } })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'acme/any' })).status, 200)
  t.same(await limitsAsked(acme.calls), [undefined])
})

t.test('without the ledger, a request under a cap is refused, and told when to come back', async t => {
  const locked = (): never => {
    throw new Error('the database is locked')
  }
  const ledger = definePlugin({
    name: 'locked-ledger',
    options: { type: 'object', additionalProperties: false, properties: {} },
    provides: [Ledger],
    setup(gateway) {
      const nothing = { spent: () => [], raiseSpent: locked, addCredit: locked, balance: locked, entries: () => [] }
      gateway.provide(Ledger, { reserve: locked, ...nothing })
    },
  })
  const acme = greedy()
  const under = await gateway({
    plugins: [acme.plugin, listing({ model: 'm', endpoints: [listed()] }), ledger({})],
    key: { name: 'k', spendCapUsd: 1 },
  })
  t.teardown(under.stop)
  const reply = await under.request('/v1/responses', { body: { model: 'm', input: 'hi' } })
  t.equal(reply.status, 503)
  t.match([reply.headers.get('retry-after'), reply.headers.get('x-should-retry')], ['1', 'true'])
  t.match(await reply.text(), /The spend caps and credit for this request cannot be read right now/)
  t.equal(acme.calls.length, 0)
})

t.test('the cost of a record is what was charged, with what failed attempts cost', async t => {
  const failing = (told?: GenerationEvent) =>
    witness('acme', function* () {
      if (told) yield told
      throw new ProviderFailure({ kind: 'protocol', message: 'no' })
    })
  for (const stream of [true, false]) {
    const charged = stores()
    const first = failing(usage(9, 300))
    const second = saying('globex', [text('b'), usage(9, 1), stop])
    const prices = listing({ model: 'm', endpoints: [listed('acme'), listed('globex')] })
    const key = { name: 'k', spendCapUsd: 1 }
    const under = await gateway({ plugins: [first.plugin, second, prices, charged.plugin], key, settings: { logLevel: 'silent' } })
    const spent = async (keyId: string | null): Promise<number> => (await charged.of().ledger.spent([{ account: `key:${keyId}` }]))[0]!
    const answered = await under.record((await ask(under, { model: 'm', stream })).requestId)
    const [lost, rest] = answered.attempts
    const lostUsd = 9 * inputUsd + 300 * outputUsd
    t.match([lost?.outcome, rest?.outcome, rest?.costUsd], ['protocol', 'ok', undefined])
    t.ok(Math.abs(lost!.costUsd! - lostUsd) < 1e-9, 'the attempt shows its share')
    t.ok(Math.abs(answered.costUsd! - lostUsd - 9 * inputUsd - outputUsd) < 1e-9)
    t.match(answered.usage, { uncachedInput: 9, output: 1 }, 'tokens are those of the answer')
    const failed = await under.record((await ask(under, { model: 'acme/m', stream })).requestId)
    t.match(failed, { status: 424, usage: null })
    t.ok(Math.abs(failed.costUsd! - lostUsd) < 1e-9)
    t.ok(Math.abs((await spent(answered.keyId)) - answered.costUsd! - failed.costUsd!) < 1e-9)
    await under.stop()
  }
})
