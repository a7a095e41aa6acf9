import { calcPrice } from '@pydantic/genai-prices'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { noUsage } from '../../../core/contracts/events.ts'
import type { Price, TokenUsage } from '../../../core/index.ts'
import { Bill, costOf, highestCostOf, soundUsage } from '../../../core/billing/cost.ts'
import { genaiPrices } from '../../../scripts/catalog/genai-prices.ts'
import { bundledIndex } from '../../kit/bundled-index.ts'
import { gateway, saying } from '../../kit/gateway.ts'
import { listing } from '../../kit/stage.ts'

const index = bundledIndex()
const used = (counts: Partial<TokenUsage>): TokenUsage => ({ ...noUsage, ...counts })

/** Worked out by hand from the vendors' price lists: dollars per million tokens, and per thousand searches. */
const invoices: readonly (readonly [provider: string, model: string, usage: Partial<TokenUsage>, usd: number, how: string])[] = [
  ['openai', 'gpt-4.1', { uncachedInput: 10_000, cacheRead: 40_000, output: 2_000 }, 0.056, '10k × 2 + 40k × 0.50 + 2k × 8'],
  ['openai', 'gpt-4o-mini', { uncachedInput: 1_000_000, output: 1_000_000 }, 0.75, '0.15 + 0.60'],
  ['openai', 'o3', { uncachedInput: 1_000, output: 9_000, reasoning: 8_000 }, 0.074, 'reasoning is output: 1k × 2 + 9k × 8'],
  ['openai', 'gpt-5.4', { uncachedInput: 200_000, cacheRead: 72_000, output: 1_000 }, 0.533, '272k: 200k × 2.50 + 72k × 0.25 + 1k × 15'],
  ['openai', 'gpt-5.4', { uncachedInput: 200_001, cacheRead: 72_000, output: 1_000 }, 1.058505, 'one more: × 5, × 0.50, × 22.50'],
  ['openai', 'gpt-5.4', { output: 1_000, toolCalls: { web_search: 3 } }, 0.045, '1k × 15 + 3 searches × 10 ÷ 1000'],
  [
    'anthropic',
    'claude-haiku-4-5',
    { uncachedInput: 2_000, cacheWrite5m: 100_000, output: 500 },
    0.1295,
    'five minutes: 2k × 1 + 100k × 1.25 + 500 × 5',
  ],
  [
    'anthropic',
    'claude-haiku-4-5',
    { uncachedInput: 2_000, cacheWrite1h: 100_000, output: 500 },
    0.2045,
    'an hour: 2k × 1 + 100k × 2 + 500 × 5',
  ],
  [
    'anthropic',
    'claude-haiku-4-5',
    { uncachedInput: 2_000, cacheRead: 100_000, output: 500 },
    0.0145,
    'read: 2k × 1 + 100k × 0.10 + 500 × 5',
  ],
  [
    'anthropic',
    'claude-opus-4-5',
    { uncachedInput: 1_000, cacheWrite5m: 1_000, cacheWrite1h: 1_000, cacheRead: 1_000, output: 1_000 },
    0.04675,
    '5 + 6.25 + 10 + 0.50 + 25 a thousand of each',
  ],
  ['bedrock', 'claude-haiku-4-5', { cacheWrite1h: 100_000 }, 0.2, 'an hour costs twice the input there too: 100k × 2'],
  ['gemini', 'gemini-2.5-pro', { uncachedInput: 200_000, output: 10_000, reasoning: 9_000 }, 0.35, '200k × 1.25 + 10k × 10'],
  [
    'gemini',
    'gemini-2.5-pro',
    { uncachedInput: 150_000, cacheRead: 100_000, output: 10_000 },
    0.55,
    'above 200k: 150k × 2.50 + 100k × 0.25 + 10k × 15',
  ],
  ['vertex', 'gemini-2.5-pro', { uncachedInput: 300_000, output: 1_000 }, 0.765, 'above 200k: 300k × 2.50 + 1k × 15'],
  [
    'deepseek',
    'deepseek-v4-pro',
    { uncachedInput: 10_000, cacheRead: 90_000, output: 5_000 },
    0.03696,
    'miss 10k × 1.32 + hit 90k × 0.044 + 5k × 3.96',
  ],
  ['perplexity', 'sonar', { uncachedInput: 50, output: 48 }, 0.005098, '98 × 1 + one request × 5 ÷ 1000'],
]

t.test('invoices', async t => {
  for (const [provider, model, usage, usd, how] of invoices) {
    const cost = costOf(used(usage), index.endpoint(provider, model)?.price)
    t.ok(cost !== null && Math.abs(cost - usd) < 1e-9, `${provider}/${model}: ${how} = ${usd}, got ${cost}`)
  }
})

t.test('the counts of a vendor become an amount that a ledger can hold', t => {
  const price = { input: 1_000, output: 10_000 }
  const wrong = soundUsage(used({ uncachedInput: 2 ** 32 - 1, cacheRead: -5, output: 1e300, reasoning: Number.NaN }))
  t.match(wrong, { cacheRead: 0, reasoning: 0 })
  t.ok(Number.isSafeInteger(Math.round(costOf(wrong, price)! * 1e9)), 'in billionths of a dollar')
  t.same(soundUsage(used({ uncachedInput: 1_000_000, output: 128_000 })), used({ uncachedInput: 1_000_000, output: 128_000 }))
  t.end()
})

t.test('a price that is needed and unknown makes the cost unknown; one that is not needed does not', async t => {
  const price: Price = { input: 1, output: 2, cacheWrite5m: 1.25 }
  t.equal(costOf(noUsage, undefined), null)
  t.equal(costOf(noUsage, price), 0)
  t.equal(costOf(used({ cacheWrite1h: 1 }), price), null)
  t.equal(costOf(used({ cacheWrite1h: 1_000_000 }), { input: 1, output: 2 }), 1, 'where writing costs nothing more, it never does')
  t.equal(costOf(used({ cacheRead: 1_000_000 }), price), 1, 'without a price of its own, a cached token is a token')
  t.equal(costOf(used({ toolCalls: { web_search: 1 } }), price), null)
  t.equal(costOf(used({ toolCalls: { web_search: 0, file_search: 2 } }), price), 0)
  t.equal(costOf(used({ output: 3_000_000, reasoning: 1_000_000 }), { ...price, reasoning: 5 }), 9)
  t.equal(costOf(used({}), { ...price, request: 0.005 }), 0.005)
})

t.test('each request chooses its own tier, and one unknown cost makes the sum unknown', async t => {
  const price: Price = {
    input: 1,
    output: 1,
    tiers: [
      { above: 100, input: 2, output: 3 },
      { above: 200, input: 4, output: 5 },
    ],
  }
  const bill = new Bill()
  bill.add(used({ uncachedInput: 100 }), price)
  bill.add(used({ uncachedInput: 60, cacheRead: 40 }), price)
  t.match(bill, { costUsd: 0.0002, usage: { uncachedInput: 160, cacheRead: 40 } })
  bill.add(used({ uncachedInput: 201, output: 1 }), price)
  t.ok(Math.abs(bill.costUsd! - 0.001009) < 1e-12)
  bill.add(used({}), undefined)
  bill.add(used({ output: 1 }), price)
  t.equal(bill.costUsd, null)
  t.equal(highestCostOf(150, 10, price), 0.00033)
  t.equal(
    highestCostOf(1_000_000, 0, { input: 1, output: 1, cacheWrite5m: 1.25, cacheWrite1h: 2, request: 1 }),
    3,
    'the dearest life of a cache',
  )
})

t.test('where the cost turns out to be unknown, what a capped key had set aside is spent', async t => {
  const searched = { ...noUsage, output: 10, toolCalls: { web_search: 1 } }
  const under = await gateway({
    plugins: [
      listing({ model: 'm', endpoints: [{ provider: 'acme', price: { input: 0, output: 1_000 } }] }),
      saying('acme', [
        { type: 'text', text: 'Hello' },
        { type: 'usage', usage: searched },
        { type: 'finish', reason: 'stop' },
      ]),
    ],
    key: { name: 'test', spendCapUsd: 1 },
  })
  t.teardown(under.stop)
  const ask = (): Promise<Response> =>
    under.request('/v1/responses', { method: 'POST', body: { model: 'm', input: 'hi', max_output_tokens: 600 } })
  const first = await ask()
  t.equal(first.status, 200)
  t.equal((await under.record(first.headers.get('x-request-id')!)).costUsd, null)
  t.match((await ask()).headers.get('x-gateway-warnings'), /limited to 400/, '0.6 of 1 dollar are gone')
  t.equal((await ask()).status, 402, 'and so is the rest')
})

t.test('another calculator agrees on every tiered and cached price that both have', async t => {
  const folder = fileURLToPath(new URL('..', import.meta.resolve('@pydantic/genai-prices')))
  const usage = { cacheRead: 30_000, cacheWrite5m: 2_000, cacheWrite1h: 1_000, output: 7_000, reasoning: 0 }
  let compared = 0
  for (const { provider, wire, price } of await genaiPrices(folder, new Date().toISOString().slice(0, 10))) {
    const providerId = { anthropic: 'anthropic', openai: 'openai', gemini: 'google', xai: 'x-ai' }[provider]
    if (!price || providerId === undefined || price.reasoning !== undefined) continue
    for (const uncachedInput of [1_000, 180_000, 600_000]) {
      const cost = costOf({ ...usage, uncachedInput, ...(price.cacheWrite1h === undefined && { cacheWrite1h: 0 }) }, price)
      const { cacheRead, cacheWrite5m, output } = usage
      const cacheWrite1h = price.cacheWrite1h === undefined ? 0 : usage.cacheWrite1h
      const theirs = calcPrice(
        {
          input_tokens: uncachedInput + cacheRead + cacheWrite5m + cacheWrite1h,
          cache_read_tokens: price.cacheRead === undefined ? 0 : cacheRead,
          ...(price.cacheWrite5m !== undefined && { cache_write_tokens: cacheWrite5m + cacheWrite1h }),
          ...(cacheWrite1h > 0 && { cache_write_1h_tokens: cacheWrite1h }),
          output_tokens: output,
        },
        wire,
        { providerId },
      )
      if (!theirs) continue
      compared++
      t.ok(
        cost !== null && Math.abs(cost - theirs.total_price) <= 1e-9,
        `${provider}/${wire} at ${uncachedInput}: theirs ${theirs.total_price}, ours ${cost}`,
      )
    }
  }
  t.ok(compared > 100, `${compared} compared`)
})
