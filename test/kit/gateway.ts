import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler, type H3 } from 'h3/node'
import { definePlugin, LogSinks, Providers, type GenerationEvent, type Provider, type RequestRecord } from '../../core/index.ts'
import { TokenCounter } from '../../core/kit.ts'
import { createLogger } from '../../core/foundation/logger.ts'
import { Masks } from '../../core/foundation/masks.ts'
import type { PluginUse } from '../../core/framework/plugin.ts'
import { testGateway, type TestGateway } from '../../core/testing/index.ts'
import { requestInit } from '../../core/testing/test-gateway.ts'
import { ThreadedTokenCounter } from '../../core/tokens/threaded-token-counter.ts'
import health from '../../plugins/endpoints/health/index.ts'
import models from '../../plugins/endpoints/models/index.ts'
import responses from '../../plugins/endpoints/responses/index.ts'
import sandbox from '../../plugins/providers/sandbox/index.ts'
import localSealer from '../../plugins/sealers/local/index.ts'
import costSort from '../../plugins/sorts/cost/index.ts'
import latencySort from '../../plugins/sorts/latency/index.ts'
import throughputSort from '../../plugins/sorts/throughput/index.ts'
import totalsSort from '../../plugins/sorts/totals/index.ts'
import uptimeSort from '../../plugins/sorts/uptime/index.ts'
import memory from '../../plugins/stores/memory/index.ts'

type Options = Parameters<typeof testGateway>[0]

/** How requests reach a gateway: without a socket, over one as in production, or over one and all of them through h3. */
export type Ingress = 'memory' | 'node' | 'h3'
let ingress: Ingress = 'memory'

/** How requests reach the gateways that are made later. */
export function enterBy(way: Ingress): void {
  ingress = way
}

/** The plugins of every gateway under test. Without a default sort, endpoints keep the order of the catalog. */
export function basics(): PluginUse[] {
  const sorts = [costSort({}), latencySort({}), throughputSort({}), totalsSort({}), uptimeSort({})]
  const stores = [memory({}), localSealer({ masterKey: 'ab'.repeat(32) }), patientCounter({})]
  return [...stores, ...sorts, responses({}), models({}), health({}), sandbox({})]
}

/** One thread for all gateways of a process: each would load the tokenizer again, which takes longer than most tests. */
const counter = new ThreadedTokenCounter(createLogger('silent', new Masks()))

/** Takes as long as it needs. The gateway's own counter gives up after two seconds: the result then depends on the machine. */
const patientCounter = definePlugin({
  name: 'patient-counter',
  options: { type: 'object', additionalProperties: false, properties: {} },
  offers: [TokenCounter],
  setup(registrar) {
    registrar.provide(TokenCounter, {
      count: (texts, options) => counter.count(texts, { ...options, deadlineMs: 60_000 }),
      decode: (lists, options) => counter.decode(lists, { ...options, deadlineMs: 60_000 }),
    })
  },
})

export interface GatewayUnderTest extends TestGateway {
  readonly records: readonly RequestRecord[]
  /** Resolves with the record of a request once it is there; `x-request-id` names it. */
  record(id: string): Promise<RequestRecord>
  /** Resolves with all records once there are this many. */
  recorded(count: number): Promise<readonly RequestRecord[]>
}

/** A gateway with the basics, more plugins, and its records kept for the test. In memory, unless the test is run `byEveryWay`. */
export async function gateway(options: Partial<Options> = {}): Promise<GatewayUnderTest> {
  return ingress === 'memory' ? await inMemory(options) : await listeningGateway(options)
}

async function inMemory({ plugins = [], ...options }: Partial<Options> = {}): Promise<GatewayUnderTest> {
  const records: RequestRecord[] = []
  const waiting = new Set<() => void>()
  const sink = definePlugin({
    name: 'record-keeper',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup(registrar) {
      registrar.add(LogSinks, {
        name: 'kept',
        accepts: 'content',
        seesContent: 'local',
        async write(batch) {
          records.push(...batch)
          for (const check of waiting) check()
        },
      })
    },
  })
  // With options of their own, they take the place of the basics.
  const others = basics().filter(({ plugin }) => !plugins.some(own => own.plugin === plugin))
  const under = await testGateway({ ...options, plugins: [...others, sink({}), ...plugins] })
  const until = <T>(find: () => T | undefined): Promise<T> =>
    new Promise(resolve => {
      const check = (): void => {
        const found = find()
        if (found === undefined) return
        waiting.delete(check)
        resolve(found)
      }
      waiting.add(check)
      check()
    })
  return {
    ...under,
    records,
    record: id => until(() => records.find(record => record.id === id)),
    recorded: count => until(() => (records.length >= count ? records : undefined)),
    // By now, all records are there.
    async stop() {
      await under.stop()
      const ids = new Set<string>()
      for (const { id } of records) {
        if (ids.has(id)) throw new Error(`the request ${id} has more than one record`)
        ids.add(id)
      }
    },
  }
}

export interface ListeningGateway extends GatewayUnderTest {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string
}

/** The same over a socket. */
export async function listeningGateway(options?: Partial<Options>): Promise<ListeningGateway> {
  const under = await inMemory(options)
  const { http } = under.gateway
  const server = createServer(ingress === 'h3' ? toNodeHandler(http.h3 as H3) : http.listener)
  under.gateway.connections.serveOn(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...under,
    url,
    ...(ingress !== 'memory' && { request: (path, init) => fetch(`${url}${path}`, requestInit(under.apiKey, init)) }),
    async stop() {
      await under.gateway.connections.destroy()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await under.stop()
    },
  }
}

/** A provider that answers as the test says, call after call. */
export function scripted(id: string, generate: Provider['generate'], more: Partial<Provider> = {}): PluginUse {
  return definePlugin({
    name: `scripted-${id}`,
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup(registrar) {
      registrar.add(Providers, { ...more, id, generate })
    },
  })({})
}

/** A provider that always yields these events. */
export function saying(id: string, events: readonly GenerationEvent[], more: Partial<Provider> = {}): PluginUse {
  return scripted(
    id,
    async function* () {
      yield* events
    },
    more,
  )
}

export const hello: readonly GenerationEvent[] = [
  { type: 'text', text: 'Hel' },
  { type: 'text', text: 'lo' },
  { type: 'usage', usage: { uncachedInput: 3, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 2, reasoning: 0 } },
  { type: 'finish', reason: 'stop' },
]
