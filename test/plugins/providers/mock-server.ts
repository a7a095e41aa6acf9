import { LLMock } from '@copilotkit/aimock'
import type { Test } from 'tap'
import type { JsonObject } from '../../../core/index.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { checkEvents, readEvents } from '../../../core/testing/index.ts'
import { gateway } from '../../kit/gateway.ts'

export interface MockedOptions {
  readonly id: string
  readonly baseUrl: string
  /** Makes the mock break its replies. */
  readonly headers?: Readonly<Record<string, string>>
}

const chaos = ['drop', 'malformed', 'disconnect'] as const
const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object' } }]

/** Tests a provider against a server that others wrote: an answer, a call, a failure, and replies that break. */
export async function checkAgainstMock(t: Test, model: string, plugin: (options: MockedOptions) => PluginUse): Promise<void> {
  const mock = new LLMock({ port: 0 })
  mock.onMessage('Hello', { content: 'Hello yourself.' })
  mock.onMessage('Weather', { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }] })
  mock.onMessage('Fail', { error: { message: 'Slower, please.', type: 'rate_limit_error' }, status: 429 })
  await mock.start()
  t.teardown(() => mock.stop())
  const baseUrl = mock.url
  const { request, stop } = await gateway({
    plugins: [
      plugin({ id: 'sound', baseUrl }),
      ...chaos.map(fault => plugin({ id: fault, baseUrl, headers: { [`x-aimock-chaos-${fault}`]: '1' } })),
    ],
  })
  t.teardown(stop)
  const ask = (input: string, stream: boolean, provider = 'sound') =>
    request('/v1/responses', { method: 'POST', body: { model: `${provider}/${model}`, input, tools, stream } })
  for (const stream of [true, false]) {
    const read = async (response: Response): Promise<readonly JsonObject[]> => {
      const told = stream ? checkEvents(readEvents(await response.text())).response : ((await response.json()) as JsonObject)
      return told['output'] as readonly JsonObject[]
    }
    t.match(await read(await ask('Hello', stream)), [{ status: 'completed', content: [{ text: 'Hello yourself.' }] }])
    const called = (await read(await ask('Weather', stream))).at(-1)
    t.match(called, { type: 'function_call', name: 'get_weather', arguments: '{"city":"Oslo"}' })
    const failed = await ask('Fail', stream)
    t.equal(failed.status, 429)
    t.match(await failed.json(), { error: { message: /Slower, please/ } })
    for (const fault of chaos) t.equal((await ask('Hello', stream, fault)).status, 424, fault)
  }
}
