import { HumanMessage, ToolMessage, type AIMessageChunk, type UsageMetadata } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI, customTool } from '@langchain/openai'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { compareRecorded, type ClientReading, type Question } from './recorded-models.ts'
import { departure, silentStage, stage } from './stage.ts'

type Fields = NonNullable<ConstructorParameters<typeof ChatOpenAI>[0]>
type Chat = (model: string, fields?: Fields) => ChatOpenAI
type Asked = Pick<ChatOpenAI, 'invoke' | 'stream'>

const getWeather = tool(({ city }: { city: string }) => `Sunny in ${city}`, {
  name: 'get_weather',
  description: 'The weather in a city',
  schema: z.object({ city: z.string() }),
})

/** The whole message, streamed or not. */
async function ask(stream: boolean, model: Asked, input: Parameters<ChatOpenAI['invoke']>[0]): Promise<AIMessageChunk> {
  if (!stream) return await model.invoke(input)
  let all: AIMessageChunk | undefined
  for await (const chunk of await model.stream(input)) all = all ? all.concat(chunk) : chunk
  return all!
}

async function read(chat: Chat, { model, stream, functions }: Question): Promise<ClientReading> {
  const tools = functions.map(name => ({ type: 'function' as const, function: { name, parameters: { type: 'object' } } }))
  const message = await ask(stream, tools.length > 0 ? chat(model).bindTools(tools) : chat(model), 'hi')
  const calls = [...(message.tool_calls ?? []), ...(message.invalid_tool_calls ?? [])].map(({ name, args }) => ({
    name: name!,
    input: args as unknown,
  }))
  const reasons = { max_output_tokens: 'length', content_filter: 'content-filter' } as const
  const reason = (message.response_metadata['incomplete_details'] as { reason: keyof typeof reasons } | null)?.reason
  const usage: UsageMetadata = message.usage_metadata!
  return {
    text: message.text,
    refusal: String(message.additional_kwargs['refusal'] ?? ''),
    calls,
    finish: reason ? reasons[reason] : calls.length > 0 ? 'tool-calls' : 'stop',
    tokens: {
      input: usage.input_tokens,
      cached: usage.input_token_details?.cache_read ?? 0,
      output: usage.output_tokens,
      reasoning: usage.output_token_details?.reasoning ?? 0,
    },
  }
}

async function everyWay(t: Test, chat: Chat, stream: boolean, wires: readonly string[]): Promise<void> {
  for (const model of ['sandbox/echo', ...wires]) {
    const said = await ask(stream, chat(model), [
      ['system', 'Be kind.'],
      ['human', 'Say hello'],
    ])
    t.match(said.text, /hello/i, model)
    t.equal(said.response_metadata['status'], 'completed')
    const { input_tokens, output_tokens, total_tokens } = said.usage_metadata!
    t.equal(total_tokens, input_tokens + output_tokens)
  }
  for (const model of ['sandbox/tools', ...wires]) {
    const forecaster = chat(model).bindTools([getWeather])
    const question = new HumanMessage('How is the weather in Oslo?')
    const asked = await ask(stream, forecaster, [question])
    const [call] = asked.tool_calls!
    t.equal(call?.name, 'get_weather')
    const answer = (await getWeather.invoke(call!)) as ToolMessage
    const told = await ask(stream, forecaster, [question, asked, answer])
    t.match(told.text, /Sunny/, `${model}: tool round trip`)
  }

  const shell = customTool(async input => `ran ${String(input)}`, {
    name: 'shell',
    description: 'Runs a command',
    format: { type: 'text' },
  })
  const ran = await ask(stream, chat('sandbox/tools').bindTools([shell]), 'List the files')
  t.match(ran.tool_calls, [{ name: 'shell', args: { input: 'input for shell' } }], 'custom tool')

  const seen = await ask(stream, chat('sandbox/echo'), [
    new HumanMessage({
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      ],
    }),
  ])
  t.equal(seen.text, 'Look:\n[image]', 'image')

  const thinker = chat('sandbox/reasoning').withConfig({ include: ['reasoning.encrypted_content'] })
  const question = new HumanMessage('Why?')
  const thought = await ask(stream, thinker, [question])
  const after = await ask(stream, thinker, [question, thought, new HumanMessage('And now?')])
  t.equal(after.text, 'I remember turn 1. And now?', 'the state of reasoning comes back')
}

function chatOf(apiKey: string, baseURL: string): Chat {
  return (model, fields = {}) =>
    new ChatOpenAI({ ...fields, model, apiKey, useResponsesApi: true, maxRetries: 0, configuration: { baseURL } })
}

t.test('LangChain', async t => {
  const under = await stage(t)
  const chat = chatOf(under.apiKey, under.baseURL)

  for (const stream of [false, true]) await t.test(stream ? 'streamed' : 'whole', t => everyWay(t, chat, stream, under.wires))

  await t.test('structured output', async t => {
    const shape = z.object({ city: z.string(), celsius: z.number() })
    t.ok(shape.safeParse(await chat('sandbox/echo').withStructuredOutput(shape, { method: 'jsonSchema' }).invoke('Oslo')).success)
    t.ok(shape.safeParse(await chat('sandbox/echo').withStructuredOutput(shape, { method: 'functionCalling' }).invoke('Oslo')).success)
  })

  await t.test('ways to end', async t => {
    for (const stream of [false, true]) {
      const short = await ask(stream, chat('sandbox/echo', { maxTokens: 3 }), 'one two three four five six')
      t.match(short.response_metadata, { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
      const filtered = await ask(stream, chat('sandbox/fail'), 'content-filter')
      t.match(filtered.response_metadata, { status: 'incomplete', incomplete_details: { reason: 'content_filter' } })
      const refused = await ask(stream, chat('sandbox/fail'), 'refusal')
      t.equal(refused.additional_kwargs['refusal'], 'I cannot help with that.')
      await t.rejects(ask(stream, chat('sandbox/fail'), '503'), { status: 424, code: 'provider_error' })
      await t.rejects(ask(stream, chat('sandbox/fail'), '429'), { status: 429, message: /sandbox/ })
    }
    await t.rejects(ask(true, chat('sandbox/fail'), '{"status":503,"after":2,"message":"Gone for lunch."}'), { message: /Gone for lunch/ })
    await t.rejects(ask(true, chat('sandbox/fail'), '{"cut":true,"after":2}'), { code: 'provider_error' })
  })

  await t.test('a client that leaves', async t => {
    const leaving = new AbortController()
    const stream = await chat('sandbox/slow').stream('first 0 between 60000 pieces 2', { signal: leaving.signal })
    await t.rejects(async () => {
      for await (const chunk of stream) if (chunk.text !== '') leaving.abort()
    })
    t.match(await departure(under), { model: 'slow' })
  })

  await t.test('silence is broken without harm', async t => {
    const { apiKey, baseURL, question } = await silentStage(t)
    t.equal((await read(chatOf(apiKey, baseURL), question)).text, 'Here I am.')
  })
  await compareRecorded(
    t,
    under.recordedModels.filter(({ hasOtherTools }) => !hasOtherTools),
    each => read(chat, each),
  )
})
