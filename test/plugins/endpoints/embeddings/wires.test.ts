import OpenAI from 'openai'
import t from 'tap'
import embeddings from '../../../../plugins/endpoints/embeddings/index.ts'
import gemini from '../../../../plugins/providers/gemini/index.ts'
import openaiResponses from '../../../../plugins/providers/openai-responses/index.ts'
import { base64Of, geminiReply, openaiReply, vectorOf, vendor } from '../../../kit/embedding-vendors.ts'
import { listeningGateway } from '../../../kit/gateway.ts'
import { listing } from '../../../kit/stage.ts'

t.test('OpenAI and Gemini, through the SDK', async t => {
  const openai = await vendor(t, openaiReply)
  const google = await vendor(t, geminiReply)
  const under = await listeningGateway({
    plugins: [
      embeddings({}),
      openaiResponses({ baseUrl: openai.url, apiKey: 'sk-demo' }),
      gemini({ baseUrl: google.url, apiKey: 'demo' }),
      listing(
        {
          model: 'small',
          endpoints: [{ provider: 'openai', kind: 'embedding', tokenizer: 'cl100k_base', price: { input: 2, output: 0 } }],
        },
        { model: 'gem', endpoints: [{ provider: 'gemini', kind: 'embedding', upstreamModel: 'gemini-embedding-001' }] },
      ),
    ],
  })
  t.teardown(under.stop)
  const client = new OpenAI({ baseURL: `${under.url}/v1`, apiKey: under.apiKey, maxRetries: 0 })

  for (const model of ['small', 'openai/unlisted', 'gem']) {
    const input = ['hello', 'wörld', '😀']
    for (const encoding_format of [undefined, 'float', 'base64'] as const) {
      const made = await client.embeddings.create({ model, input, ...(encoding_format && { encoding_format }) })
      t.equal(made.data.length, 3)
      for (const [index, text] of input.entries()) {
        t.equal(made.data[index]!.index, index)
        const expected = encoding_format === 'base64' ? base64Of(vectorOf(text)) : vectorOf(text)
        t.same(made.data[index]!.embedding, expected, `${model} ${encoding_format}`)
      }
      t.ok(made.usage.prompt_tokens > 0)
    }
    const short = await client.embeddings.create({ model, input: 'x', dimensions: 300 })
    t.equal(short.data[0]!.embedding.length, 300)
    t.same(short.data[0]!.embedding, vectorOf('x', 300))
  }

  const { data, response } = await client.embeddings.create({ model: 'small', input: [[1, 2, 3], [4]], user: 'someone' }).withResponse()
  t.same(
    data.data.map(({ embedding }) => embedding.length),
    [4, 4],
  )
  const sent = openai.requests.at(-1)!.body as { input: unknown; user: unknown; encoding_format: unknown }
  t.same(sent.input, [[1, 2, 3], [4]])
  t.equal(sent.user, 'someone')
  t.equal(sent.encoding_format, 'base64', 'the SDK asks for base64, and so does the gateway')
  const record = await under.record(response.headers.get('x-request-id')!)
  t.match(record, { path: '/v1/embeddings', status: 200, provider: 'openai', model: 'small', usage: { uncachedInput: 4, output: 0 } })
  t.equal(record.costUsd, (4 * 2) / 1_000_000)
  t.equal((data.usage as { cost_usd?: number }).cost_usd, record.costUsd)
})

t.test('large replies arrive to the letter, within the memory of answers', async t => {
  const openai = await vendor(t, openaiReply)
  const google = await vendor(t, geminiReply)
  const plugins = [
    embeddings({}),
    openaiResponses({ baseUrl: openai.url, apiKey: 'demo' }),
    gemini({ baseUrl: google.url, apiKey: 'demo' }),
  ]
  const under = await listeningGateway({ plugins })
  t.teardown(under.stop)
  const client = new OpenAI({ baseURL: `${under.url}/v1`, apiKey: under.apiKey, maxRetries: 0 })
  const input = Array.from({ length: 1_200 }, (_, index) => `text ${index}`)
  for (const [model, encoding_format] of [
    ['openai/large', 'float'],
    ['gemini/large', 'base64'],
  ] as const) {
    const { data } = await client.embeddings.create({ model, input, dimensions: 1_000, encoding_format })
    const expected = (text: string): unknown => (encoding_format === 'base64' ? base64Of(vectorOf(text, 1_000)) : vectorOf(text, 1_000))
    const wrong = data.findIndex(({ embedding }, index) => JSON.stringify(embedding) !== JSON.stringify(expected(input[index]!)))
    t.equal(wrong, -1, `${model} ${encoding_format}`)
  }

  const narrow = await listeningGateway({ plugins, settings: { maxAnswerBytes: 100_000, logLevel: 'silent' } })
  t.teardown(narrow.stop)
  const reply = await narrow.request('/v1/embeddings', { body: { model: 'openai/large', input: input.slice(0, 100), dimensions: 1_000 } })
  t.equal(reply.status, 503)
  t.match(await reply.text(), /answer of more than 100000 bytes/)
})
