import { Agent, OpenAIConversationsSession, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import t from 'tap'
import { z } from 'zod'
import conversations from '../../plugins/endpoints/conversations/index.ts'
import { listeningGateway } from '../kit/gateway.ts'

// It would send traces to its own vendor.
setTracingDisabled(true)

const getWeather = tool({
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string().nullable() }),
  execute: () => 'Sunny',
})
const png = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

t.test('sessions and conversations of the Agents SDK', async t => {
  const under = await listeningGateway({ plugins: [conversations({})] })
  t.teardown(under.stop)
  const client = new OpenAI({ apiKey: under.apiKey, baseURL: `${under.url}/v1` })
  // The SDK may have its own copy of the client's package.
  const openAIClient = client as never
  const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses: true }) })
  const echo = new Agent({ name: 'Echo', model: 'sandbox/echo' })
  const worker = new Agent({ name: 'Worker', model: 'sandbox/tools', tools: [getWeather] })

  await t.test('a session keeps messages, images and tool calls', async t => {
    const session = new OpenAIConversationsSession({ client: openAIClient })
    const input = [
      {
        role: 'user' as const,
        content: [
          { type: 'input_text' as const, text: 'Look' },
          { type: 'input_image' as const, image: png },
        ],
      },
    ]
    const sessionInputCallback = (before: any[], now: any[]): any[] => [...before, ...now]
    await runner.run(echo, input, { session, sessionInputCallback })
    t.equal((await runner.run(worker, 'The weather?', { session })).finalOutput, 'get_weather returned: Sunny')
    t.equal((await runner.run(echo, 'Again', { session })).finalOutput, 'Again')
    const items = await session.getItems()
    t.same(
      items.map(item => item.type),
      ['message', 'message', 'message', 'function_call', 'function_call_result', 'message', 'message', 'message'],
    )
    t.match(JSON.stringify(items[0]), png)
    t.match(await session.popItem(), { type: 'message', role: 'assistant' })
    t.equal((await session.getItems()).length, 7)
    await session.clearSession()
    t.same(await session.getItems(), [], 'a new one')
  })

  await t.test('conversationId leaves the history to the gateway', async t => {
    const { id: conversationId } = await client.conversations.create()
    const thinker = new Agent({ name: 'Thinker', model: 'sandbox/reasoning' })
    await runner.run(thinker, 'Why?', { conversationId })
    t.equal((await runner.run(thinker, 'And?', { conversationId })).finalOutput, 'I remember turn 1. And?')
    const streamed = await runner.run(worker, 'The weather?', { conversationId, stream: true })
    await streamed.completed
    t.equal(streamed.finalOutput, 'get_weather returned: Sunny')
  })
})
