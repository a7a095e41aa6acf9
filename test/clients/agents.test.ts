import {
  Agent,
  ModelBehaviorError,
  ModelRefusalError,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
  tool,
  user,
  type AgentInputItem,
} from '@openai/agents'
import OpenAI from 'openai'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { compareRecorded, parsed, type ClientReading, type Question } from './recorded-models.ts'
import { departure, silentStage, stage } from './stage.ts'

// It would send traces to its own vendor.
setTracingDisabled(true)

const getWeather = tool({
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}`,
})

async function read(runner: Runner, { model, stream, functions }: Question): Promise<ClientReading> {
  const agent = new Agent({
    name: 'Reader',
    model,
    tools: functions.map(name =>
      tool({
        name,
        description: '',
        strict: false,
        parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
        execute: () => 'done',
      }),
    ),
    toolUseBehavior: 'stop_on_first_tool',
  })
  const result = stream ? await runner.run(agent, 'hi', { stream, maxTurns: 1 }) : await runner.run(agent, 'hi', { maxTurns: 1 })
  if ('completed' in result) await result.completed
  const [response] = result.rawResponses
  const { usage, output } = response!
  const messages = output.flatMap(item => (item.type === 'message' && item.role === 'assistant' ? item.content : []))
  return {
    text: messages.flatMap(part => (part.type === 'output_text' ? [part.text] : [])).join(''),
    refusal: messages.flatMap(part => (part.type === 'refusal' ? [part.refusal] : [])).join(''),
    calls: output.flatMap(item => (item.type === 'function_call' ? [{ name: item.name, input: parsed(item.arguments) }] : [])),
    finish: output.some(({ type }) => type === 'function_call') ? 'tool-calls' : 'stop',
    tokens: {
      input: usage.inputTokens,
      cached: usage.inputTokensDetails[0]?.['cached_tokens'] ?? 0,
      output: usage.outputTokens,
      reasoning: usage.outputTokensDetails[0]?.['reasoning_tokens'] ?? 0,
    },
  }
}

interface Told {
  readonly output: string | undefined
  readonly responseId: string | undefined
  readonly history: AgentInputItem[]
  readonly turns: number
}

/** A run to its end. The pieces of a streamed run must add up to its result. */
async function complete(
  t: Test,
  runner: Runner,
  stream: boolean,
  agent: Agent,
  input: string | AgentInputItem[],
  previous?: string,
): Promise<Told> {
  const options = previous === undefined ? {} : { previousResponseId: previous }
  const result = stream ? await runner.run(agent, input, { ...options, stream }) : await runner.run(agent, input, options)
  if ('completed' in result) {
    let text = ''
    for await (const event of result)
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') text += event.data.delta
    await result.completed
    t.equal(text, result.finalOutput)
  }
  return { output: result.finalOutput, responseId: result.lastResponseId, history: result.history, turns: result.rawResponses.length }
}

async function everyWay(t: Test, runner: Runner, stream: boolean, wires: readonly string[]): Promise<void> {
  for (const model of ['sandbox/echo', ...wires]) {
    const agent = new Agent({ name: 'Greeter', instructions: 'Be kind.', model })
    const first = await complete(t, runner, stream, agent, 'Say hello')
    t.match(first.output, /hello/i, model)
    const second = await complete(t, runner, stream, agent, 'Say hello again', first.responseId)
    t.match(second.output, /hello/i, 'previousResponseId')
  }
  for (const model of ['sandbox/tools', ...wires]) {
    const agent = new Agent({ name: 'Forecaster', model, tools: [getWeather] })
    const first = await complete(t, runner, stream, agent, 'How is the weather in Oslo?')
    t.match(first.output, /Sunny/, `${model}: tool loop`)
    t.equal(first.turns, 2)
    const second = await complete(t, runner, stream, agent, [...first.history, user('And in Bergen?')])
    t.match(second.output, /Sunny/, 'with the history')
  }

  const shape = z.object({ city: z.string(), celsius: z.number() })
  const surveyor = new Agent({ name: 'Surveyor', model: 'sandbox/echo', outputType: shape })
  const surveyed = stream ? await runner.run(surveyor, 'Oslo', { stream }) : await runner.run(surveyor, 'Oslo')
  if ('completed' in surveyed) await surveyed.completed
  t.ok(shape.safeParse(surveyed.finalOutput).success, 'output type')

  const clerk = new Agent({ name: 'Clerk', model: 'sandbox/echo' })
  const desk = Agent.create({ name: 'Desk', model: 'sandbox/tools', handoffs: [clerk] })
  const handed = stream ? await runner.run(desk, 'Pass me on', { stream }) : await runner.run(desk, 'Pass me on')
  if ('completed' in handed) await handed.completed
  t.equal(handed.lastAgent?.name, 'Clerk', 'handoff')

  const thinker = new Agent({
    name: 'Thinker',
    model: 'sandbox/reasoning',
    modelSettings: { providerData: { include: ['reasoning.encrypted_content'] } },
  })
  const thought = await complete(t, runner, stream, thinker, 'Why?')
  const after = await complete(t, runner, stream, thinker, [...thought.history, user('And now?')])
  t.equal(after.output, 'I remember turn 1. And now?', 'the state of reasoning comes back')
}

/** Checks how it treats answers that are not whole: contract, strictness of clients. */
async function refuses(t: Test, runner: Runner, stream: boolean): Promise<void> {
  const ask = (model: string, input: string, modelSettings = {}): Promise<unknown> =>
    complete(t, runner, stream, new Agent({ name: 'Asker', model, modelSettings }), input)
  await t.rejects(ask('sandbox/fail', '503'), { status: 424, code: 'provider_error' })
  await t.rejects(ask('sandbox/fail', '429'), { status: 429, code: 'rate_limit_exceeded' })
  await t.rejects(ask('sandbox/fail', 'refusal'), ModelRefusalError)
  for (const incomplete of [ask('sandbox/echo', 'one two three four five six', { maxTokens: 3 }), ask('sandbox/fail', 'content-filter')])
    await t.rejects(incomplete, ModelBehaviorError)
  if (!stream) return
  await t.rejects(ask('sandbox/fail', '{"status":503,"after":2,"message":"Gone for lunch."}'), { message: /Gone for lunch/ })
  await t.rejects(ask('sandbox/fail', '{"cut":true,"after":2}'), { code: 'provider_error' })
}

function runnerOf(apiKey: string, baseURL: string): Runner {
  const openAIClient = new OpenAI({ apiKey, baseURL, maxRetries: 0 })
  return new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses: true }), tracingDisabled: true })
}

t.test('the agents SDK', async t => {
  const under = await stage(t)
  const runner = runnerOf(under.apiKey, under.baseURL)
  for (const stream of [false, true]) {
    await t.test(stream ? 'streamed' : 'whole', async t => {
      await everyWay(t, runner, stream, under.wires)
      await refuses(t, runner, stream)
    })
  }
  await t.test('a client that leaves', async t => {
    const leaving = new AbortController()
    const agent = new Agent({ name: 'Waiter', model: 'sandbox/slow' })
    const result = await runner.run(agent, 'first 0 between 60000 pieces 2', { stream: true, signal: leaving.signal })
    for await (const { type } of result) if (type === 'raw_model_stream_event') leaving.abort()
    await result.completed.catch(() => {})
    t.ok(result.cancelled)
    t.match(await departure(under), { model: 'slow' })
  })
  await t.test('silence is broken without harm', async t => {
    const { apiKey, baseURL, question } = await silentStage(t)
    t.equal((await read(runnerOf(apiKey, baseURL), question)).text, 'Here I am.')
  })
  await compareRecorded(
    t,
    under.recordedModels.filter(({ hasOtherTools }) => !hasOtherTools),
    each => read(runner, each),
    {
      // It takes only whole answers, and where nothing was said it asks again.
      rejects: ({ expected: { finish, refusal, text, calls } }) =>
        finish === 'length' || finish === 'content-filter' || refusal !== '' || (text === '' && calls.length === 0),
    },
  )
})
