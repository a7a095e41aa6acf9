import OpenAI from 'openai'
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import t, { type Test } from 'tap'
import { silentStage, stage } from './stage.ts'
import { compareRecorded, parsed, type ClientReading, type Question } from './recorded-models.ts'

const weather: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather in a city',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
}
const question = 'How is the weather in Oslo?'

/** Calls one model in every way that the SDK has. */
async function everyWay(t: Test, client: OpenAI, model: string, toolModel = model): Promise<void> {
  const whole = await client.responses.create({ model, input: 'Say hello' })
  t.equal(whole.status, 'completed')
  t.ok(whole.output_text.length > 0, `create: ${whole.output_text}`)
  t.ok(whole.usage!.total_tokens > 0)
  t.ok('cost_usd' in whole.usage!, 'a member that the SDK does not know')

  let deltas = ''
  let last: OpenAI.Responses.ResponseStreamEvent | undefined
  for await (const event of await client.responses.create({ model, input: 'Say hello', stream: true })) {
    if (event.type === 'response.output_text.delta') deltas += event.delta
    last = event
  }
  t.equal(deltas, whole.output_text, 'stream: true')
  t.equal(last?.type, 'response.completed')

  const final = await client.responses.stream({ model, input: 'Say hello' }).finalResponse()
  t.equal(final.output_text, whole.output_text, '.stream()')
  t.same(final.usage, whole.usage)

  for (const streamed of [false, true]) {
    const request = { model: toolModel, input: question, tools: [weather] }
    const asked: OpenAI.Responses.Response = streamed
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request)
    const call = asked.output.find(item => item.type === 'function_call')
    t.equal(call?.name, 'get_weather')
    t.type((parsed(call!.arguments) as { city: unknown }).city, 'string')
    const output = { type: 'function_call_output' as const, call_id: call!.call_id, output: 'Sunny, 20 degrees' }
    const replayed = await client.responses.create({
      model: toolModel,
      tools: [weather],
      input: [{ role: 'user', content: question }, ...(asked.output as OpenAI.Responses.ResponseInputItem[]), output],
    })
    t.match(replayed.output_text, /Sunny/, 'tool loop by replay')
    const chained = await client.responses.create({ model: toolModel, tools: [weather], previous_response_id: asked.id, input: [output] })
    t.match(chained.output_text, /Sunny/, 'tool loop by previous_response_id')
  }

  const chained = await client.responses.create({ model, previous_response_id: whole.id, input: 'And again' })
  t.equal(chained.previous_response_id, whole.id)
  t.equal(chained.status, 'completed')
}

async function read(client: OpenAI, { request, stream }: Question): Promise<ClientReading> {
  const body = request as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming
  const response = stream ? await client.responses.stream({ ...body, stream: true }).finalResponse() : await client.responses.create(body)
  const calls = response.output.flatMap(item => {
    if (item.type === 'function_call') return [{ name: item.name, input: parsed(item.arguments) }]
    return item.type === 'custom_tool_call' ? [{ name: item.name, input: parsed(item.input) }] : []
  })
  const ends = { max_output_tokens: 'length', content_filter: 'content-filter' } as const
  const reason = response.incomplete_details?.reason
  const usage = response.usage!
  return {
    text: response.output_text,
    refusal: response.output.flatMap(refusals).join(''),
    calls,
    finish: ends[reason as keyof typeof ends] ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
    tokens: {
      input: usage.input_tokens,
      cached: usage.input_tokens_details.cached_tokens,
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details.reasoning_tokens,
    },
  }
}

function refusals(item: OpenAI.Responses.ResponseOutputItem): string[] {
  return item.type === 'message' ? item.content.flatMap(part => (part.type === 'refusal' ? [part.refusal] : [])) : []
}

t.test('the openai SDK', async t => {
  const under = await stage(t)
  const client = new OpenAI({ apiKey: under.apiKey, baseURL: under.baseURL, maxRetries: 0 })

  await t.test('the sandbox', t => everyWay(t, client, 'sandbox/echo', 'sandbox/tools'))
  for (const model of under.wires) await t.test(model, t => everyWay(t, client, model))
  await t.test('silence is broken without harm', async t => {
    const { apiKey, baseURL, question } = await silentStage(t)
    t.equal((await read(new OpenAI({ apiKey, baseURL, maxRetries: 0 }), question)).text, 'Here I am.')
  })
  await compareRecorded(t, under.recordedModels, model => read(client, model))

  await t.test('helpers', async t => {
    const format = zodTextFormat(z.object({ city: z.string(), celsius: z.number() }), 'weather')
    const parsed = await client.responses.parse({ model: 'sandbox/echo', input: 'Oslo', text: { format } })
    t.type(parsed.output_parsed?.celsius, 'number', 'parse')
    const streamed = await client.responses.stream({ model: 'sandbox/echo', input: 'Oslo', text: { format } }).finalResponse()
    t.same(streamed.output_parsed, parsed.output_parsed, '.stream() with a format')

    const runnable = zodResponsesFunction({ name: 'get_weather', parameters: z.object({ city: z.string() }) })
    const called = await client.responses.parse({ model: 'sandbox/tools', input: question, tools: [runnable] })
    const [call] = called.output
    t.type(call?.type === 'function_call' && call.parsed_arguments.city, 'string', 'parsed arguments')

    const reasoned = await client.responses
      .stream({ model: 'sandbox/reasoning', input: 'Why?', include: ['reasoning.encrypted_content'] })
      .finalResponse()
    const again = await client.responses.create({
      model: 'sandbox/reasoning',
      input: [
        { role: 'user', content: 'Why?' },
        ...(reasoned.output as OpenAI.Responses.ResponseInputItem[]),
        { role: 'user', content: 'And now?' },
      ],
    })
    t.match(again.output_text, /I remember turn 1/, 'the state comes back')

    const listed: string[] = []
    for await (const { id } of client.models.list()) listed.push(id)
    t.ok(listed.includes('echo'))
    t.equal((await client.models.retrieve('sandbox/echo')).id, 'echo')
  })

  await t.test('ways to end', async t => {
    const end = (body: OpenAI.Responses.ResponseCreateParamsNonStreaming): Promise<OpenAI.Responses.Response>[] => [
      client.responses.create(body),
      client.responses.stream({ ...body, stream: true }).finalResponse(),
    ]
    for (const response of await Promise.all(end({ model: 'sandbox/echo', input: 'one two three four five six', max_output_tokens: 3 }))) {
      t.equal(response.status, 'incomplete')
      t.same(response.incomplete_details, { reason: 'max_output_tokens' })
      t.match(response.output.at(-1), { type: 'message', status: 'incomplete' })
    }
    for (const response of await Promise.all(end({ model: 'sandbox/fail', input: 'content-filter' })))
      t.same(response.incomplete_details, { reason: 'content_filter' })
    for (const response of await Promise.all(end({ model: 'sandbox/fail', input: 'refusal' })))
      t.equal(response.output.flatMap(refusals).join(''), 'I cannot help with that.')
    const custom: OpenAI.Responses.CustomTool = { type: 'custom', name: 'shell' }
    for (const response of await Promise.all(end({ model: 'sandbox/tools', input: 'hi', tools: [custom] })))
      t.match(response.output, [{ type: 'custom_tool_call', name: 'shell', input: String }])
  })
})
