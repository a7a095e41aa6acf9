import { Agent, OpenAIProvider, Runner, setTracingDisabled, user, webSearchTool } from '@openai/agents'
import { createOpenAI } from '@ai-sdk/openai'
import { ChatOpenAI } from '@langchain/openai'
import { generateText, stepCountIs, streamText } from 'ai'
import OpenAI from 'openai'
import t from 'tap'
import { checkStream, fakeUpstream } from '../../core/testing/index.ts'
import gemini from '../../plugins/providers/gemini/index.ts'
import webSearch from '../../plugins/tools/web-search/index.ts'
import { ask, said } from '../kit/stage.ts'
import { gateway } from '../kit/gateway.ts'
import { engine } from '../kit/search-stage.ts'
import { stage } from './stage.ts'

// On every wire, clients talk to models that cannot search, and search without changes.

setTracingDisabled(true)

const found = engine('found', ({ query }) => [{ url: 'https://example.com/oslo', title: query, text: 'Sunny in Oslo today.' }])
const question = 'How is the weather in Oslo?'
const tools = [{ type: 'web_search' as const }]

t.test('clients run a conversation with search unchanged', async t => {
  const under = await stage(t, [found.plugin, webSearch({ maxCached: 0 })])
  const { baseURL, apiKey } = under
  const searches = async (run: () => Promise<unknown>): Promise<number> => {
    const before = found.asked.length
    await run()
    return found.asked.length - before
  }

  for (const model of under.wires) {
    await t.test(`openai ${model}`, async t => {
      const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
      const whole = await client.responses.create({ model, input: question, tools })
      const streamed = await client.responses.stream({ model, input: question, tools }).finalResponse()
      for (const response of [whole, streamed]) {
        t.equal(response.output_text, 'It is Sunny there.')
        t.strictSame(
          response.output.map(({ type }) => type),
          ['web_search_call', 'message'],
        )
        const again = await client.responses.create({ model, input: 'Thanks', previous_response_id: response.id, tools })
        t.equal(again.output_text, 'It is Sunny there.')
        const input = [{ role: 'user' as const, content: question }, ...response.output, { role: 'user' as const, content: 'Thanks' }]
        t.equal((await client.responses.create({ model, input: input as never, tools })).status, 'completed')
      }
      const body = { model, input: question, tools, stream: true }
      checkStream(await (await under.request('/v1/responses', { body })).text())
    })

    await t.test(`ai ${model}`, async t => {
      const openai = createOpenAI({ baseURL, apiKey })
      for (const stream of [false, true]) {
        const options = {
          model: openai.responses(model),
          prompt: question,
          tools: { web_search: openai.tools.webSearch({}) },
          stopWhen: stepCountIs(3),
          maxRetries: 0,
        }
        const ran = await searches(async () => {
          const result = stream ? streamText(options) : await generateText(options)
          t.equal(await result.text, 'It is Sunny there.')
          const calls = await result.toolCalls
          t.match(calls, [{ toolName: 'web_search', providerExecuted: true }])
        })
        t.equal(ran, 1)
      }
    })

    await t.test(`agents ${model}`, async t => {
      const runner = new Runner({ modelProvider: new OpenAIProvider({ baseURL, apiKey, useResponses: true }) })
      const agent = new Agent({ name: 'Forecaster', model, tools: [webSearchTool()] })
      for (const stream of [false, true]) {
        const result = stream ? await runner.run(agent, question, { stream }) : await runner.run(agent, question)
        if ('completed' in result) {
          for await (const _ of result);
          await result.completed
        }
        t.equal(result.finalOutput, 'It is Sunny there.')
        const next = await runner.run(agent, [...result.history, user('And in Bergen?')])
        t.match(next.finalOutput, /Sunny/)
      }
    })

    await t.test(`langchain ${model}`, async t => {
      const chat = new ChatOpenAI({ model, apiKey, useResponsesApi: true, maxRetries: 0, configuration: { baseURL } }).bindTools(tools)
      const whole = await chat.invoke(question)
      t.equal(whole.text, 'It is Sunny there.')
      let text = ''
      for await (const chunk of await chat.stream(question)) text += chunk.text
      t.equal(text, 'It is Sunny there.')
      const next = await chat.invoke([{ role: 'user', content: question }, whole, { role: 'user', content: 'And in Bergen?' }])
      t.match(next.text, /Sunny/)
    })
  }
})

t.test('a managed round trip over the Gemini wire, which searches by itself only alone', async t => {
  const vendor = await fakeUpstream(({ body, url }) => {
    const searched = JSON.stringify(body).includes('functionResponse')
    const part = searched
      ? { text: 'It is Sunny there.' }
      : { functionCall: { name: 'managed_web_search', args: { query: 'weather Oslo' } }, thoughtSignature: 'c2lnbmVk' }
    const reply = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
    }
    if (!url.includes('streamGenerateContent')) return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(reply) }
    return { headers: { 'content-type': 'text/event-stream' }, body: `data: ${JSON.stringify(reply)}\r\n\r\n` }
  })
  t.teardown(() => vendor.close())
  const under = await gateway({
    plugins: [found.plugin, webSearch({ maxCached: 0 }), gemini({ apiKey: 'demo-gemini', baseUrl: vendor.url })],
  })
  t.teardown(under.stop)
  for (const stream of [false, true]) {
    const { response } = await ask(under, {
      model: 'gemini/gemini-2.5-flash',
      input: question,
      stream,
      tools: [{ type: 'web_search', engine: { type: 'managed' } }],
    })
    t.equal(said(response), 'It is Sunny there.')
    t.ok(response.output.some(({ type }) => type === 'web_search_call'))
    const sent = JSON.stringify(vendor.requests.at(-1)!.body)
    t.match(sent, /"functionCall".*"functionResponse"/)
    t.match(sent, /"thoughtSignature":"c2lnbmVk"/, 'the state goes back to the model that it came from')
  }
})
