import { createOpenAI } from '@ai-sdk/openai'
import { cosineSimilarity, embed, embedMany } from 'ai'
import OpenAI from 'openai'
import t, { type Test } from 'tap'
import embeddings from '../../plugins/endpoints/embeddings/index.ts'
import rerank from '../../plugins/endpoints/rerank/index.ts'
import cohere from '../../plugins/providers/cohere/index.ts'
import openaiResponses from '../../plugins/providers/openai-responses/index.ts'
import { cohereReply, json, openaiReply, vectorOf, vendor } from '../kit/embedding-vendors.ts'
import { listeningGateway, type ListeningGateway } from '../kit/gateway.ts'

async function stage(t: Test): Promise<ListeningGateway> {
  const openai = await vendor(t, openaiReply)
  const other = await vendor(t, request => (request.url.endsWith('/embed') ? cohereReply(request) : json({ message: 'out of order' }, 500)))
  const under = await listeningGateway({
    plugins: [
      embeddings({}),
      rerank({}),
      openaiResponses({ baseUrl: openai.url, apiKey: 'demo' }),
      cohere({ baseUrl: other.url, apiKey: 'demo' }),
    ],
    settings: { logLevel: 'silent' },
  })
  t.teardown(under.stop)
  return under
}

for (const model of ['openai/text-embedding-3-small', 'cohere/embed-v4.0'])
  t.test(`${model}: openai and the AI SDK`, async t => {
    const { url, apiKey } = await stage(t)
    const baseURL = `${url}/v1`
    const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
    const input = Array.from({ length: 300 }, (_, index) => `text ${index}`)
    const made = await client.embeddings.create({ model, input, dimensions: 300 })
    t.same(
      made.data.map(({ embedding }) => embedding),
      input.map(text => vectorOf(text, 300)),
    )
    t.equal(made.object, 'list')
    t.ok(made.usage.total_tokens > 0)

    const provider = createOpenAI({ baseURL, apiKey })
    const one = await embed({ model: provider.embeddingModel(model), value: 'hello' })
    t.same(one.embedding, vectorOf('hello'))
    t.equal(one.usage.tokens, 5)
    const many = await embedMany({ model: provider.embeddingModel(model), values: ['a', 'b', 'a'] })
    t.same(
      many.embeddings,
      ['a', 'b', 'a'].map(text => vectorOf(text)),
    )
    t.ok(Math.abs(cosineSimilarity(many.embeddings[0]!, many.embeddings[2]!) - 1) < 1e-6)
  })

t.test('errors are those that the clients know', async t => {
  const { url, apiKey } = await stage(t)
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
  const failure = (asking: Promise<unknown>): Promise<unknown> => asking.then(() => undefined).catch((error: unknown) => error)
  t.match(await failure(client.embeddings.create({ model: 'nothing', input: 'x' })), {
    status: 400,
    code: 'model_not_found',
    param: 'model',
  })
  t.match(await failure(client.embeddings.create({ model: 'openai/m', input: [] })), { status: 400, param: 'input' })
  const stranger = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'tp_wrong', maxRetries: 0 })
  t.match(await failure(stranger.embeddings.create({ model: 'm', input: 'x' })), { status: 401 })
})
