import { createAnthropic } from '@ai-sdk/anthropic'
import { createCohere } from '@ai-sdk/cohere'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  embedMany,
  experimental_decide as decide,
  generateText,
  isStepCount,
  Output,
  rerank,
  RetryError,
  streamText,
  tool,
} from 'ai'
import { z } from 'zod'
import * as kit from '../checks.js'
import { check, equal, failure, holds, model } from '../checks.js'

globalThis.AI_SDK_LOG_WARNINGS = false
const [surface] = process.argv.slice(2)
const baseURL = `${kit.url}/v1`

/** A provider of the AI SDK for this surface. */
function provider(apiKey = kit.key) {
  if (surface === 'openai') return createOpenAI({ apiKey, baseURL })
  if (surface === 'anthropic') return createAnthropic({ apiKey, baseURL })
  if (surface === 'google') return createGoogle({ apiKey, baseURL: `${kit.url}/v1beta` })
  return createOpenAICompatible({ name: 'turnpike', apiKey, baseURL, includeUsage: true, supportsStructuredOutputs: true })
}

function chat(what, key) {
  const made = provider(key)
  return surface === 'openai' ? made.chat(model(what)) : made(model(what))
}

const tools = {
  get_weather: tool({
    description: 'The weather in a city',
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => kit.weatherIn(city),
  }),
}

await check('text', async () => {
  const { text, usage, finishReason } = await generateText({ model: chat(), prompt: kit.hello })
  equal(text, kit.greeting)
  equal([usage.inputTokens, usage.outputTokens], [9, 4], 'the usage')
  equal(finishReason, 'stop', 'the finish reason')
})

await check('stream', async () => {
  const stream = streamText({ model: chat(), prompt: kit.hello })
  const pieces = await kit.texts(stream.textStream, text => text)
  equal(pieces.join(''), kit.greeting)
  holds(pieces.length > 1, 'several pieces', pieces)
  const { inputTokens, outputTokens } = await stream.usage
  equal([inputTokens, outputTokens], [9, 4], 'the usage')
})

await check('tools', async () => {
  const asked = { model: chat(), prompt: kit.weatherQuestion, tools, stopWhen: isStepCount(3) }
  const { text, steps } = await generateText(asked)
  equal(text, kit.weatherAnswer)
  equal(
    steps[0].toolCalls.map(({ input }) => input.city),
    ['Oslo', 'Rome'],
    'the calls',
  )
  equal((await kit.texts(streamText(asked).textStream, text => text)).join(''), kit.weatherAnswer, 'the stream')
})

await check('structured', async () => {
  const output = Output.object({ schema: z.object({ city: z.string(), degrees: z.number() }) })
  equal((await generateText({ model: chat(), prompt: kit.extraction, output })).output, { city: 'Oslo', degrees: 21 })
})

await check('images', async () => {
  const content = [
    { type: 'text', text: kit.imageQuestion },
    { type: 'file', mediaType: 'image/png', data: kit.png },
  ]
  equal((await generateText({ model: chat(), messages: [{ role: 'user', content }] })).text, kit.imageAnswer)
})

await check('errors', async () => {
  const ask = (what, key) => generateText({ model: chat(what, key), prompt: kit.hello, maxRetries: 0 })
  for (const [what, status, key] of [
    ['plain', 401, 'tp_demo_wrong'],
    ['failing-429', 429],
    ['failing-500', 503],
  ]) {
    const error = await failure(ask(what, key))
    holds(APICallError.isInstance(error), 'an APICallError', String(error))
    equal(error.statusCode, status, 'the status')
    holds(error.message.length > 10 && !error.message.startsWith('{'), "the gateway's message", error.message)
  }
  let seen
  const stream = streamText({ model: chat('cut'), prompt: kit.hello, maxRetries: 0, onError: ({ error }) => (seen = error) })
  await stream.consumeStream()
  const reason = await stream.finishReason.catch(error => error)
  holds(seen !== undefined || reason === 'interrupted', 'a failed stream', reason)
  holds(reason !== 'stop', 'no success', reason)
})

await check('retries', async () => {
  for (const status of [429, 500]) equal((await generateText({ model: chat(`busy-${status}`), prompt: kit.hello })).text, kit.greeting)
  const error = await failure(generateText({ model: chat('failing-503'), prompt: kit.hello, maxRetries: 1 }))
  holds(RetryError.isInstance(error) && error.errors.length === 2, 'two tries', String(error))
})

await check('abort', async () => {
  const controller = new AbortController()
  const stream = streamText({ model: chat('slow'), prompt: kit.hello, abortSignal: controller.signal, onError: () => {} })
  for await (const _ of stream.textStream) controller.abort()
})

if (surface === 'openai' || surface === 'google') {
  await check('embeddings', async () => {
    if (kit.vendor === 'by-messages') return
    const { embeddings } = await embedMany({ model: provider().embeddingModel(model('embedding')), values: ['one', 'another'] })
    equal(
      embeddings.map(({ length }) => length),
      [4, 4],
    )
  })
}

if (surface === 'openai') {
  await check('rerank', async () => {
    // The gateway speaks the reranking of Cohere's SDK, which asks at `/rerank` below its address.
    const cohere = createCohere({ apiKey: kit.key, baseURL })
    const { ranking } = await rerank({
      model: cohere.reranking('cohere/rerank-demo'),
      query: 'long',
      documents: ['short', 'a longer one'],
      topN: 1,
    })
    equal(
      ranking.map(({ originalIndex, document }) => [originalIndex, document]),
      [[1, 'a longer one']],
    )
  })

  await check('decisions', async () => {
    for (const name of ['openai/gpt-6-luna', 'sandbox/dm']) {
      const { answers, usage } = await decide({
        model: provider().decisionModel(name),
        state: [{ type: 'text', text: 'Where is my money?' }],
        questions: {
          angry: { type: 'boolean', instructions: 'Is the writer angry?' },
          topic: { type: 'choice', criteria: { billing: 'Money', bug: null } },
          urgency: { type: 'score', instructions: 'How urgent?', criteria: ['can wait', 'today'] },
        },
      })
      equal(
        Object.values(answers).map(({ type }) => type),
        ['boolean', 'choice', 'score'],
      )
      holds(usage.inputTokens > 0, 'usage', usage)
    }
  })
}
