import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import t from 'tap'
import { listing } from '../kit/stage.ts'
import { stage } from './stage.ts'

const many = Array.from({ length: 25 }, (_, index) => ({
  model: `house-${index}`,
  created: 1_767_225_600,
  endpoints: [{ provider: 'openai-chat', contextWindow: 1_000, maxOutputTokens: 100, price: { input: 1, output: 2 } }],
}))

t.test('the SDK of OpenAI lists models', async t => {
  const { baseURL, apiKey } = await stage(t, [listing(...many)])
  const client = new OpenAI({ baseURL, apiKey })
  const ids: string[] = []
  for await (const model of client.models.list()) ids.push(model.id)
  t.equal(ids[0], 'auto')
  t.ok(many.every(({ model }) => ids.includes(model)))
  t.match(await client.models.retrieve('house-3'), {
    id: 'house-3',
    object: 'model',
    created: 1_767_225_600,
    context_length: 1_000,
    pricing: { input: 1, completion: '0.000002' },
  })
})

t.test('the SDK of Anthropic lists models, page by page in both directions', async t => {
  const { url, apiKey } = await stage(t, [listing(...many)])
  const client = new Anthropic({ baseURL: url, apiKey })
  const ids: string[] = []
  for await (const model of client.models.list({ limit: 7 })) ids.push(model.id)
  t.equal(ids[0], 'auto')
  t.equal(new Set(ids).size, ids.length, 'each once')
  t.ok(many.every(({ model }) => ids.includes(model)))
  const last = ids.at(-1)!
  const back: string[] = []
  for (let page = await client.models.list({ limit: 7, before_id: last }); ; page = await page.getNextPage()) {
    back.unshift(...page.data.map(({ id }) => id))
    if (!page.hasNextPage()) break
  }
  t.same([...back, last], ids)
  t.match(await client.models.retrieve('house-3'), {
    type: 'model',
    id: 'house-3',
    display_name: 'house-3',
    created_at: '2026-01-01T00:00:00Z',
    max_input_tokens: 1_000,
    max_tokens: 100,
  })
  await t.rejects(async () => await client.models.retrieve('nobody'), Anthropic.NotFoundError)
  await t.rejects(async () => await new Anthropic({ baseURL: url, apiKey: 'wrong' }).models.list(), Anthropic.AuthenticationError)
})
