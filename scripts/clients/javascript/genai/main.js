import { ApiError, GoogleGenAI } from '@google/genai'
import * as kit from '../checks.js'
import { check, equal, failure, holds, model } from '../checks.js'

function client(apiKey = kit.key, retryOptions) {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: kit.url, ...(retryOptions && { retryOptions }) } })
}

const { models } = client()
const asking = (contents, what) => ({ model: model(what), contents })
const weather = { name: 'get_weather', description: 'The weather in a city', parametersJsonSchema: kit.weatherSchema }

async function whole(request) {
  const parts = []
  for await (const { candidates } of await models.generateContentStream(request)) parts.push(...(candidates?.[0]?.content?.parts ?? []))
  return { parts, calls: parts.flatMap(({ functionCall }) => functionCall ?? []), text: parts.map(({ text = '' }) => text).join('') }
}

await check('text', async () => {
  const reply = await models.generateContent(asking(kit.hello))
  equal(reply.text, kit.greeting)
  equal(reply.candidates[0].finishReason, 'STOP', 'the finish reason')
  equal([reply.usageMetadata.promptTokenCount, reply.usageMetadata.candidatesTokenCount], [9, 4], 'the usage')
  const { totalTokens } = await models.countTokens(asking(kit.hello))
  holds(totalTokens > 0, 'a count of tokens', totalTokens)
})

await check('stream', async () => {
  let usage
  const pieces = await kit.texts(await models.generateContentStream(asking(kit.hello)), ({ text, usageMetadata }) => {
    usage = usageMetadata ?? usage
    return text
  })
  equal(pieces.join(''), kit.greeting)
  holds(pieces.length > 1, 'several pieces', pieces)
  equal([usage?.promptTokenCount, usage?.candidatesTokenCount], [9, 4], 'the usage')
})

await check('tools', async () => {
  for (const streamed of [false, true]) {
    const question = { role: 'user', parts: [{ text: kit.weatherQuestion }] }
    const request = { ...asking([question]), config: { tools: [{ functionDeclarations: [weather] }] } }
    let content, calls
    if (streamed) {
      const { parts, calls: found } = await whole(request)
      ;[content, calls] = [{ role: 'model', parts }, found]
    } else {
      const reply = await models.generateContent(request)
      ;[content, calls] = [reply.candidates[0].content, reply.functionCalls]
    }
    equal(
      calls.map(({ name, args }) => [name, args]),
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_weather', { city: 'Rome' }],
      ],
      'the calls',
    )
    const parts = calls.map(({ id, name, args }) => ({ functionResponse: { id, name, response: { output: kit.weatherIn(args.city) } } }))
    const answered = await models.generateContent({ ...request, contents: [question, content, { role: 'user', parts }] })
    equal(answered.text, kit.weatherAnswer)
  }
})

await check('structured', async () => {
  for (const schema of [{ responseJsonSchema: kit.extractionSchema }, { responseSchema: upper(kit.extractionSchema) }]) {
    const config = { responseMimeType: 'application/json', ...schema }
    const { text } = await models.generateContent({ ...asking(kit.extraction), config })
    equal(JSON.parse(text), { city: 'Oslo', degrees: 21 })
  }
})

await check('images', async () => {
  const parts = [{ text: kit.imageQuestion }, { inlineData: { mimeType: 'image/png', data: kit.png } }]
  equal((await models.generateContent(asking([{ role: 'user', parts }]))).text, kit.imageAnswer)
})

await check('errors', async () => {
  for (const [ask, status] of [
    [() => client('tp_demo_wrong').models.generateContent(asking(kit.hello)), 401],
    [() => models.generateContent({ ...asking(kit.hello), model: 'nowhere/m' }), 404],
    [() => models.generateContent(asking(kit.hello, 'failing-429')), 429],
    [() => models.generateContent(asking(kit.hello, 'failing-500')), 503],
    [() => models.generateContentStream(asking(kit.hello, 'failing-500')), 503],
  ]) {
    const error = await failure(ask())
    holds(error instanceof ApiError, 'an ApiError', String(error))
    // An unknown model is the caller's mistake, whatever its number.
    if (status === 404) holds([400, 404].includes(error.status), 'a 400 or 404', error.status)
    else equal(error.status, status, 'the status')
  }
  await failure(whole(asking(kit.hello, 'cut')))
})

await check('retries', async () => {
  const patient = client(kit.key, { attempts: 3 })
  for (const status of [429, 500]) equal((await patient.models.generateContent(asking(kit.hello, `busy-${status}`))).text, kit.greeting)
})

await check('abort', async () => {
  const controller = new AbortController()
  const stream = await models.generateContentStream({ ...asking(kit.hello, 'slow'), config: { abortSignal: controller.signal } })
  await failure(kit.texts(stream, () => controller.abort()))
})

await check('embeddings', async () => {
  if (kit.vendor === 'by-messages') return
  const { embeddings } = await models.embedContent({ model: model('embedding'), contents: ['one', 'another'] })
  equal(
    embeddings.map(({ values }) => values.length),
    [4, 4],
  )
})

/** The same in the older form of this API. */
function upper({ additionalProperties: _, type, properties, ...rest }) {
  const inner = properties && Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, upper(schema)]))
  return { ...rest, type: type.toUpperCase(), ...(inner && { properties: inner }) }
}
