import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import t, { type Test } from 'tap'
import decisions from '../../plugins/endpoints/decisions/index.ts'
import embeddings from '../../plugins/endpoints/embeddings/index.ts'
import messages from '../../plugins/endpoints/messages/index.ts'
import openaiResponses from '../../plugins/providers/openai-responses/index.ts'
import { openaiReply, vendor } from '../kit/embedding-vendors.ts'
import { listeningGateway, type ListeningGateway } from '../kit/gateway.ts'
import { listing, stop, text, usage, witness } from '../kit/stage.ts'
import { FakeClock } from '../kit/set-up.ts'

// Each surface tells its callers, in the names that they know, how the windows of their key stand, and what a request cost.

async function open(t: Test): Promise<ListeningGateway> {
  const openai = await vendor(t, openaiReply)
  const under = await listeningGateway({
    clock: new FakeClock(),
    plugins: [
      messages({}),
      embeddings({}),
      decisions({}),
      witness('acme', () => [text('Hello'), usage(3, 2), stop]).plugin,
      openaiResponses({ baseUrl: openai.url, apiKey: 'sk-demo' }),
      listing(
        { model: 'm', endpoints: [{ provider: 'acme', price: { input: 10_000, output: 20_000 } }] },
        { model: 'vectors', endpoints: [{ provider: 'openai', kind: 'embedding', price: { input: 2, output: 0 } }] },
      ),
    ],
    key: {
      name: 'k',
      limits: [
        { requests: 3, windowMs: 360_000 },
        { tokens: 100_000, windowMs: 60_000 },
      ],
    },
  })
  t.teardown(under.stop)
  return under
}

t.test('the SDK of Anthropic reads them, streamed or not, and so does a client that is refused', async t => {
  const { url, apiKey } = await open(t)
  const client = new Anthropic({ baseURL: url, apiKey, maxRetries: 0 })
  const body = { model: 'm', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] }
  const whole = await client.messages.create(body).withResponse()
  const told = ({ headers }: Response) => Object.fromEntries([...headers].filter(([name]) => name.includes('ratelimit')))
  const shown = told(whole.response)
  t.same(Object.keys(shown).toSorted(), [
    'anthropic-ratelimit-requests-limit',
    'anthropic-ratelimit-requests-remaining',
    'anthropic-ratelimit-requests-reset',
    'anthropic-ratelimit-tokens-limit',
    'anthropic-ratelimit-tokens-remaining',
    'anthropic-ratelimit-tokens-reset',
  ])
  t.match(shown, { 'anthropic-ratelimit-requests-remaining': '2', 'anthropic-ratelimit-requests-reset': '2026-01-01T00:06:00Z' })
  t.match(whole.data.usage, { cost_usd: 0.07 })
  // This helper keeps only the members of the usage that it knows, so the cost is in the event alone.
  const costs: unknown[] = []
  const stream = client.messages.stream(body)
  stream.on('streamEvent', event => void (event.type === 'message_delta' && costs.push((event.usage as { cost_usd?: number }).cost_usd)))
  t.equal((await stream.finalMessage()).usage.output_tokens, 2)
  t.same(costs, [0.07])
  const streamed = await client.messages.create({ ...body, stream: true }).withResponse()
  t.match(told(streamed.response), { 'anthropic-ratelimit-requests-remaining': '0' })
  for await (const event of streamed.data) if (event.type === 'message_delta') t.match(event.usage, { cost_usd: 0.07 })
  const refused: unknown = await client.messages.create(body).catch((error: unknown) => error)
  if (!(refused instanceof Anthropic.RateLimitError)) return void t.fail('expected a 429')
  t.equal(refused.headers.get('anthropic-ratelimit-requests-remaining'), '0')
  t.equal(refused.headers.get('anthropic-ratelimit-requests-reset'), '2026-01-01T00:06:00Z')
  t.equal(refused.headers.get('retry-after'), '360')
})

t.test('the SDK of OpenAI reads them of responses, embeddings and decisions', async t => {
  const { url, apiKey, request } = await open(t)
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
  const remaining = ({ headers }: Response) => headers.get('x-ratelimit-remaining-requests')
  const responded = await client.responses.create({ model: 'm', input: 'Hi' }).withResponse()
  t.equal(remaining(responded.response), '2')
  t.equal(responded.response.headers.get('x-ratelimit-reset-requests'), '6m0s')
  const embedded = await client.embeddings.create({ model: 'vectors', input: 'Hi' }).withResponse()
  t.equal(remaining(embedded.response), '1')
  t.ok(Number(embedded.response.headers.get('x-ratelimit-remaining-tokens')) < 100_000)
  const decision = { model: 'sandbox/dm', state: 's', questions: { q: { type: 'noul', instructions: 'Is it?' } } }
  t.equal(remaining(await request('/v1/systemone', { body: decision })), '0')
  const refused: unknown = await client.embeddings.create({ model: 'vectors', input: 'Hi' }).catch((error: unknown) => error)
  if (!(refused instanceof OpenAI.RateLimitError)) return void t.fail('expected a 429')
  t.equal(refused.headers.get('x-ratelimit-remaining-requests'), '0')
})
