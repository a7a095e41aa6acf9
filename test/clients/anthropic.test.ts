import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import t, { type Test } from 'tap'
import { ProviderFailure } from '../../core/index.ts'
import messages from '../../plugins/endpoints/messages/index.ts'
import { scripted } from '../kit/gateway.ts'
import { departure, stage } from './stage.ts'

const citySchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const
const weather: Anthropic.Tool = {
  name: 'get_weather',
  description: 'The weather in a city',
  input_schema: { ...citySchema, required: ['city'] },
}
const question: Anthropic.MessageParam = { role: 'user', content: 'How is the weather in Oslo?' }

/** What the SDK does in every way that it has, against one model. */
async function everyWay(t: Test, client: Anthropic, model: string): Promise<void> {
  const hello: Anthropic.MessageCreateParamsNonStreaming = { model, max_tokens: 100, messages: [{ role: 'user', content: 'Say hello' }] }
  const whole = await client.messages.create(hello)
  t.equal(whole.stop_reason, 'end_turn')
  t.ok(textOf(whole).length > 0, textOf(whole))
  t.ok(whole.usage.input_tokens > 0)
  t.ok('cost_usd' in whole.usage, 'a member that the SDK does not know')
  t.match(whole._request_id, /^req_/)

  let deltas = ''
  let last: Anthropic.MessageStreamEvent | undefined
  for await (const event of await client.messages.create({ ...hello, stream: true })) {
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') deltas += event.delta.text
    last = event
  }
  t.equal(deltas, textOf(whole), 'stream: true')
  t.equal(last?.type, 'message_stop')

  const final = await client.messages.stream(hello).finalMessage()
  t.equal(textOf(final), textOf(whole), '.stream()')
  t.equal(final.usage.output_tokens, whole.usage.output_tokens)
  t.equal(final.usage.input_tokens, whole.usage.input_tokens)

  for (const streamed of [false, true]) {
    const request: Anthropic.MessageCreateParamsNonStreaming = { model, max_tokens: 100, messages: [question], tools: [weather] }
    const asked = streamed ? await client.messages.stream(request).finalMessage() : await client.messages.create(request)
    t.equal(asked.stop_reason, 'tool_use')
    const call = asked.content.find(block => block.type === 'tool_use')!
    t.equal(call.name, 'get_weather')
    t.type((call.input as { city: unknown }).city, 'string')
    const answered = await client.messages.create({
      ...request,
      messages: [
        question,
        { role: 'assistant', content: asked.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'Sunny, 20 degrees' }] },
      ],
    })
    t.match(textOf(answered), /Sunny/, 'the second round')

    const runnable = betaTool({ name: weather.name, description: 'The weather', inputSchema: citySchema, run: () => 'Sunny, 20 degrees' })
    const runner = client.beta.messages.toolRunner({ model, max_tokens: 100, messages: [question], tools: [runnable], stream: streamed })
    t.match(textOf((await runner.runUntilDone()) as Anthropic.Message), /Sunny/, "the SDK's own loop")
  }

  const { input_tokens: tokens } = await client.messages.countTokens({ model, messages: hello.messages })
  t.ok(tokens > 0)
}

function textOf({ content }: Anthropic.Message): string {
  return content.map(block => (block.type === 'text' ? block.text : '')).join('')
}

t.test('the SDK of Anthropic', async t => {
  let failures = 0
  const moody = scripted('moody', async function* () {
    if (failures++ === 0) throw new ProviderFailure({ kind: 'overloaded', message: 'Overloaded' })
    yield { type: 'text', text: 'Hello' }
    yield { type: 'finish', reason: 'stop' }
  })
  const slow = scripted('slow', async function* ({ signal }) {
    yield { type: 'text', text: 'Hello' }
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  })
  const under = await stage(t, [messages({}), moody, slow])
  const client = new Anthropic({ apiKey: under.apiKey, baseURL: under.url, maxRetries: 0, logLevel: 'off' })
  for (const model of under.wires) await t.test(model, t => everyWay(t, client, model))

  await t.test('errors', async t => {
    const bad = { model: under.wires[0]!, max_tokens: 100, messages: [] }
    await t.rejects(client.messages.create(bad), Anthropic.BadRequestError)
    const unknown = await client.messages.create({ ...bad, model: 'nowhere/m', messages: [question] }).catch((error: unknown) => error)
    t.match(unknown, { status: 400, type: 'invalid_request_error', requestID: /^req_/ })
    const stranger = new Anthropic({ apiKey: 'sk-ant-demo', baseURL: under.url, maxRetries: 0, logLevel: 'off' })
    await t.rejects(stranger.messages.create({ ...bad, messages: [question] }), Anthropic.AuthenticationError)
    const bearer = new Anthropic({ authToken: under.apiKey, apiKey: null, baseURL: under.url, maxRetries: 0, logLevel: 'off' })
    t.ok(await bearer.messages.create({ ...bad, messages: [question] }))
  })

  await t.test('retries', async t => {
    const patient = client.withOptions({ maxRetries: 2 })
    const answer = await patient.messages.create({ model: 'moody/m', max_tokens: 100, messages: [question] })
    t.equal(textOf(answer), 'Hello')
  })

  await t.test('abort', async t => {
    const stream = client.messages.stream({ model: 'slow/m', max_tokens: 100, messages: [question] })
    stream.on('text', () => stream.abort())
    await t.rejects(stream.finalMessage(), Anthropic.APIUserAbortError)
    t.match(await departure(under), { status: 499 })
  })
})
