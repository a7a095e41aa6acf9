import t from 'tap'
import type { GenerationEvent, JsonObject } from '../../../../core/index.ts'
import geminiApi from '../../../../plugins/endpoints/gemini/index.ts'
import { embedded, embeddingWitness } from '../../../kit/retrieval-stage.ts'
import { gateway } from '../../../kit/gateway.ts'
import { stop, witness } from '../../../kit/stage.ts'
import { askContent } from './stage.ts'

const usage: GenerationEvent = {
  type: 'usage',
  usage: { uncachedInput: 5, cacheRead: 3, cacheWrite5m: 1, cacheWrite1h: 0, output: 9, reasoning: 4 },
}

async function answered(t: { teardown(fn: () => unknown): void }, ...events: readonly GenerationEvent[]) {
  const under = await gateway({ plugins: [geminiApi({}), witness('acme', () => events).plugin] })
  t.teardown(under.stop)
  return under
}

t.test('text, calls and usage, in each form', async t => {
  const under = await answered(
    t,
    { type: 'reasoning', text: 'Hm.', form: 'summary' },
    { type: 'reasoning', text: 'So.', form: 'summary', newPart: true },
    { type: 'text', text: 'Grü' },
    { type: 'text', text: 'ße' },
    { type: 'tool-call', key: 'a', callId: 'call_1', name: 'look' },
    { type: 'tool-input', key: 'a', text: '{"x":1}' },
    { type: 'tool-call', key: 'b', callId: 'call_2', name: 'look' },
    { type: 'tool-input', key: 'b', text: '' },
    usage,
    { type: 'finish', reason: 'tool-calls' },
  )
  for (const form of ['whole', 'events', 'list'] as const) {
    const { body, headers } = await askContent(under, 'acme/m', {}, form)
    t.equal(headers.get('content-type'), form === 'events' ? 'text/event-stream' : 'application/json')
    t.strictSame(body.candidates, [
      {
        content: {
          parts: [
            { text: 'Hm.\n\nSo.', thought: true },
            { text: 'Grüße' },
            { functionCall: { id: 'call_1', name: 'look', args: { x: 1 } } },
            { functionCall: { id: 'call_2', name: 'look', args: {} } },
          ],
          role: 'model',
        },
        finishReason: 'STOP',
        index: 0,
      },
    ])
    t.strictSame(body.usageMetadata, {
      promptTokenCount: 9,
      cachedContentTokenCount: 3,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 4,
      totalTokenCount: 18,
      costUsd: null,
    })
    t.match(body, { modelVersion: 'acme/m', responseId: /^gen_/ })
  }
})

t.test('a call that was broken off is left out', async t => {
  const under = await answered(
    t,
    { type: 'text', text: 'So' },
    { type: 'tool-call', key: 'a', callId: 'call_1', name: 'look' },
    { type: 'tool-input', key: 'a', text: '{"x":' },
    { type: 'finish', reason: 'length' },
  )
  for (const form of ['whole', 'events'] as const) {
    const { body } = await askContent(under, 'acme/m', {}, form)
    t.strictSame(body.candidates[0]!.content.parts, [{ text: 'So' }])
    t.equal(body.candidates[0]!['finishReason'], 'MAX_TOKENS')
  }
})

t.test('a filtered answer, and a refusal', async t => {
  const filtered = await answered(t, { type: 'finish', reason: 'content-filter' })
  t.match((await askContent(filtered, 'acme/m')).body.candidates, [{ content: { role: 'model' }, finishReason: 'SAFETY' }])
  const refused = await answered(t, { type: 'refusal', text: 'I cannot.' }, stop)
  t.match((await askContent(refused, 'acme/m')).body.candidates, [{ content: { parts: [{ text: 'I cannot.' }] }, finishReason: 'STOP' }])
})

t.test('citations and searches of other vendors', async t => {
  const url = (address: string, title: string) => ({ type: 'url_citation', url: address, title }) as const
  const under = await answered(
    t,
    {
      type: 'search',
      key: 's',
      status: 'completed',
      action: { type: 'search', query: 'weather' },
      results: [
        { url: 'https://example.com/a', title: 'A' },
        { url: 'https://example.com/b', title: 'B' },
      ],
    },
    { type: 'text', text: 'Grüße: it is sunny.' },
    { type: 'annotation', citation: url('https://example.com/b', 'B'), start: 13, end: 18 },
    { type: 'annotation', citation: url('https://example.com/c', ''), start: 0, end: 5 },
    stop,
  )
  for (const form of ['whole', 'events'] as const) {
    const { body } = await askContent(under, 'acme/m', { tools: [{ googleSearch: {} }] }, form)
    t.strictSame(body.candidates[0]!['groundingMetadata'], {
      webSearchQueries: ['weather'],
      groundingChunks: [
        { web: { uri: 'https://example.com/a', title: 'A' } },
        { web: { uri: 'https://example.com/b', title: 'B' } },
        { web: { uri: 'https://example.com/c', title: 'https://example.com/c' } },
      ],
      groundingSupports: [
        { segment: { startIndex: 15, endIndex: 20, text: 'sunny' }, groundingChunkIndices: [1] },
        { segment: { startIndex: 0, endIndex: 7, text: 'Grüße' }, groundingChunkIndices: [2] },
      ],
    })
  }
})

t.test('log probabilities', async t => {
  const logprobs = [{ token: 'Hi', logprob: -0.1, top_logprobs: [{ token: 'Ho', logprob: -2 }] }]
  const under = await answered(t, { type: 'text', text: 'Hi', logprobs }, stop)
  for (const form of ['whole', 'events'] as const) {
    const { body } = await askContent(under, 'acme/m', { generationConfig: { responseLogprobs: true, logprobs: 1 } }, form)
    t.strictSame(body.candidates[0]!['logprobsResult'], {
      chosenCandidates: [{ token: 'Hi', logProbability: -0.1 }],
      topCandidates: [{ candidates: [{ token: 'Ho', logProbability: -2 }] }],
    })
  }
})

t.test('vectors', async t => {
  const { plugin, calls } = embeddingWitness('embedder', embedded)
  const under = await gateway({ plugins: [geminiApi({}), plugin] })
  t.teardown(under.stop)
  const ask = async (method: string, body: object): Promise<readonly [number, JsonObject]> => {
    const reply = await under.request(`/v1beta/models/embedder/m:${method}`, { body })
    return [reply.status, (await reply.json()) as JsonObject]
  }
  const content = { parts: [{ text: 'a' }, { text: 'b' }] }
  t.match(await ask('embedContent', { content, taskType: 'RETRIEVAL_QUERY', output_dimensionality: 3 }), [
    200,
    { embedding: { values: Array }, usageMetadata: { promptTokenCount: Number } },
  ])
  t.match(calls.at(-1)!.request, { input: ['a\nb'], purpose: 'query', dimensions: 3 })
  const entry = { model: 'models/embedder/m', content: { parts: [{ text: 'c' }] } }
  const [status, batch] = await ask('batchEmbedContents', { requests: [entry, entry] })
  t.match([status, (batch['embeddings'] as readonly unknown[]).length], [200, 2])
  for (const [method, body, field] of [
    ['embedContent', {}, 'content'],
    ['embedContent', { content: { parts: [] } }, 'content.parts'],
    ['embedContent', { content: { parts: [{ inlineData: {} }] } }, 'content.parts[0].text'],
    ['embedContent', { content: { parts: [{ text: '' }] } }, 'content.parts'],
    ['batchEmbedContents', { requests: [entry, { ...entry, model: 'models/x' }] }, 'requests[1].model'],
    ['batchEmbedContents', { requests: [entry, { ...entry, taskType: 'CLUSTERING' }] }, 'requests[1].taskType'],
    ['batchEmbedContents', { requests: [] }, 'requests'],
  ] as const) {
    const [status, reply] = await ask(method, body)
    t.match(
      [status, reply],
      [400, { error: { status: 'INVALID_ARGUMENT', details: [{ fieldViolations: [{ field }] }] } }],
      JSON.stringify(body),
    )
  }
})

t.test('several candidates, whole and as a stream', async t => {
  const under = await gateway({
    plugins: [geminiApi({}), witness('acme', (_, count) => [{ type: 'text', text: `${count}` }, usage, stop]).plugin],
  })
  t.teardown(under.stop)
  const asked = { generationConfig: { candidateCount: 3 } }
  const { body } = await askContent(under, 'acme/m', asked)
  t.strictSame(
    body.candidates.map(({ index, content, finishReason }) => [index, content.parts, finishReason]),
    [1, 2, 3].map((text, index) => [index, [{ text: `${text}` }], 'STOP']),
  )
  t.equal(body.usageMetadata['promptTokenCount'], 27, 'the input of each')
  const { chunks } = await askContent(under, 'acme/m', asked, 'list')
  const told = chunks.map(chunk => (chunk['candidates'] as readonly JsonObject[])[0]!)
  t.strictSame(
    told.map(({ index, finishReason }) => [index, finishReason]),
    [0, 1, 2].flatMap(index => [
      [index, undefined],
      [index, 'STOP'],
    ]),
  )
  t.strictSame(
    chunks.map(chunk => 'usageMetadata' in chunk),
    [false, false, false, false, false, true],
  )
})
