import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema'
import * as kit from '../checks.js'
import { check, equal, failure, holds, model } from '../checks.js'

const client = new Anthropic({ apiKey: kit.key, baseURL: kit.url, logLevel: 'off' })
const once = client.withOptions({ maxRetries: 0 })
const asking = (content, what) => ({ model: model(what), max_tokens: 1_000, messages: [{ role: 'user', content }] })
const textOf = ({ content }) => content.map(({ text = '' }) => text).join('')
const weather = { name: 'get_weather', description: 'The weather in a city', input_schema: kit.weatherSchema }

await check('text', async () => {
  const message = await client.messages.create(asking(kit.hello))
  equal(textOf(message), kit.greeting)
  equal(message.stop_reason, 'end_turn', 'the stop reason')
  equal([message.usage.input_tokens, message.usage.output_tokens], [9, 4], 'the usage')
  const { input_tokens: counted } = await client.messages.countTokens({ model: model(), messages: asking(kit.hello).messages })
  holds(counted > 0, 'a count of tokens', counted)
})

await check('stream', async () => {
  const stream = client.messages.stream(asking(kit.hello))
  const pieces = []
  stream.on('text', text => pieces.push(text))
  const message = await stream.finalMessage()
  equal(textOf(message), kit.greeting)
  equal(pieces.join(''), kit.greeting, 'the pieces')
  holds(pieces.length > 1, 'several pieces', pieces)
  equal([message.usage.input_tokens, message.usage.output_tokens], [9, 4], 'the usage')
})

await check('tools', async () => {
  for (const streamed of [false, true]) {
    const request = { ...asking(kit.weatherQuestion), tools: [weather] }
    const { content, stop_reason: reason } = streamed
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request)
    equal(reason, 'tool_use', 'the stop reason')
    const calls = content.filter(({ type }) => type === 'tool_use')
    equal(
      calls.map(({ name, input }) => [name, input]),
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_weather', { city: 'Rome' }],
      ],
      'the calls',
    )
    const results = calls.map(({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: kit.weatherIn(input.city) }))
    const messages = [...request.messages, { role: 'assistant', content }, { role: 'user', content: results }]
    equal(textOf(await client.messages.create({ ...request, messages })), kit.weatherAnswer)

    const tool = betaTool({
      name: 'get_weather',
      description: weather.description,
      inputSchema: kit.weatherSchema,
      run: ({ city }) => kit.weatherIn(city),
    })
    const final = await client.beta.messages.toolRunner({ ...asking(kit.weatherQuestion), tools: [tool], stream: streamed }).runUntilDone()
    equal(textOf(final), kit.weatherAnswer, "the runner's answer")
  }
})

await check('structured', async () => {
  const format = jsonSchemaOutputFormat(kit.extractionSchema)
  const message = await client.messages.parse({ ...asking(kit.extraction), output_config: { format } })
  equal(message.parsed_output, { city: 'Oslo', degrees: 21 })
})

await check('images', async () => {
  const source = { type: 'base64', media_type: 'image/png', data: kit.png }
  const message = await client.messages.create(
    asking([
      { type: 'image', source },
      { type: 'text', text: kit.imageQuestion },
    ]),
  )
  equal(textOf(message), kit.imageAnswer)
})

await check('errors', async () => {
  const stranger = new Anthropic({ apiKey: 'tp_demo_wrong', baseURL: kit.url, logLevel: 'off' })
  for (const [ask, kind, status] of [
    [() => stranger.messages.create(asking(kit.hello)), Anthropic.AuthenticationError, 401],
    [() => client.messages.create({ ...asking(kit.hello), model: 'nowhere/m' }), Anthropic.BadRequestError, 400],
    [() => once.messages.create(asking(kit.hello, 'failing-429')), Anthropic.RateLimitError, 429],
    [() => once.messages.create(asking(kit.hello, 'failing-500')), Anthropic.InternalServerError, 503],
    [() => once.messages.create(asking(kit.hello, 'failing-529')), Anthropic.InternalServerError, 529],
    [() => once.messages.stream(asking(kit.hello, 'failing-500')).finalMessage(), Anthropic.InternalServerError, 503],
  ]) {
    const error = await failure(ask())
    holds(error instanceof kind, kind.name, String(error))
    equal(error.status, status, 'the status')
    holds(error.requestID?.startsWith('req_'), 'an id', error.requestID)
  }
  const cut = await failure(once.messages.stream(asking(kit.hello, 'cut')).finalMessage())
  holds(cut instanceof Anthropic.APIError, 'an APIError', String(cut))
})

await check('retries', async () => {
  for (const status of [429, 500, 529]) equal(textOf(await client.messages.create(asking(kit.hello, `busy-${status}`))), kit.greeting)
  equal(textOf(await client.messages.stream(asking(kit.hello, 'busy-503')).finalMessage()), kit.greeting)
})

await check('abort', async () => {
  const stream = client.messages.stream(asking(kit.hello, 'slow'))
  stream.on('text', () => stream.abort())
  const error = await failure(stream.finalMessage())
  holds(error instanceof Anthropic.APIUserAbortError, 'an APIUserAbortError', String(error))
})
