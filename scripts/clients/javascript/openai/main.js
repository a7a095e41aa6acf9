import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import * as kit from '../checks.js'
import { check, equal, failure, holds, model } from '../checks.js'

const client = new OpenAI({ apiKey: kit.key, baseURL: `${kit.url}/v1`, logLevel: 'off' })
const once = client.withOptions({ maxRetries: 0 })
const { completions } = client.chat
const asking = (content, what) => ({ model: model(what), messages: [{ role: 'user', content }] })
const textOf = ({ choices }) => choices[0].message.content
const weather = { type: 'function', function: { name: 'get_weather', description: 'The weather in a city', parameters: kit.weatherSchema } }

await check('text', async () => {
  const completion = await completions.create(asking(kit.hello))
  equal(textOf(completion), kit.greeting)
  equal(completion.choices[0].finish_reason, 'stop', 'the finish reason')
  equal([completion.usage.prompt_tokens, completion.usage.completion_tokens, completion.usage.total_tokens], [9, 4, 13], 'the usage')
})

await check('stream', async () => {
  const request = { ...asking(kit.hello), stream: true }
  const pieces = await kit.texts(await completions.create(request), ({ choices }) => choices[0]?.delta.content)
  equal(pieces.join(''), kit.greeting)
  holds(pieces.length > 1, 'several pieces', pieces)
  const chunks = []
  for await (const chunk of await completions.create({ ...request, stream_options: { include_usage: true } })) chunks.push(chunk)
  equal([chunks.at(-1).choices, chunks.at(-1).usage?.total_tokens], [[], 13], 'the last chunk')
  equal(textOf(await completions.stream(asking(kit.hello)).finalChatCompletion()), kit.greeting)
})

await check('tools', async () => {
  for (const streamed of [false, true]) {
    const request = { ...asking(kit.weatherQuestion), tools: [weather] }
    const asked = streamed ? await completions.stream(request).finalChatCompletion() : await completions.create(request)
    const [{ message, finish_reason: reason }] = asked.choices
    equal(reason, 'tool_calls', 'the finish reason')
    equal(
      message.tool_calls.map(call => [call.function.name, call.function.arguments]),
      [
        ['get_weather', '{"city":"Oslo"}'],
        ['get_weather', '{"city":"Rome"}'],
      ],
      'the calls',
    )
    const results = message.tool_calls.map(call => ({
      role: 'tool',
      tool_call_id: call.id,
      content: kit.weatherIn(JSON.parse(call.function.arguments).city),
    }))
    equal(textOf(await completions.create({ ...request, messages: [...request.messages, message, ...results] })), kit.weatherAnswer)

    const runnable = { ...weather.function, parse: JSON.parse, function: ({ city }) => kit.weatherIn(city) }
    const runner = completions.runTools({ ...request, stream: streamed, tools: [{ type: 'function', function: runnable }] })
    equal(await runner.finalContent(), kit.weatherAnswer, "the runner's answer")
  }
})

await check('structured', async () => {
  const response_format = zodResponseFormat(z.object({ city: z.string(), degrees: z.number().int() }), 'reading')
  const completion = await completions.parse({ ...asking(kit.extraction), response_format })
  equal(completion.choices[0].message.parsed, { city: 'Oslo', degrees: 21 })
})

await check('images', async () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${kit.png}` } }
  equal(textOf(await completions.create(asking([{ type: 'text', text: kit.imageQuestion }, image]))), kit.imageAnswer)
})

await check('errors', async () => {
  const stranger = new OpenAI({ apiKey: 'tp_demo_wrong', baseURL: `${kit.url}/v1`, logLevel: 'off' })
  const failing = status => once.chat.completions.create(asking(kit.hello, `failing-${status}`))
  for (const [ask, kind, status] of [
    [() => stranger.chat.completions.create(asking(kit.hello)), OpenAI.AuthenticationError, 401],
    [() => completions.create({ ...asking(kit.hello), model: 'nowhere/m' }), OpenAI.BadRequestError, 400],
    [() => failing(429), OpenAI.RateLimitError, 429],
    [() => failing(500), OpenAI.InternalServerError, 503],
    [() => once.chat.completions.stream(asking(kit.hello, 'failing-500')).finalChatCompletion(), OpenAI.InternalServerError, 503],
  ]) {
    const error = await failure(ask())
    holds(error instanceof kind, kind.name, String(error))
    equal(error.status, status, 'the status')
    holds(error.requestID?.startsWith('req_'), 'an id', error.requestID)
  }
  const cut = await failure(once.chat.completions.stream(asking(kit.hello, 'cut')).finalChatCompletion())
  holds(cut instanceof OpenAI.APIError || cut.cause instanceof OpenAI.APIError, 'an APIError', String(cut))
})

await check('retries', async () => {
  for (const status of [429, 500]) equal(textOf(await completions.create(asking(kit.hello, `busy-${status}`))), kit.greeting)
  equal(textOf(await completions.stream(asking(kit.hello, 'busy-503')).finalChatCompletion()), kit.greeting)
})

await check('abort', async () => {
  const stream = await completions.create({ ...asking(kit.hello, 'slow'), stream: true })
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) stream.controller.abort()
})

await check('embeddings', async () => {
  if (kit.vendor === 'by-messages') return
  const { data, usage } = await client.embeddings.create({ model: model('embedding'), input: ['one', 'another'] })
  equal(
    data.map(({ embedding, index }) => [embedding.length, index]),
    [
      [4, 0],
      [4, 1],
    ],
  )
  holds(usage.total_tokens > 0, 'usage', usage)
})

await check('decisions', async () => {
  for (const name of ['openai/gpt-6-luna', 'sandbox/dm']) {
    const { answers, usage } = await client.decisions.create({
      model: name,
      input: 'Where is my money?',
      questions: [
        { type: 'predicate', name: 'angry', instructions: 'The writer is angry.' },
        { type: 'choice', instructions: 'Is it paid?', choices: [{ value: true }, { value: 'true' }, { value: 'unclear' }] },
        { type: 'score', instructions: 'How urgent?', levels: [{ label: 'can wait' }, { label: 'today' }] },
      ],
    })
    equal(
      answers.map(({ type }) => type),
      ['predicate', 'choice', 'score'],
    )
    holds(usage.total_tokens === usage.input_tokens + usage.output_tokens, 'usage that adds up', usage)
  }
})
