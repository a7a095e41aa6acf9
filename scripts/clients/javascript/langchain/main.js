import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { createAgent } from 'langchain'
import { z } from 'zod'
import * as kit from '../checks.js'
import { check, equal, failure, holds, model } from '../checks.js'

const [maker] = process.argv.slice(2)
// Its package rejects a second promise of a stream that fails, which nobody waits for.
if (maker === 'google') process.on('unhandledRejection', () => {})
const configuration = { baseURL: `${kit.url}/v1` }

function chat(what, { apiKey = kit.key, ...more } = {}) {
  if (maker === 'openai') return new ChatOpenAI({ model: model(what), apiKey, configuration, ...more })
  if (maker === 'anthropic') return new ChatAnthropic({ model: model(what), apiKey, anthropicApiUrl: kit.url, ...more })
  return new ChatGoogleGenerativeAI({ model: model(what), apiKey, baseUrl: kit.url, ...more })
}

const weather = tool(({ city }) => kit.weatherIn(city), {
  name: 'get_weather',
  description: 'The weather in a city',
  schema: z.object({ city: z.string() }),
})
const reading = z.object({ city: z.string(), degrees: z.number() })

await check('text', async () => {
  const message = await chat().invoke(kit.hello)
  equal(message.text, kit.greeting)
  equal([message.usage_metadata?.input_tokens, message.usage_metadata?.output_tokens], [9, 4], 'the usage')
})

await check('stream', async () => {
  let whole
  const pieces = await kit.texts(await chat().stream(kit.hello), chunk => {
    whole = whole ? whole.concat(chunk) : chunk
    return chunk.text
  })
  equal(pieces.join(''), kit.greeting)
  holds(pieces.length > 1, 'several pieces', pieces)
  // Of Messages it reads the input from the first event alone, which has it only where the vendor has it there.
  const input = maker === 'anthropic' && kit.vendor !== 'by-messages' ? 0 : 9
  equal([whole.usage_metadata?.input_tokens, whole.usage_metadata?.output_tokens], [input, 4], 'the usage')
})

await check('tools', async () => {
  const question = new HumanMessage(kit.weatherQuestion)
  const bound = chat().bindTools([weather])
  for (const streamed of [false, true]) {
    let asked
    if (streamed) for await (const chunk of await bound.stream([question])) asked = asked ? asked.concat(chunk) : chunk
    else asked = await bound.invoke([question])
    equal(
      asked.tool_calls.map(({ name, args }) => [name, args]),
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_weather', { city: 'Rome' }],
      ],
      'the calls',
    )
    const results = asked.tool_calls.map(
      ({ id, name, args }) => new ToolMessage({ tool_call_id: id, name, content: kit.weatherIn(args.city) }),
    )
    equal((await bound.invoke([question, asked, ...results])).text, kit.weatherAnswer)
  }
  const agent = createAgent({ model: chat(), tools: [weather] })
  equal((await agent.invoke({ messages: [question] })).messages.at(-1).text, kit.weatherAnswer, "the agent's answer")
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await bound.invoke(messages)] }))
    .addNode('tools', new ToolNode([weather]))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition)
    .addEdge('tools', 'model')
    .compile()
  equal((await graph.invoke({ messages: [question] })).messages.at(-1).text, kit.weatherAnswer, "the graph's answer")
})

await check('structured', async () => {
  equal(await chat().withStructuredOutput(reading).invoke(kit.extraction), { city: 'Oslo', degrees: 21 })
  const agent = createAgent({ model: chat(), tools: [], responseFormat: reading })
  equal((await agent.invoke({ messages: [new HumanMessage(kit.extraction)] })).structuredResponse, { city: 'Oslo', degrees: 21 })
})

await check('images', async () => {
  const content = [
    { type: 'text', text: kit.imageQuestion },
    { type: 'image', mimeType: 'image/png', data: kit.png },
  ]
  equal((await chat().invoke([new HumanMessage({ contentBlocks: content })])).text, kit.imageAnswer)
})

await check('errors', async () => {
  for (const [asked, status] of [
    [chat('plain', { apiKey: 'tp_demo_wrong', maxRetries: 0 }), 401],
    [chat('failing-429', { maxRetries: 0 }), 429],
    [chat('failing-500', { maxRetries: 0 }), 503],
  ]) {
    const error = await failure(asked.invoke(kit.hello))
    equal(error.status ?? error.cause?.status, status, `the status of ${error}`)
  }
  await failure(kit.texts(await chat('cut', { maxRetries: 0 }).stream(kit.hello), ({ text }) => text))
})

await check('retries', async () => {
  for (const status of [429, 500]) equal((await chat(`busy-${status}`).invoke(kit.hello)).text, kit.greeting)
})

await check('abort', async () => {
  const controller = new AbortController()
  await failure(kit.texts(await chat('slow').stream(kit.hello, { signal: controller.signal }), () => controller.abort()))
})

if (maker === 'openai') {
  await check('embeddings', async () => {
    if (kit.vendor === 'by-messages') return
    const client = new OpenAIEmbeddings({ model: model('embedding'), apiKey: kit.key, configuration })
    equal(
      (await client.embedDocuments(['one', 'another'])).map(({ length }) => length),
      [4, 4],
    )
  })
}
