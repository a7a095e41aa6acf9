import type { Test } from 'tap'
import { keyOf, Workplace, type TurnpikeProcess } from '../../kit/turnpike-process.ts'
import { Callers } from './callers.ts'
import { CountingUpstream } from './counting-upstream.ts'
import { freePorts } from './free-ports.ts'
import { Proxy } from './proxy.ts'
import { SocketCaller } from './socket-caller.ts'

interface Size {
  readonly replicas: number
  /** Over all proxies. */
  readonly perSecond: number
  readonly sockets: number
  /** Of the first replica. The others are single processes. */
  readonly workers?: number
}

/** Gateways on one database behind nginx and HAProxy, and those who call them through either. */
export class Stage {
  readonly upstream: CountingUpstream
  readonly proxies: readonly Proxy[]
  readonly callers: readonly Callers[]
  readonly socketCallers: readonly SocketCaller[]
  readonly #workplace: Workplace
  readonly #ports: readonly number[]
  readonly #gateways: TurnpikeProcess[]
  readonly #workers: number

  private constructor(
    t: Test,
    upstream: CountingUpstream,
    workplace: Workplace,
    ports: readonly number[],
    gateways: TurnpikeProcess[],
    proxies: readonly Proxy[],
    key: string,
    { perSecond, sockets, workers = 1 }: Size,
  ) {
    this.upstream = upstream
    this.proxies = proxies
    this.#workplace = workplace
    this.#ports = ports
    this.#gateways = gateways
    this.#workers = workers
    this.callers = proxies.map(({ url }) => new Callers(url, key, perSecond / proxies.length))
    this.socketCallers = proxies.flatMap(({ url }) => Array.from({ length: sockets / proxies.length }, () => new SocketCaller(url, key)))
    t.teardown(() => this.stop())
  }

  static async open(t: Test, size: Size): Promise<Stage> {
    const upstream = new CountingUpstream()
    const workplace = new Workplace(configOf(await upstream.listen()))
    t.teardown(() => upstream.close())
    t.teardown(() => workplace.remove())
    const key = await keyOf(workplace)
    const ports = await freePorts(size.replicas)
    const gateways: TurnpikeProcess[] = []
    t.teardown(() => gateways.forEach(gateway => gateway.signal('SIGKILL')))
    for (const port of ports) gateways.push(await started(workplace, port, port === ports[0] ? size.workers : 1))
    const proxies: Proxy[] = []
    for (const name of ['nginx', 'haproxy'] as const) {
      const proxy = await Proxy.start(name, ports)
      t.teardown(() => proxy.stop())
      proxies.push(proxy)
    }
    return new Stage(t, upstream, workplace, ports, gateways, proxies, key, size)
  }

  get replicas(): readonly number[] {
    return [...this.#ports.keys()]
  }

  /** Stops a gateway, and starts another one in its place. Resolves with how it ended, when the new one is healthy. */
  async restart(index: number, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
    const gateway = this.#gateways[index]!
    gateway.signal(signal)
    const finished = await gateway.finished
    this.#gateways[index] = await started(this.#workplace, this.#ports[index]!, index === 0 ? this.#workers : 1)
    return finished
  }

  /** Waits for all answers. */
  async stop(): Promise<void> {
    await Promise.all([...this.callers, ...this.socketCallers].map(caller => caller.stop()))
  }

  /** The calls for which the vendor was not asked exactly once. */
  get notOnce(): readonly string[] {
    return this.ids.filter(id => this.upstream.asked.get(id) !== 1)
  }

  get repeated(): readonly string[] {
    return this.ids.filter(id => (this.upstream.asked.get(id) ?? 0) > 1)
  }

  get ids(): readonly string[] {
    return [...this.callers, ...this.socketCallers].flatMap(({ ids }) => ids)
  }
}

function configOf(upstream: string): string {
  return `
    import { defineConfig, defaults } from 'turnpike/config'
    import openaiChat from 'turnpike/plugins/providers/openai-chat'
    export default defineConfig({
      server: {
        logLevel: 'warn',
        admin: { port: 0 },
        // The vendor is in the process of the test, and the machine may be busy.
        timeouts: { connectMs: 60_000, firstEventMs: 120_000, betweenEventsMs: 120_000, totalMs: 300_000 },
      },
      plugins: [
        ...defaults({ without: ['ollama'] }),
        openaiChat({ id: 'acme', baseUrl: '${upstream}', apiKey: 'sk-demo-upstream' }),
      ],
    })`
}

async function started(workplace: Workplace, port: number, workers = 1): Promise<TurnpikeProcess> {
  const gateway = workplace.spawn(['start', '--port', String(port), '--workers', String(workers)])
  await gateway.url()
  for (;;) {
    const reply = await fetch(`http://127.0.0.1:${port}/v1/responses/health`, { headers: { connection: 'close' } })
    await reply.text()
    if (reply.status === 200) return gateway
  }
}
