import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { Providers, type PluginUse } from '../../../../core/index.ts'
import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import sandbox from '../../../../plugins/providers/sandbox/index.ts'
import { FakeGoogle } from '../../../kit/fake-google.ts'
import { gateway } from '../../../kit/gateway.ts'
import { setUp } from '../../../kit/set-up.ts'
import { ask } from '../../../kit/stage.ts'
import { chat } from './answers.ts'
import { everyProvider, type Common } from './every-provider.ts'

const rules = {
  timeouts: { totalMs: 5_000 },
  maxConcurrent: 3,
  maxQueued: 1,
  slowStream: { tokensPerSecond: 2.5, overMs: 1_000 },
  hedgeAfter: 'p95',
} as const

t.test('every provider plugin has the options for sending, and hands them to core', async t => {
  const google = await FakeGoogle.start()
  t.teardown(() => google.close())
  const plugins: readonly (readonly [string, (common: Common) => PluginUse])[] = [
    ...everyProvider(google).map(({ name, plugin }) => [name, plugin] as const),
    ['sandbox', ({ baseUrl: _, ...options }) => sandbox(options)],
  ]
  for (const [name, plugin] of plugins) {
    const { container, host } = await setUp([plugin({ id: 'acme', baseUrl: 'http://127.0.0.1:1', ...rules } as Common)])
    t.match(container.get(Providers).get('acme'), rules, name)
    await host.stop()
  }
})

t.test('options that make no sense are refused with the option and what it should be', async t => {
  for (const [options, message] of [
    [{ maxConcurrent: 0 }, 'maxConcurrent must be at least 1'],
    [{ maxConcurrent: 'many' }, 'maxConcurrent must be an integer'],
    [{ maxQueued: -1 }, 'maxQueued must be at least 0'],
    [{ hedgeAfter: 0 }, 'hedgeAfter must be at least 1'],
    [{ hedgeAfter: 'p101' }, 'hedgeAfter must be an integer or one of p50, p75, p90, p95, p99 or false'],
    [{ hedgeAfter: true }, 'hedgeAfter must be an integer or one of p50, p75, p90, p95, p99 or false'],
    [{ slowStream: { overMs: 5 } }, 'slowStream.tokensPerSecond is missing'],
    [{ slowStream: { tokensPerSecond: 0, overMs: 5 } }, 'slowStream.tokensPerSecond must be above 0'],
    [{ timeouts: { totalMs: 2 ** 31 } }, 'timeouts.totalMs must be at most 2147483647 ms, which is almost 25 days'],
    [{ maxConcurent: 1 }, 'unknown option maxConcurent; did you mean maxConcurrent?'],
  ] as const) {
    const error = await setUp([sandbox({ id: 'acme', ...(options as object) })]).catch((thrown: Error) => thrown)
    t.ok(error instanceof Error && error.message.includes(message), `${JSON.stringify(options)}: ${String(error)}`)
  }
})

t.test('200 requests over a socket: the vendor never has more than five at once, and each is answered once', async t => {
  let running = 0
  let most = 0
  const upstream = createServer((request, response) => {
    most = Math.max(most, ++running)
    response.on('finish', () => running--)
    request.on('end', () => setImmediate(() => response.setHeader('content-type', 'application/json').end(chat.whole))).resume()
  })
  await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    upstream.closeAllConnections()
    upstream.close()
  })
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const acme = openaiChat({ id: 'acme', host: 'compatible', baseUrl, apiKey: 'sk-demo', maxConcurrent: 5, maxQueued: 500 })
  const under = await gateway({ plugins: [acme], settings: { logLevel: 'silent' } })
  t.teardown(under.stop)
  const replies = await Promise.all(Array.from({ length: 200 }, (_, count) => ask(under, { model: 'acme/demo', stream: count % 2 === 0 })))
  t.ok(replies.every(({ status, response }) => status === 200 && response.status === 'completed'))
  t.ok(most <= 5, `${most} at once`)
  t.equal((await under.recorded(200)).length, 200)
  t.match(under.gateway.providers().find(({ id }) => id === 'acme')!.queue, { running: 0, waiting: 0 })
})
