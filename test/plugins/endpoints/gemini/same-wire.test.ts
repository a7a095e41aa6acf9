import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import { guarding, listing } from '../../../kit/stage.ts'
import { askContent, stage } from './stage.ts'

const signature = 'c2lnbmF0dXJlIG9mIGEgdGhvdWdodA=='
const model = 'gemini/gemini-3-pro-preview'

const response: JsonObject = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true },
          { text: 'It is sunny.', partMetadata: { a: 1 } },
          { executableCode: { language: 'PYTHON', code: 'print(1)' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
          { functionCall: { id: 'fc_1', name: 'look', args: { x: 1 } }, thoughtSignature: signature },
          { functionCall: { id: 'fc_2', name: 'look', args: {} } },
        ],
      },
      finishReason: 'STOP',
      index: 0,
      avgLogprobs: -0.5,
      safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' }],
      groundingMetadata: {
        webSearchQueries: ['weather'],
        searchEntryPoint: { renderedContent: '<b>x</b>' },
        groundingChunks: [{ web: { uri: 'https://example.com/a', title: 'A' } }],
        groundingSupports: [
          { segment: { startIndex: 6, endIndex: 11, text: 'sunny' }, groundingChunkIndices: [0], confidenceScores: [0.9] },
        ],
      },
      someNewMember: { b: [1] },
    },
  ],
  usageMetadata: {
    promptTokenCount: 12,
    cachedContentTokenCount: 4,
    candidatesTokenCount: 9,
    thoughtsTokenCount: 3,
    totalTokenCount: 24,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 12 }],
  },
  modelVersion: 'gemini-3-pro-preview-11-2025',
  responseId: 'vendors-own',
  modelStatus: { modelStage: 'PREVIEW' },
}

const [candidate] = response['candidates'] as readonly [JsonObject]
const parts = (candidate['content'] as JsonObject)['parts'] as readonly JsonObject[]
const unsealed = (list: readonly JsonObject[]): readonly JsonObject[] =>
  list.map(part => (part['thoughtSignature'] ? { ...part, thoughtSignature: '…' } : part))

t.test('nothing of an answer is lost, whole or streamed, and comes back as it was', async t => {
  const { under, asked } = await stage(t, response)
  for (const form of ['whole', 'events', 'list'] as const) {
    const { status, body, headers } = await askContent(under, model, {}, form)
    t.equal(status, 200)
    t.equal(headers.get('x-gateway-warnings'), null)
    const [got] = body.candidates
    t.strictSame(unsealed(got!.content.parts), unsealed(parts))
    const { content: _, ...told } = candidate
    t.match(got, told)
    const { responseId: _id, candidates: _candidates, ...rest } = response
    t.match(body, rest)
    t.match(body['responseId'], /^gen_/)
    t.equal(body.usageMetadata['costUsd'], null)

    const sealed = String(got!.content.parts.find(part => part['thoughtSignature'])!['thoughtSignature'])
    t.equal(Buffer.from(sealed, 'base64').toString('base64'), sealed, 'it is base64, which SDKs decode')
    const answers = [
      { functionResponse: { id: 'fc_1', name: 'look', response: { output: 'yes', n: 1 } } },
      { functionResponse: { id: 'fc_2', name: 'look', response: { error: 'no' } } },
    ]
    // The SDK for Python writes bytes in the alphabet for URLs.
    const history = got!.content.parts.map(part =>
      part['thoughtSignature'] ? { ...part, thoughtSignature: sealed.replaceAll('+', '-').replaceAll('/', '_') } : part,
    )
    const contents = [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: history },
      { role: 'user', parts: answers },
    ]
    t.equal((await askContent(under, model, { contents })).status, 200)
    const sent = (asked.at(-1)!.body as JsonObject)['contents'] as readonly JsonObject[]
    // The vendor wants no thoughts back, only their signatures.
    t.strictSame(sent[1]!['parts'], parts.slice(1))
    t.strictSame(sent[2]!['parts'], answers)
  }
})

t.test('nothing of a request is lost', async t => {
  const { under, asked } = await stage(t, response)
  const request = {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'hi', partMetadata: { a: 1 } },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
          { inlineData: { mimeType: 'application/json', data: 'e30=', displayName: 'a.json' } },
          { inlineData: { mimeType: 'video/mp4', data: 'AAAA' }, videoMetadata: { fps: 2 } },
          { fileData: { mimeType: 'video/mp4', fileUri: 'gs://demo/a' } },
          { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc', mimeType: 'audio/wav' } },
        ],
      },
      {
        role: 'model',
        parts: [
          { text: 'Let me look.' },
          { executableCode: { language: 'PYTHON', code: 'x' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'y' } },
          { functionCall: { name: 'look.at', args: { b: 1, a: 1.5, '2': [] } } },
          { functionCall: { name: 'look.at', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'look.at', response: { output: 'yes' }, scheduling: 'SILENT' } },
          {
            functionResponse: {
              name: 'look.at',
              response: { any: { thing: [1] } },
              parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
            },
          },
          { text: 'And now?' },
        ],
      },
    ],
    tools: [
      {
        functionDeclarations: [
          {
            name: 'look.at',
            description: 'Looks',
            parameters: { type: 'OBJECT', properties: { a: { type: 'NUMBER', nullable: true } } },
            behavior: 'BLOCKING',
          },
        ],
      },
      { codeExecution: {} },
      { urlContext: {} },
    ],
    toolConfig: {
      retrievalConfig: { languageCode: 'en' },
      functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['look.at'] },
    },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    cachedContent: 'cachedContents/demo',
    labels: { team: 'a' },
    someNewMember: { a: 1 },
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      speechConfig: { languageCode: 'en-US' },
      mediaResolution: 'MEDIA_RESOLUTION_LOW',
      someNewSetting: 2,
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 500,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      topK: 3,
      seed: 7,
      stopSequences: ['END'],
      responseLogprobs: true,
      logprobs: 2,
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } }, propertyOrdering: ['a'] },
      thinkingConfig: { thinkingBudget: 512, includeThoughts: false },
    },
  }
  const { status, headers, body } = await askContent(under, model, { ...request, store: true })
  t.equal(status, 200, JSON.stringify(body))
  t.equal(headers.get('x-gateway-warnings'), null)
  const { store, ...sent } = asked[0]!.body as JsonObject
  t.equal(store, false, 'no vendor may store')
  const withPlaceholder = structuredClone(request) as typeof request
  Object.assign(withPlaceholder.contents[1]!.parts[3]!, { thoughtSignature: 'skip_thought_signature_validator' })
  t.strictSame(sent, withPlaceholder)

  // The same in the other spelling.
  const snake = JSON.parse(
    JSON.stringify(request).replaceAll(/"([a-z]+(?:[A-Z][a-z]+)+)":/g, (all, name: string) =>
      /^(someNew|propertyOrdering|languageCode)/.test(name)
        ? all
        : `"${name.replaceAll(/[A-Z]/g, capital => `_${capital.toLowerCase()}`)}":`,
    ),
  ) as object
  const contents = (snake as { contents: object }).contents
  t.equal((await askContent(under, model, { ...snake, contents })).status, 200)
  const { store: _, ...again } = asked[1]!.body as JsonObject
  t.strictSame(again, sent)
})

t.test('a blocked prompt is answered with the feedback of the vendor', async t => {
  const promptFeedback = { blockReason: 'SAFETY', safetyRatings: [{ category: 'HARM_CATEGORY_HATE_SPEECH', probability: 'HIGH' }] }
  const { under } = await stage(t, { promptFeedback, usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 } })
  for (const form of ['whole', 'events'] as const) {
    const { status, chunks } = await askContent(under, model, {}, form)
    t.equal(status, 200)
    t.match(chunks, [{ promptFeedback, usageMetadata: { promptTokenCount: 5 } }])
    t.notHas(chunks[0], { candidates: [] })
  }
})

t.test('the exact reason, and its message', async t => {
  const parts = [{ text: 'So' }]
  const ended = { content: { role: 'model', parts }, finishReason: 'RECITATION', finishMessage: 'It recites.' }
  const { under } = await stage(t, { candidates: [ended], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 } })
  for (const form of ['whole', 'events'] as const) {
    const { body } = await askContent(under, model, {}, form)
    t.match(body.candidates[0], ended)
  }
})

t.test('a guardrail that reads content lets no extras pass', async t => {
  const plugins = [guarding({ output: () => ({ push: text => text, flush: () => '' }) })]
  const { under, asked } = await stage(t, response, { plugins })
  const { body } = await askContent(under, model, { someNewMember: 1, generationConfig: { someNewSetting: 2 } })
  t.notHas(asked[0]!.body, { someNewMember: 1 })
  t.notHas((asked[0]!.body as JsonObject)['generationConfig'] ?? {}, { someNewSetting: 2 })
  t.notMatch(JSON.stringify(body), /someNewMember|executableCode/)
  const contents = [{ parts: [{ executableCode: { language: 'PYTHON', code: 'x' } }, { text: 'hi' }] }]
  t.match(await askContent(under, model, { contents }), { status: 400, body: { error: { message: /executableCode/ } } })
})

t.test('the operator says which tools of the vendor pass', async t => {
  const { under, asked } = await stage(t, response, { surface: { vendorTools: ['code*'] } })
  const { headers } = await askContent(under, model, { tools: [{ codeExecution: {}, urlContext: {} }] })
  t.strictSame((asked[0]!.body as JsonObject)['tools'], [{ codeExecution: {} }])
  t.match(headers.get('x-gateway-warnings'), /urlContext.*turned it off/)
})

t.test('what has no known price is not for a key with a cap', async t => {
  const plugins = [
    listing({ model: 'gemini-3-pro-preview', endpoints: [{ provider: 'gemini', price: { input: 1, output: 1, webSearch: 0 } }] }),
  ]
  const { under, asked } = await stage(t, response, { plugins, key: { spendCapUsd: 1000 } })
  const { headers, status } = await askContent(under, model, { tools: [{ googleMaps: {} }, { urlContext: {} }] })
  t.equal(status, 200)
  t.strictSame((asked[0]!.body as JsonObject)['tools'], [{ urlContext: {} }])
  t.match(headers.get('x-gateway-warnings'), /googleMaps.*price is unknown/)
})

t.test("the operator's safety settings come first", async t => {
  const { under, asked } = await stage(t, response)
  const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }]
  await askContent(under, model, { safetySettings })
  t.strictSame((asked[0]!.body as JsonObject)['safetySettings'], safetySettings)
})
