import t from 'tap'
import type { PluginUse } from '../../../../core/index.ts'
import type { ReceivedRequest } from '../../../../core/testing/fake-upstream.ts'
import azure from '../../../../plugins/providers/azure/index.ts'
import bedrock from '../../../../plugins/providers/bedrock/index.ts'
import cohere from '../../../../plugins/providers/cohere/index.ts'
import gemini from '../../../../plugins/providers/gemini/index.ts'
import jina from '../../../../plugins/providers/jina/index.ts'
import mistral from '../../../../plugins/providers/mistral/index.ts'
import ollama from '../../../../plugins/providers/ollama/index.ts'
import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../../../plugins/providers/openai-responses/index.ts'
import vertex from '../../../../plugins/providers/vertex/index.ts'
import voyage from '../../../../plugins/providers/voyage/index.ts'
import {
  base64Of,
  bedrockReply,
  cohereReply,
  geminiReply,
  json,
  ollamaReply,
  openaiReply,
  vectorOf,
  vendor,
  vertexReply,
} from '../../../kit/embedding-vendors.ts'
import { FakeGoogle } from '../../../kit/fake-google.ts'
import { embed, retrieving } from '../../../kit/retrieval-stage.ts'

const google = await FakeGoogle.start()
const apiKey = 'sk-demo-key'

interface Vendor {
  readonly name: string
  readonly model: string
  readonly plugin: (baseUrl: string) => PluginUse
  readonly reply: (request: ReceivedRequest) => ReturnType<typeof json>
  readonly path: string
  /** What the vendor gets of `{ input: ['ab', 'c'], dimensions: 3, input_type: 'query' }`, with `encoding_format: 'base64'`. */
  readonly body: object
  /** In how many requests. */
  readonly requests?: number
  readonly tokens: number
  readonly header?: Readonly<Record<string, string | RegExp>>
}

const bearer = { authorization: `Bearer ${apiKey}` }
const openaiBody = { input: ['ab', 'c'], dimensions: 3, encoding_format: 'base64' }

const vendors: readonly Vendor[] = [
  {
    name: 'openai-responses',
    model: 'text-embedding-3-small',
    plugin: baseUrl => openaiResponses({ id: 'v', baseUrl: `${baseUrl}/v1`, apiKey }),
    reply: openaiReply,
    path: '/v1/embeddings',
    body: { ...openaiBody, model: 'text-embedding-3-small' },
    tokens: 3,
    header: bearer,
  },
  {
    name: 'openai-chat',
    model: 'acme/some-model',
    plugin: baseUrl => openaiChat({ id: 'v', baseUrl: `${baseUrl}/v1`, apiKey, host: 'compatible' }),
    reply: openaiReply,
    path: '/v1/embeddings',
    body: { ...openaiBody, model: 'acme/some-model', input_type: 'query' },
    tokens: 3,
    header: bearer,
  },
  {
    name: 'azure',
    model: 'text-embedding-3-small',
    plugin: baseUrl => azure({ id: 'v', baseUrl, apiKey, deployments: { 'text-embedding-3-small': 'a-deployment' } }),
    reply: openaiReply,
    path: '/openai/v1/embeddings',
    body: { ...openaiBody, model: 'a-deployment' },
    tokens: 3,
    header: { 'api-key': apiKey },
  },
  {
    name: 'azure, classic',
    model: 'deployed',
    plugin: baseUrl => azure({ id: 'v', baseUrl, apiKey, apiVersion: '2024-10-21' }),
    reply: openaiReply,
    path: '/openai/deployments/deployed/embeddings?api-version=2024-10-21',
    body: openaiBody,
    tokens: 3,
  },
  {
    name: 'mistral',
    model: 'codestral-embed',
    plugin: baseUrl => mistral({ id: 'v', baseUrl: `${baseUrl}/v1`, apiKey }),
    reply: request => openaiReply({ ...request, body: { ...(request.body as object), dimensions: 3 } }),
    path: '/v1/embeddings',
    body: { model: 'codestral-embed', input: ['ab', 'c'], output_dimension: 3, encoding_format: undefined },
    tokens: 3,
    header: bearer,
  },
  {
    name: 'voyage',
    model: 'voyage-3.5',
    plugin: baseUrl => voyage({ id: 'v', baseUrl: `${baseUrl}/v1`, apiKey }),
    reply: request => openaiReply({ ...request, body: { ...(request.body as object), dimensions: 3 } }),
    path: '/v1/embeddings',
    body: { model: 'voyage-3.5', input: ['ab', 'c'], output_dimension: 3, encoding_format: 'base64', input_type: 'query' },
    tokens: 3,
    header: bearer,
  },
  {
    name: 'jina',
    model: 'jina-embeddings-v3',
    plugin: baseUrl => jina({ id: 'v', baseUrl: `${baseUrl}/v1`, apiKey }),
    reply: request => openaiReply({ ...request, body: { ...(request.body as object), encoding_format: 'base64' } }),
    path: '/v1/embeddings',
    body: {
      model: 'jina-embeddings-v3',
      input: ['ab', 'c'],
      dimensions: 3,
      embedding_type: 'base64',
      task: 'retrieval.query',
      input_type: undefined,
    },
    tokens: 3,
    header: bearer,
  },
  {
    name: 'gemini',
    model: 'gemini-embedding-001',
    plugin: baseUrl => gemini({ id: 'v', baseUrl, apiKey }),
    reply: geminiReply,
    path: '/v1beta/models/gemini-embedding-001:batchEmbedContents',
    body: {
      requests: ['ab', 'c'].map(text => ({
        model: 'models/gemini-embedding-001',
        content: { parts: [{ text }] },
        taskType: 'RETRIEVAL_QUERY',
        outputDimensionality: 3,
      })),
    },
    // The vendor says nothing, and the stand-in's count has a margin.
    tokens: 3,
    header: { 'x-goog-api-key': apiKey },
  },
  {
    name: 'vertex',
    model: 'text-embedding-005',
    plugin: baseUrl =>
      vertex({
        id: 'v',
        baseUrl,
        location: 'europe-west4',
        credentials: { json: JSON.stringify(google.serviceAccount) },
        tokenUrl: `${google.url}/token`,
      }),
    reply: vertexReply,
    path: '/models/text-embedding-005:predict',
    body: {
      instances: [
        { content: 'ab', task_type: 'RETRIEVAL_QUERY' },
        { content: 'c', task_type: 'RETRIEVAL_QUERY' },
      ],
      parameters: { autoTruncate: false, outputDimensionality: 3 },
    },
    tokens: 3,
  },
  {
    name: 'vertex, Gemini',
    model: 'gemini-embedding-001',
    plugin: baseUrl =>
      vertex({
        id: 'v',
        baseUrl,
        location: 'europe-west4',
        credentials: { json: JSON.stringify(google.serviceAccount) },
        tokenUrl: `${google.url}/token`,
      }),
    reply: vertexReply,
    path: '/models/gemini-embedding-001:predict',
    body: { instances: [{ content: 'ab' }] },
    requests: 2,
    tokens: 3,
  },
  {
    name: 'cohere',
    model: 'embed-v4.0',
    plugin: baseUrl => cohere({ id: 'v', baseUrl, apiKey }),
    reply: cohereReply,
    path: '/v2/embed',
    body: {
      model: 'embed-v4.0',
      texts: ['ab', 'c'],
      input_type: 'search_query',
      embedding_types: ['base64'],
      output_dimension: 3,
      truncate: 'NONE',
    },
    tokens: 3,
    header: bearer,
  },
  {
    name: 'bedrock, Titan',
    model: 'amazon.titan-embed-text-v2:0',
    plugin: baseUrl => bedrock({ id: 'v', baseUrl, apiKey }),
    reply: bedrockReply,
    path: '/model/amazon.titan-embed-text-v2%3A0/invoke',
    body: { inputText: 'ab', dimensions: 3 },
    requests: 2,
    tokens: 3,
    header: bearer,
  },
  {
    name: 'bedrock, Cohere',
    model: 'eu.cohere.embed-v4:0',
    plugin: baseUrl => bedrock({ id: 'v', baseUrl, apiKey }),
    reply: bedrockReply,
    path: '/model/eu.cohere.embed-v4%3A0/invoke',
    body: { texts: ['ab', 'c'], input_type: 'search_query', embedding_types: ['float'], output_dimension: 3, truncate: 'NONE' },
    tokens: 3,
  },
  {
    name: 'ollama',
    model: 'nomic-embed-text',
    plugin: baseUrl => ollama({ id: 'v', baseUrl, listModels: false, keepAlive: '5m' }),
    reply: ollamaReply,
    path: '/api/embed',
    body: { model: 'nomic-embed-text', input: ['ab', 'c'], dimensions: 3, truncate: false, keep_alive: '5m' },
    tokens: 3,
  },
]

for (const { name, model, plugin, reply, path, body, requests = 1, tokens, header } of vendors)
  t.test(name, async t => {
    const upstream = await vendor(t, reply)
    const under = await retrieving([plugin(upstream.url)])
    t.teardown(under.stop)
    const asked = { model: `v/${model}`, input: ['ab', 'c'], dimensions: 3, input_type: 'query' }
    const encoded = await embed(under, { ...asked, encoding_format: 'base64' })
    t.equal(encoded.status, 200, JSON.stringify(encoded.body).slice(0, 300))
    t.same(
      encoded.body.data.map(({ embedding }: any) => embedding),
      [base64Of(vectorOf('ab', 3)), base64Of(vectorOf('c', 3))],
    )
    t.equal(upstream.requests.length, requests)
    const [first] = upstream.requests.toSorted((a, b) => b.text.length - a.text.length)
    t.ok(first!.url.endsWith(path), `${first!.url} ends with ${path}`)
    t.match(first!.body, body)
    if (header) t.match(first!.headers, header)
    t.equal(encoded.body.usage.prompt_tokens, tokens)
    const plain = await embed(under, asked)
    t.same(
      plain.body.data.map(({ embedding }: any) => embedding),
      [vectorOf('ab', 3), vectorOf('c', 3)],
    )
  })

t.test("a vendor's error is the caller's", async t => {
  for (const { name, model, plugin } of vendors) {
    const upstream = await vendor(t, () => json({ error: { message: 'too long', code: 400 }, message: 'too long' }, 400))
    const under = await retrieving([plugin(upstream.url)])
    t.teardown(under.stop)
    const { status, body } = await embed(under, { model: `v/${model}`, input: 'x' })
    t.equal(status, 400, name)
    t.match(body.error.message, /too long/, name)
  }
})

t.test('a reply that is none is a failure', async t => {
  for (const { name, model, plugin } of vendors)
    for (const reply of [
      json({}),
      json(null),
      { body: '<html>' },
      { body: '' },
      json({ data: [{}], embeddings: [{}], predictions: [{}], embedding: 5 }),
    ]) {
      const upstream = await vendor(t, () => reply)
      const under = await retrieving([plugin(upstream.url)])
      t.teardown(under.stop)
      const { status } = await embed(under, { model: `v/${model}`, input: 'x' })
      t.equal(status, 503, name)
    }
})
