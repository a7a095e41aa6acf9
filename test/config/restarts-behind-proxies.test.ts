import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { isLong } from '../kit/long.ts'
import { keyOf, Workplace, type TurnpikeProcess } from '../kit/turnpike-process.ts'
import { Callers } from './restarts/callers.ts'
import { CountingUpstream } from './restarts/counting-upstream.ts'
import { freePorts } from './restarts/free-ports.ts'
import { noProxies, Proxy } from './restarts/proxy.ts'
import { SocketCaller } from './restarts/socket-caller.ts'

// Gateways on one database are restarted one after the other behind nginx and HAProxy, which have the configs of the docs, under load.

const [replicas, rounds, perSecond, sockets] = isLong ? [3, 3, 200, 8] : [2, 1, 40, 2]

function configOf(upstream: string): string {
  return `
    import { defineConfig, defaults } from 'turnpike/config'
    import openaiChat from 'turnpike/plugins/providers/openai-chat'
    export default defineConfig({
      server: { logLevel: 'warn', admin: { port: 0 } },
      plugins: [
        ...defaults({ without: ['ollama'] }),
        openaiChat({ id: 'acme', baseUrl: '${upstream}', apiKey: 'sk-demo-upstream' }),
      ],
    })`
}

async function started(workplace: Workplace, port: number): Promise<TurnpikeProcess> {
  const gateway = workplace.spawn(['start', '--port', String(port)])
  await gateway.url()
  for (;;) {
    const reply = await fetch(`http://127.0.0.1:${port}/v1/responses/health`, { headers: { connection: 'close' } })
    await reply.text()
    if (reply.status === 200) return gateway
  }
}

t.test('restarts behind proxies lose and repeat nothing', { skip: noProxies, timeout: isLong ? 600_000 : 120_000 }, async t => {
  const upstream = new CountingUpstream()
  const workplace = new Workplace(configOf(await upstream.listen()))
  t.teardown(() => upstream.close())
  t.teardown(() => workplace.remove())
  const key = await keyOf(workplace)
  const ports = await freePorts(replicas)
  const gateways: TurnpikeProcess[] = []
  t.teardown(() => gateways.forEach(gateway => gateway.signal('SIGKILL')))
  for (const port of ports) gateways.push(await started(workplace, port))
  const proxies: Proxy[] = []
  for (const name of ['nginx', 'haproxy'] as const) {
    const proxy = await Proxy.start(name, ports)
    t.teardown(() => proxy.stop())
    proxies.push(proxy)
  }

  const callers = proxies.map(({ url }) => new Callers(url, key, perSecond / proxies.length))
  const socketCallers = proxies.flatMap(({ url }) => Array.from({ length: sockets / proxies.length }, () => new SocketCaller(url, key)))
  for (let round = 0; round < rounds; round++)
    for (const [index, port] of ports.entries()) {
      await sleep(2_000)
      const gateway = gateways[index]!
      gateway.signal('SIGTERM')
      const { exitCode, stderr } = await gateway.finished
      t.match([exitCode, stderr], [0, ''])
      gateways[index] = await started(workplace, port)
    }
  await sleep(1_000)
  await Promise.all([...callers, ...socketCallers].map(caller => caller.stop()))

  for (const [index, { name, output }] of proxies.entries()) {
    const { ids, failures } = callers[index]!
    t.same(failures, [], `${name}: not one of ${ids.length} requests failed${failures.length > 0 ? `\n${output}` : ''}`)
  }
  t.same(
    socketCallers.flatMap(({ failures }) => failures),
    [],
  )
  t.ok(
    socketCallers.every(({ answered, reconnected }) => answered > 0 && reconnected > 0),
    'every WebSocket was told to connect again, and did',
  )
  const ids = [...callers, ...socketCallers].flatMap(({ ids }) => ids)
  t.same(
    ids.filter(id => upstream.asked.get(id) !== 1),
    [],
    'the vendor was asked once for each',
  )
  t.comment(`${ids.length} requests, ${socketCallers.reduce((sum, { reconnected }) => sum + reconnected, 0)} connections again`)
})
