import t from 'tap'
import type { Capabilities, CatalogEntry } from '../../../core/index.ts'
import { RequestCost } from '../../../core/routing/request-cost.ts'
import { routingStage } from '../../kit/routing-stage.ts'

const counted = { tokenizer: 'o200k_base' } as const
/** 1,000 tokens, and 7 that frame them. */
const input = 'word '.repeat(999) + 'word'
const inputTokens = 1_007

/** By provider, the estimated cost in millionths of a US dollar, and the order. */
async function costs(endpoints: Readonly<Record<string, object>>, body: object = {}, means: Readonly<Record<string, number>> = {}) {
  const entry: CatalogEntry = { model: 'm', endpoints: Object.entries(endpoints).map(([provider, facts]) => ({ provider, ...facts })) }
  const stage = await routingStage([entry], { providers: Object.keys(endpoints) })
  t.teardown(stage.stop)
  for (const [provider, meanOutputTokens] of Object.entries(means))
    stage.metrics.set(`${provider}/m`, { requests: 9, samples: 9, meanOutputTokens })
  const { candidates } = (await stage.routing({ model: 'm', input, routing: { provider: { sort: 'cost' } }, ...body }))!
  return {
    order: candidates.map(({ provider }) => provider),
    costs: Object.fromEntries(candidates.map(({ provider, value }) => [provider, value === null ? null : Math.round(value * 1e6)])),
  }
}

t.test('counted input, and the output that is to be expected', async t => {
  const price = { input: 1, output: 10 }
  const endpoints = { known: { price, ...counted }, new: { price, ...counted } }
  const output = async (body: object) => {
    const { costs: found } = await costs(endpoints, body, { known: 50 })
    return Object.fromEntries(Object.entries(found).map(([provider, cost]) => [provider, (cost! - inputTokens) / 10]))
  }
  t.same(await output({}), { known: 50, new: 50 })
  t.same(await output({ max_output_tokens: 20 }), { known: 20, new: 20 })
  t.same(await output({ max_output_tokens: 100 }), { known: 50, new: 50 })
  const limited = await costs({ small: { price, maxOutputTokens: 40, ...counted }, free: { price: { input: 0, output: 0 } } })
  t.same(limited, { order: ['free', 'small'], costs: { free: 0, small: inputTokens + 3_000 } })
})

t.test('several choices: the output of each, and the input as often as it is sent', t => {
  const price = { input: 1, output: 10, request: 0.0001 }
  const request = { model: 'm', input: [], choices: 3 }
  const cost = new RequestCost(request, new Map([[undefined, 1_000]]))
  const at = (capabilities: Capabilities): number | undefined =>
    cost.at({ provider: 'acme', model: 'm', upstreamModel: 'm', listed: true, price, capabilities, zdr: false, hipaa: false }, 50)
  const micro = (usd: number | undefined): number => Math.round(usd! * 1e6)
  t.equal(micro(at({})), 3 * (1_000 + 500 + 100))
  t.equal(micro(at({ choices: true })), 1_000 + 1_500 + 100)
  t.end()
})

t.test('the same endpoints in another order for another request', async t => {
  const endpoints = {
    talker: { price: { input: 5, output: 1 }, ...counted },
    reader: { price: { input: 1, output: 20 }, ...counted },
    flat: { price: { input: 0, output: 0, request: 0.004 }, ...counted },
  }
  t.same((await costs(endpoints)).order, ['flat', 'talker', 'reader'])
  t.same((await costs(endpoints, { max_output_tokens: 16 })).order, ['reader', 'flat', 'talker'])
  t.same((await costs(endpoints, { input: 'hi', max_output_tokens: 16 })).order, ['talker', 'reader', 'flat'])
})

t.test('price tiers, searches, and prices that are not known', async t => {
  const tiers = [{ above: 1_000, input: 4, output: 8 }]
  const found = await costs({
    unpriced: counted,
    tiered: { price: { input: 1, output: 2, tiers }, ...counted },
    plain: { price: { input: 3, output: 6 }, ...counted },
  })
  t.same(found, {
    order: ['plain', 'tiered', 'unpriced'],
    costs: { plain: 3 * inputTokens + 1_800, tiered: 4 * inputTokens + 2_400, unpriced: null },
  })

  const price = { input: 1, output: 1 }
  const searching = await costs(
    {
      dear: { price: { ...price, webSearch: 0.01 }, capabilities: { webSearch: true }, ...counted },
      secret: { price, capabilities: { webSearch: true }, ...counted },
      cheap: { price: { ...price, webSearch: 0.001 }, capabilities: { webSearch: true }, ...counted },
    },
    { tools: [{ type: 'web_search' }] },
  )
  t.same(searching.order, ['cheap', 'dear', 'secret'])
  t.equal(searching.costs['dear']! - searching.costs['cheap']!, 9_000)
  t.equal(searching.costs['secret'], null)
})

t.test('images and files count, by an estimate', async t => {
  const price = { input: 1, output: 1 }
  const image = { type: 'input_image', image_url: 'https://example.com/cat.png' }
  const { costs: found } = await costs({ a: { price, ...counted }, b: { price } }, { input: [{ role: 'user', content: [image] }] })
  t.ok(found['a']! > 2_000)
  t.equal(found['a'], found['b'])
})

t.test('endpoints of one model are compared at one output, though one was asked for less so far', async t => {
  const endpoints = {
    dear: { price: { input: 2, output: 20 }, ...counted },
    cheap: { price: { input: 1, output: 10 }, ...counted },
  }
  const found = await costs(endpoints, {}, { dear: 20, cheap: 300 })
  t.same(found, { order: ['cheap', 'dear'], costs: { cheap: inputTokens + 1_600, dear: 2 * inputTokens + 3_200 } })
})

t.test('the mean of a model counts answers, not endpoints, and those of endpoints that the request leaves out', async t => {
  const price = { input: 0, output: 1 }
  const providers = ['acme', 'globex', 'initech']
  const endpoints = providers.map(provider => ({ provider, price, ...counted }))
  const stage = await routingStage([{ model: 'm', endpoints }], { providers })
  t.teardown(stage.stop)
  stage.metrics.set('acme/m', { requests: 1, samples: 1, meanOutputTokens: 1_000 })
  stage.metrics.set('globex/m', { requests: 3, samples: 3, meanOutputTokens: 200 })
  const { candidates } = (await stage.routing({ model: 'm', routing: { provider: { sort: 'cost' } } }))!
  t.same(
    candidates.map(({ value }) => Math.round(value! * 1e6)),
    [400, 400, 400],
  )
})
