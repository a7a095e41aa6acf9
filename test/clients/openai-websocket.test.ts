import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import type { ResponsesClientEvent, ResponsesServerEvent } from 'openai/resources/responses/responses'
import { ResponsesWS } from 'openai/resources/responses/ws'
import t from 'tap'
import { z } from 'zod'
import { drain } from '../../config/drain.ts'
import { listen } from '../../config/listen.ts'
import websocket from '../../plugins/endpoints/responses-websocket/index.ts'
import { gateway } from '../kit/gateway.ts'
import { stage } from './stage.ts'

setTracingDisabled(true)

type Create = Omit<ResponsesClientEvent.ResponseCreate, 'type'>

/** The SDK's client, which hands out events one by one. */
class Conversation {
  readonly ws: ResponsesWS
  readonly #events: AsyncIterator<unknown>

  constructor(baseURL: string, apiKey: string, options: ConstructorParameters<typeof ResponsesWS>[1] = {}) {
    this.ws = new ResponsesWS(new OpenAI({ baseURL, apiKey }), options)
    this.#events = this.ws.stream()
  }

  /** The next event of one of these types. An error throws, as it does for users of the SDK. */
  async next(...types: readonly string[]): Promise<ResponsesServerEvent & { readonly response?: OpenAI.Responses.Response }> {
    for (;;) {
      const { value } = (await this.#events.next()) as { readonly value: { type: string; message: ResponsesServerEvent; error: Error } }
      if (value.type === 'error') throw value.error
      if (value.type === 'message' && types.includes(value.message.type)) return value.message as never
      if (value.type !== 'message' && types.includes(value.type)) return value as never
    }
  }

  async answer(create: Create): Promise<OpenAI.Responses.Response> {
    this.ws.send({ type: 'response.create', ...create })
    return (await this.next('response.completed')).response!
  }
}

function textOf({ output }: OpenAI.Responses.Response): string {
  return output
    .flatMap(item => (item.type === 'message' ? item.content : []))
    .map(part => ('text' in part ? part.text : ''))
    .join('')
}

t.test('the WebSocket client of the openai SDK, on every wire', async t => {
  const { baseURL, apiKey, wires } = await stage(t, [websocket({})])
  for (const model of ['sandbox/echo', ...wires]) {
    const client = new Conversation(baseURL, apiKey)
    const first = await client.answer({ model, input: 'Say hello', store: false })
    t.ok(textOf(first).length > 0, `${model}: ${textOf(first)}`)
    const next = await client.answer({ model, input: 'And again', store: false, previous_response_id: first.id, stream_id: 'fork' })
    t.equal(next.previous_response_id, first.id)
    t.ok(next.usage!.total_tokens > 0)
    client.ws.send({ type: 'response.create', model, input: 'x', store: false, previous_response_id: 'resp_none' })
    await t.rejects(client.next('response.completed'), { message: "Previous response with id 'resp_none' not found." })
    t.equal((await client.answer({ model, input: [], generate: false, store: false })).output.length, 0)
    client.ws.close()
  }
})

t.test('the SDK connects again after a shutdown', async t => {
  const under = await gateway({ plugins: [websocket({})] })
  const listener = await listen(under.gateway, { host: '127.0.0.1', port: 0 })
  const codes: number[] = []
  const reconnect = {
    onReconnecting({ closeCode }: { readonly closeCode: number }) {
      codes.push(closeCode)
      return { abort: true } as const
    },
  }
  const client = new Conversation(`${listener.url}/v1`, under.apiKey, { reconnect })
  await client.answer({ model: 'sandbox/echo', input: 'hi', store: false })
  await drain(under.gateway, listener, 1_000)
  await client.next('close')
  t.same(codes, [1001])
})

t.test('the Agents SDK runs tools over its WebSocket transport', async t => {
  const under = await stage(t, [websocket({})])
  const openAIClient = new OpenAI({ baseURL: under.baseURL, apiKey: under.apiKey })
  const provider = new OpenAIProvider({ openAIClient, useResponses: true, useResponsesWebSocket: true })
  const agent = new Agent({
    name: 'Reporter',
    model: 'sandbox/tools',
    tools: [
      tool({
        name: 'get_weather',
        description: 'The weather in a city',
        parameters: z.object({ city: z.string() }),
        execute: ({ city }) => `Sunny in ${city}`,
      }),
    ],
  })
  const result = await new Runner({ modelProvider: provider }).run(agent, 'How is the weather in Oslo?')
  t.match(result.finalOutput, /Sunny/)
  await provider.close()
  const methods = (await under.recorded(3)).map(({ method, status }) => `${method} ${status}`)
  t.same(methods.sort(), ['GET 101', 'WEBSOCKET 200', 'WEBSOCKET 200'])
})
