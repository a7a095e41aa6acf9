import type { RoutePreview, RouteQuery } from '../../core/contracts/route-preview.ts'
import {
  LogSinks,
  ProviderFailure,
  type CatalogEntry,
  type FailureKind,
  type GenerationEvent,
  type ProviderCall,
  type RequestRecord,
} from '../../core/index.ts'
import { TokenCounter } from '../../core/kit.ts'
import { MetricStore } from '../../core/stores.ts'
import type { PluginUse } from '../../core/framework/plugin.ts'
import { testGateway } from '../../core/testing/index.ts'
import { metricWindow, type GivenMetrics } from '../../core/testing/metric-window.ts'
import responses from '../../plugins/endpoints/responses/index.ts'
import localSealer from '../../plugins/sealers/local/index.ts'
import costSort from '../../plugins/sorts/cost/index.ts'
import latencySort from '../../plugins/sorts/latency/index.ts'
import performanceSort from '../../plugins/sorts/performance/index.ts'
import throughputSort from '../../plugins/sorts/throughput/index.ts'
import totalsSort from '../../plugins/sorts/totals/index.ts'
import uptimeSort from '../../plugins/sorts/uptime/index.ts'
import memory from '../../plugins/stores/memory/index.ts'
import { hello } from './gateway.ts'
import { FakeClock } from './set-up.ts'
import { adding, ask, listing, providing, witness, type Answer } from './stage.ts'

type Options = Parameters<typeof testGateway>[0]

/** With times that are the same for all quantiles. */
export type Metrics = GivenMetrics & { readonly latencyMs?: number; readonly totalMs?: number }

export interface RoutingStage {
  /** By `provider/model`. Tests change it between requests. */
  readonly metrics: Map<string, Metrics>
  /** By provider or model. Tests change it between requests. */
  readonly failing: Map<string, FailureKind>
  readonly clock: FakeClock
  readonly calls: readonly ProviderCall[]
  readonly intervals: number[]
  ask(body: object): Promise<Answer>
  /** `provider/model` of every attempt at this request. */
  tried(body: object): Promise<readonly string[]>
  /** The candidates of this request, in the order in which to try them: from the first 16 endpoints of its record. */
  order(body: object): Promise<readonly string[]>
  /** The choice of endpoints in the record of this request. */
  routing(body: object): Promise<RequestRecord['routing']>
  routes(query: RouteQuery): Promise<RoutePreview>
  readonly logs: readonly string[]
  stop(): Promise<void>
}

/** A gateway with every sort, providers that answer or fail as told, and metrics as the test says. */
export async function routingStage(
  entries: readonly CatalogEntry[],
  {
    plugins = [],
    providers = ['acme', 'globex', 'initech'],
    answer = () => hello,
    ...options
  }: Partial<Options> & {
    readonly providers?: readonly string[]
    readonly answer?: (call: ProviderCall) => Iterable<GenerationEvent>
  } = {},
): Promise<RoutingStage> {
  const metrics = new Map<string, Metrics>()
  const failing = new Map<string, FailureKind>()
  const intervals: number[] = []
  const calls: ProviderCall[] = []
  const records: RequestRecord[] = []
  const clock = new FakeClock()
  const store: MetricStore = {
    record: () => {},
    latest: () => undefined,
    window(provider, model, intervalMs) {
      intervals.push(intervalMs)
      return metricWindow(metrics.get(`${provider}/${model}`))
    },
  }
  const served = providers.map(
    id =>
      witness(id, call => {
        calls.push(call)
        const kind = failing.get(id) ?? failing.get(call.endpoint.model) ?? failing.get(`${id}/${call.endpoint.model}`)
        if (kind) throw new ProviderFailure({ kind, message: 'down for repair' })
        return answer(call)
      }).plugin,
  )
  const all: PluginUse[] = [
    memory({ services: ['keys', 'responses', 'limits', 'ledger'] }),
    providing(MetricStore, store),
    providing(TokenCounter, wordCounter),
    localSealer({ masterKey: 'ab'.repeat(32) }),
    responses({}),
    ...[performanceSort, costSort, latencySort, throughputSort, totalsSort, uptimeSort].map(sort => sort({})),
    adding(LogSinks, { name: 'kept', accepts: 'metadata', write: async batch => void records.push(...batch) }),
    ...served,
    listing(...entries),
    ...plugins,
  ]
  const under = await testGateway({ clock, settings: { logLevel: 'error', retries: 0 }, ...options, plugins: all })
  const routing = async (body: object): Promise<RequestRecord['routing']> => {
    const { requestId } = await ask(under, body)
    for (;;) {
      const record = records.find(({ id }) => id === requestId)
      if (record) return record.routing
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
  return {
    metrics,
    failing,
    clock,
    calls,
    intervals,
    ask: body => ask(under, body),
    async tried(body) {
      calls.length = 0
      await ask(under, body)
      return calls.map(({ endpoint: { provider, model } }) => `${provider}/${model}`)
    },
    routing,
    async order(body) {
      const { candidates = [] } = (await routing(body)) ?? {}
      return candidates.filter(({ passedOver }) => passedOver === null).map(({ provider, model }) => `${provider}/${model}`)
    },
    routes: query => under.gateway.routes(query),
    logs: under.logs,
    stop: under.stop,
  }
}

/** One token per word, at once: the real counter gives up on a busy machine. */
const wordCounter: TokenCounter = {
  count: async texts => ({ tokens: texts.reduce((sum, text) => sum + (text.match(/\S+/g)?.length ?? 0), 0), complete: true }),
}

/** Of an endpoint that takes this long in the eyes of `performance`. */
export function taking(seconds: number, uptime = 1): Metrics {
  return { requests: 100, samples: 100, uptime, totalMs: seconds * 1000 }
}
