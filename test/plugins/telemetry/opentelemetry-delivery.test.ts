import { createServer, type Server } from 'node:net'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import opentelemetry from '../../../plugins/telemetry/opentelemetry/index.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { ask, listing } from '../../kit/stage.ts'
import { telemetryStage, type TelemetryOptions } from './stage.ts'

const plugins = () => [saying('acme', hello), listing({ model: 'm', endpoints: [{ provider: 'acme' }] })]
const quick: TelemetryOptions = { delayMs: 1, signals: ['traces'] }

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(resolve => setTimeout(resolve, 2))
}

t.test('a collector that is busy gets the batch again, when it says', async t => {
  const { under, collector, finish } = await telemetryStage(t, quick, { plugins: plugins() }, (_, response, count) => {
    if (count <= 2) response.writeHead(count === 1 ? 503 : 429, { 'retry-after-ms': '1' }).end()
    else response.writeHead(200).end()
  })
  await ask(under, { model: 'm' })
  await until(() => collector.count >= 3)
  await finish()
  t.equal(collector.spans().length, 3, 'nothing is lost, and nothing comes twice')
})

t.test('whatever wait a collector asks for, a stop tries once more', async t => {
  const { under, collector, finish } = await telemetryStage(t, quick, { plugins: plugins() }, (_, response, count) => {
    if (count === 1) response.writeHead(503, { 'retry-after': '86400' }).end()
    else response.writeHead(200).end()
  })
  await ask(under, { model: 'm' })
  await under.recorded(1)
  await until(() => collector.count >= 1)
  await finish()
  t.equal(collector.spans().length, 3)
})

t.test('a collector that refuses loses the batch, and the log says so once', async t => {
  for (const status of [400, 401, 404, 413, 500, 307]) {
    const { under, collector, finish } = await telemetryStage(t, quick, { plugins: plugins() }, (_, response) => {
      response.writeHead(status, { location: '/elsewhere' }).end('demo reply')
    })
    for (const _ of [1, 2, 3]) {
      await ask(under, { model: 'm' })
      const before = collector.count
      await until(() => collector.count > before - 1 && collector.count >= 1)
    }
    await finish()
    const lines = under.logs.filter(line => line.includes('telemetry was not delivered'))
    t.ok(lines.length >= 1 && lines.length <= 2, `${status}: ${lines.length} lines`)
    t.match(lines[0], new RegExp(`"why":"status ${status}"`))
    t.match(lines[0], /"signal":"traces"/)
    t.notMatch(under.logs.join('\n'), /demo reply/)
    t.equal(collector.received.length, 0)
  }
})

t.test('the name of the plugin has no path of a collector, which may be a token', async t => {
  const names = ['', '/', '/otlp/demo-token', '/otlp/demo-token/', '/otlp/other-token'].map(path => {
    const { plugin, options } = opentelemetry({ endpoint: `http://127.0.0.1:9${path}` })
    return plugin.instance!(options)
  })
  t.strictSame(names.slice(0, 2), ['127.0.0.1:9', '127.0.0.1:9'])
  t.match(names[2], /^127\.0\.0\.1:9#[0-9a-f]{6}$/)
  t.equal(names[2], names[3])
  t.not(names[2], names[4], 'two paths are two instances')
})

t.test('a part that the collector rejects is counted', async t => {
  const { under, collector, finish } = await telemetryStage(t, { delayMs: 1 }, { plugins: plugins() }, ({ signal }, response) => {
    // partial_success { rejected_spans: 2, error_message: "demo" }
    const reply = signal === 'traces' ? Buffer.from([0x0a, 0x08, 0x08, 0x02, 0x12, 0x04, ...Buffer.from('demo')]) : ''
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(reply)
  })
  await ask(under, { model: 'm' })
  await under.recorded(1)
  await until(() => collector.received.some(({ signal }) => signal === 'traces'))
  await finish()
  const lines = under.logs.filter(line => line.includes('telemetry was not delivered'))
  t.match(lines[0], /"why":"the collector rejected a part"/)
  t.notMatch(lines.join('\n'), /"demo"/)
  t.match(collector.metrics().get('turnpike.telemetry.dropped'), [{ at: { 'turnpike.signal': 'traces' } }])
})

t.test('a batch that was taken is not lost, although the rest of the reply is missing', async t => {
  const options: TelemetryOptions = { ...quick, timeoutMs: 60_000, flushMs: 1_000 }
  const { under, collector, finish } = await telemetryStage(t, options, { plugins: plugins() }, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-protobuf', 'content-length': '100' })
    response.write('x')
  })
  await ask(under, { model: 'm' })
  await until(() => collector.count >= 1)
  await finish()
  t.equal(collector.spans().length, 3)
  t.equal(collector.count, 1)
  t.notMatch(under.logs.join('\n'), /not delivered/)
})

t.test('replies that are no message, endless or broken do no harm', async t => {
  const endless = (response: import('node:http').ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/x-protobuf' })
    const chunk = Buffer.alloc(256 * 1024, 0xff)
    const write = (): void => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', write)
    write()
  }
  const answers = [
    endless,
    (response: import('node:http').ServerResponse) =>
      void response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end('not a message'),
    (response: import('node:http').ServerResponse) => void response.writeHead(200, { 'content-length': '100' }).end('short'),
    (response: import('node:http').ServerResponse) => void response.destroy(),
    (response: import('node:http').ServerResponse) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
  ]
  for (const answer of answers) {
    const { under, collector, finish } = await telemetryStage(t, { ...quick, timeoutMs: 1_000 }, { plugins: plugins() }, (_, response) =>
      answer(response),
    )
    t.equal((await ask(under, { model: 'm' })).status, 200)
    await until(() => collector.count >= 1)
    t.equal((await ask(under, { model: 'm' })).status, 200)
    await finish()
  }
})

t.test('a collector that hangs neither slows requests nor the stop, and the queue stays within its limit', async t => {
  const sockets = new Set<import('node:net').Socket>()
  const server = createServer(socket => void sockets.add(socket.on('error', () => {})))
  const url = await listening(t, server)
  t.teardown(() => sockets.forEach(socket => socket.destroy()))
  const under = await gateway({
    plugins: [...plugins(), opentelemetry({ endpoint: url, delayMs: 1, maxQueueMegabytes: 1, flushMs: 50, timeoutMs: 60_000 })],
  })
  for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 50 }, () => ask(under, { model: 'm' })))
  await under.recorded(1_000)
  const start = performance.now()
  await under.stop()
  t.ok(performance.now() - start < 5_000, 'the stop waits no longer than it says')
  t.match(under.logs.join('\n'), /telemetry was not delivered/)
})

t.test('a full queue drops what is new, and says how much', async t => {
  let release!: () => void
  const released = new Promise<void>(resolve => (release = resolve))
  const key = { name: 'k', org: 'x'.repeat(20_000) }
  const options: TelemetryOptions = { delayMs: 1, maxQueueMegabytes: 1, signals: ['traces', 'metrics'] }
  const { under, collector, finish } = await telemetryStage(t, options, { plugins: plugins(), key }, ({ signal }, response) => {
    if (signal === 'traces') void released.then(() => response.writeHead(200).end())
    else response.writeHead(200).end()
  })
  for (let index = 0; index < 120; index++) await ask(under, { model: 'm' })
  await under.recorded(120)
  await until(() => under.logs.some(line => line.includes('the queue is full')))
  release()
  await finish()
  const spans = collector.spans().length
  const dropped = collector.metrics().get('turnpike.telemetry.dropped')![0]!['as_double']
  t.ok(spans < 360 && spans > 100, `${spans} spans`)
  t.equal(spans + dropped, 360)
})

t.test('a collector that comes back gets what follows', async t => {
  let isDown = true
  const { under, collector, finish } = await telemetryStage(t, quick, { plugins: plugins() }, (_, response) => {
    response.writeHead(isDown ? 500 : 200).end()
  })
  await ask(under, { model: 'm' })
  await until(() => collector.count > 0 && under.logs.some(line => line.includes('not delivered')))
  isDown = false
  await ask(under, { model: 'm' })
  await until(() => under.logs.some(line => line.includes('telemetry is delivered again')))
  await finish()
  t.ok(collector.spans().length >= 3)
})

async function listening(t: Test, server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
