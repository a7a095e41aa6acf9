import {
  Agent,
  hostedMcpTool,
  MemorySession,
  OpenAIConversationsSession,
  OpenAIProvider,
  OpenAIResponsesCompactionSession,
  Runner,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import * as kit from '../checks.js'
import { check, equal, failure, holds, model } from '../checks.js'

// It would send traces to its own vendor.
setTracingDisabled(true)

const client = new OpenAI({ apiKey: kit.key, baseURL: `${kit.url}/v1`, logLevel: 'off' })
const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: client }) })
const socketed = new OpenAIProvider({
  apiKey: kit.key,
  baseURL: `${kit.url}/v1`,
  websocketBaseURL: `${kit.url.replace('http', 'ws')}/v1`,
  useResponsesWebSocket: true,
})
const overSocket = new Runner({ modelProvider: socketed })
const agent = (more = {}, what) => new Agent({ name: 'Helper', model: model(what), ...more })
const weather = tool({
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => kit.weatherIn(city),
})
const clerk = () => agent({ name: 'Clerk', handoffDescription: 'Knows the papers.' })

/** The final output of a streamed run, and its pieces. */
async function streamed(by, starting, input, options = {}) {
  const run = await by.run(starting, input, { ...options, stream: true })
  const pieces = await kit.texts(
    run,
    ({ type, data }) => type === 'raw_model_stream_event' && data.type === 'output_text_delta' && data.delta,
  )
  await run.completed
  return { run, pieces }
}

/** Two runs that share only a session. */
async function recalls(by, session, using = {}) {
  equal((await by.run(agent(using), kit.secret, { session })).finalOutput, kit.greeting)
  equal((await by.run(agent(using), kit.secretQuestion, { session })).finalOutput, kit.secretAnswer, 'what it remembers')
}

await check('text', async () => {
  const run = await runner.run(agent(), kit.hello)
  equal(run.finalOutput, kit.greeting)
  const { inputTokens, outputTokens } = run.state.usage
  equal([inputTokens, outputTokens], [9, 4], 'the usage')
})

await check('stream', async () => {
  const { run, pieces } = await streamed(runner, agent(), kit.hello)
  equal(run.finalOutput, kit.greeting)
  holds(pieces.length > 1, 'several pieces', pieces)
})

await check('tools', async () => {
  equal((await runner.run(agent({ tools: [weather] }), kit.weatherQuestion)).finalOutput, kit.weatherAnswer)
  equal(
    (await streamed(runner, agent({ tools: [weather] }), kit.weatherQuestion)).run.finalOutput,
    kit.weatherAnswer,
    'the streamed answer',
  )
})

await check('structured', async () => {
  const outputType = z.object({ city: z.string(), degrees: z.number().int() })
  equal((await runner.run(agent({ outputType }), kit.extraction)).finalOutput, { city: 'Oslo', degrees: 21 })
})

await check('images', async () => {
  const image = { type: 'input_image', image: `data:image/png;base64,${kit.png}` }
  const content = [{ type: 'input_text', text: kit.imageQuestion }, image]
  equal((await runner.run(agent(), [{ role: 'user', content }])).finalOutput, kit.imageAnswer)
})

await check('errors', async () => {
  const once = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: client.withOptions({ maxRetries: 0 }) }) })
  for (const [what, status] of [
    ['failing-429', 429],
    ['failing-500', 424],
  ])
    equal((await failure(once.run(agent({}, what), kit.hello))).status, status, 'the status')
  await failure(streamed(once, agent({}, 'cut'), kit.hello))
})

await check('handoffs', async () => {
  for (const streams of [false, true]) {
    const desk = Agent.create({ name: 'Desk', model: model(), handoffs: [clerk()] })
    const run = streams ? (await streamed(runner, desk, kit.passOn)).run : await runner.run(desk, kit.passOn)
    equal(run.lastAgent.name, 'Clerk', 'the last agent')
    const [call] = run.history.filter(({ type }) => type === 'function_call')
    equal(call.name, 'transfer_to_Clerk', 'the call')
    // The next run has the whole of it as its input.
    const next = await runner.run(run.lastAgent, [...run.history, { role: 'user', content: kit.secret }])
    holds(next.finalOutput.includes('Clerk'), 'the output of the handoff', next.finalOutput)
  }
})

await check('sessions', async () => {
  await recalls(runner, new MemorySession())
  await recalls(runner, new MemorySession(), { tools: [weather] })
  const first = await runner.run(agent(), kit.secret)
  const next = await runner.run(agent(), kit.secretQuestion, { previousResponseId: first.lastResponseId })
  equal(next.finalOutput, kit.secretAnswer, 'what it remembers by the id of a response')
})

await check('conversations', async () => {
  const session = new OpenAIConversationsSession({ client })
  await recalls(runner, session)
  equal((await session.getItems()).length, 4, 'the number of items')
  await session.popItem()
  equal((await session.getItems()).length, 3, 'the number of items')
  await session.clearSession()

  const { id: conversationId } = await client.conversations.create({})
  await runner.run(agent(), kit.secret, { conversationId })
  equal((await streamed(runner, agent(), kit.secretQuestion, { conversationId })).run.finalOutput, kit.secretAnswer, 'what it remembers')
  const items = await client.conversations.items.list(conversationId, { order: 'asc' })
  equal(
    items.data.map(({ role }) => role),
    ['user', 'assistant', 'user', 'assistant'],
    'the items',
  )
})

await check('compaction', async () => {
  for (const compactionMode of ['input', 'previous_response_id']) {
    const underlyingSession = new MemorySession()
    const options = { client, underlyingSession, model: process.env.TURNPIKE_GPT, compactionMode, shouldTriggerCompaction: () => true }
    const using = { model: process.env.TURNPIKE_GPT }
    await recalls(runner, new OpenAIResponsesCompactionSession(options), using)
    const types = (await underlyingSession.getItems()).map(({ type }) => type)
    holds(types.includes('compaction'), 'a compaction', types)
  }
})

await check('mcp', async () => {
  const tools = [hostedMcpTool({ serverLabel: 'forecasts', serverUrl: process.env.TURNPIKE_MCP, requireApproval: 'never' })]
  for (const streams of [false, true]) {
    const run = streams
      ? (await streamed(runner, agent({ tools }), kit.weatherQuestion)).run
      : await runner.run(agent({ tools }), kit.weatherQuestion)
    for (const city of ['Oslo', 'Rome']) holds(run.finalOutput.includes(kit.weatherIn(city)), `the weather in ${city}`, run.finalOutput)
  }
  const asking = agent({
    tools: [hostedMcpTool({ serverLabel: 'forecasts', serverUrl: process.env.TURNPIKE_MCP, requireApproval: 'always' })],
  })
  const paused = await runner.run(asking, kit.weatherQuestion)
  holds(paused.interruptions.length > 0, 'calls to approve', paused.finalOutput)
  for (const call of paused.interruptions) paused.state.approve(call)
  const { finalOutput } = await runner.run(asking, paused.state)
  holds(finalOutput.includes(kit.weatherIn('Oslo')), 'the weather in Oslo', finalOutput)
})

await check('websocket', async () => {
  equal((await overSocket.run(agent(), kit.hello)).finalOutput, kit.greeting)
  equal((await streamed(overSocket, agent({ tools: [weather] }), kit.weatherQuestion)).run.finalOutput, kit.weatherAnswer)
  await recalls(overSocket, new MemorySession())
  const unstored = { modelSettings: { store: false } }
  const first = await overSocket.run(agent(unstored), kit.secret)
  const next = await overSocket.run(agent(unstored), kit.secretQuestion, { previousResponseId: first.lastResponseId })
  equal(next.finalOutput, kit.secretAnswer, 'what the connection remembers')
  await socketed.close()
})
