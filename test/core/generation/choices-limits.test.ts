import t from 'tap'
import type { CatalogEntry, GenerationEvent, Price } from '../../../core/index.ts'
import { listing, stop, text, usage, witness } from '../../kit/stage.ts'
import { lookup } from '../../kit/tool-stage.ts'
import { stage, texts } from './choices-stage.ts'

// 100 USD for a million tokens of output: the longest choice, of 1,000 tokens, is 0.10 USD.
const price: Price = { input: 0, output: 100 }
const longest = 1_000
const choice: GenerationEvent = { type: 'choice', reason: 'stop' }

function model(choices: boolean, more: object = {}): CatalogEntry {
  const capabilities = { choices, efforts: [] }
  return { model: 'm', endpoints: [{ provider: 'acme', price, maxOutputTokens: longest, capabilities, ...more }] }
}

/** Generates as much as it may. Its input has 10 tokens. */
function greedy(input = 10) {
  return witness('acme', ({ request }) => {
    const { choices = 1, max_output_tokens: limit = longest } = request
    const others = Array.from({ length: choices - 1 }, () => [choice, text('words')]).flat()
    return [text('words'), ...others, usage(input, limit * choices), stop]
  })
}

function rounded(usd: number | null): number {
  return Math.round(usd! * 1e9) / 1e9
}

for (const native of [true, false]) {
  const how = native ? 'in one reply' : 'asked one by one'

  t.test(`a cap that covers all choices limits none, ${how}`, async t => {
    const acme = greedy()
    const { choose } = await stage(t, [acme.plugin, listing(model(native))], { key: { name: 'k', spendCapUsd: 0.3 } })
    const told = await choose()
    t.same(texts(told), ['words', 'words', 'words'])
    t.ok(acme.calls.every(({ request }) => request.max_output_tokens === undefined))
    t.equal(rounded(told.record.costUsd), 0.3)
  })

  t.test(`a cap that covers less limits each choice alike, ${how}`, async t => {
    const acme = greedy()
    const { choose } = await stage(t, [acme.plugin, listing(model(native))], { key: { name: 'k', spendCapUsd: 0.15 } })
    const told = await choose()
    t.ok(acme.calls.every(({ request }) => request.max_output_tokens === 500))
    t.equal(rounded(told.record.costUsd), 0.15)
    t.match((await choose()).error, { status: 402 }, 'all of it is spent')
  })

  t.test(`a cap that does not cover the shortest choices is a 402, ${how}`, async t => {
    const acme = greedy()
    // 16 tokens each are worth asking for.
    const { choose } = await stage(t, [acme.plugin, listing(model(native))], { key: { name: 'k', spendCapUsd: 0.0047 } })
    t.match((await choose()).error, { status: 402 })
    t.equal(acme.calls.length, 0)
    t.equal((await choose({ choices: 2 })).error, undefined)
  })

  t.test(`a key never exceeds its cap, however many ask, ${how}`, async t => {
    for (const cap of [0.05, 0.31, 0.9]) {
      const acme = greedy(500)
      const entry = model(native, { price: { input: 50, output: 100, request: 0.001 }, contextWindow: 500 })
      const { choose, under } = await stage(t, [acme.plugin, listing(entry)], {
        key: { name: 'k', spendCapUsd: cap },
        settings: { logLevel: 'silent', creditWaitMs: 0 },
      })
      // One after the other: each takes what the ones before it left.
      for (const choices of [4, 2, 8, 3]) t.match((await choose({ choices, instructions: 'word '.repeat(400) })).record.status, /200|402/)
      const spent = under.records.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
      t.ok(spent <= cap + 1e-9, `${spent} of ${cap}`)
    }
  })

  t.test(`a window of tokens counts all choices, ${how}`, async t => {
    const acme = greedy()
    const key = { name: 'k', limits: [{ tokens: 2_000, windowMs: 60_000 }] }
    const { choose } = await stage(t, [acme.plugin, listing(model(native))], { key })
    t.match((await choose({ choices: 3, max_output_tokens: 800 })).error, { status: 429 })
    t.equal((await choose({ choices: 2, max_output_tokens: 800 })).error, undefined)
  })
}

t.test('input is held once for each time that it is sent', async t => {
  const limits = await Promise.all(
    [true, false].map(async native => {
      const acme = greedy(500)
      const entry = model(native, { price: { input: 100, output: 100 }, contextWindow: 500 })
      const { choose } = await stage(t, [acme.plugin, listing(entry)], { key: { name: 'k', spendCapUsd: 0.25 } })
      const told = await choose({ choices: 2, instructions: 'word '.repeat(400) })
      t.ok(told.record.costUsd! <= 0.25)
      return acme.calls[0]!.request.max_output_tokens
    }),
  )
  t.same(limits, [undefined, 750])
})

t.test('a reply that fails after its usage has less left for the next one', async t => {
  const acme = witness('acme', ({ request }, count) => {
    if (count === 1) return [usage(1_000, 0)]
    const { max_output_tokens: limit = longest } = request
    return [text('words'), usage(1_000, limit), stop]
  })
  const entry = model(false, { price: { input: 100, output: 100 }, contextWindow: 1_000 })
  const { choose } = await stage(t, [acme.plugin, listing(entry)], {
    key: { name: 'k', spendCapUsd: 0.5 },
    settings: { logLevel: 'silent', retries: 1 },
  })
  const told = await choose({ choices: 2, instructions: 'word '.repeat(900) })
  t.equal(told.error, undefined)
  t.ok(told.record.costUsd! <= 0.5 + 1e-9, String(told.record.costUsd))
})

t.test('several choices cannot be combined with tools that the gateway runs', async t => {
  const acme = greedy()
  const { choose } = await stage(t, [acme.plugin, listing(model(true)), lookup().plugin])
  t.match((await choose({ tools: [{ type: 'lookup' } as never] })).error, { status: 400, param: 'choices' })
  t.equal(acme.calls.length, 0)
  t.equal((await choose({ tools: [{ type: 'lookup' } as never], choices: undefined })).error, undefined)
})

t.test('an answer that is too large ends, wherever its choices wait', async t => {
  const acme = witness('acme', () => [text('x'.repeat(10_000)), usage(1, 1), stop])
  const settings = { logLevel: 'silent', maxAnswerBytes: 50_000 } as const
  const { choose } = await stage(t, [acme.plugin, listing(model(false))], { settings })
  t.match((await choose({ choices: 4, stream: false })).error, { message: /maxAnswerBytes/ })
  t.equal((await choose({ choices: 2, stream: false })).error, undefined)
})
