import { Permissions } from '../core/admission/permissions.ts'
import { EndpointCircuits } from '../core/call/attempts/endpoint-circuits.ts'
import { systemClock } from '../core/foundation/clock.ts'
import { createLogger } from '../core/foundation/logger.ts'
import { Masks } from '../core/foundation/masks.ts'
import {
  AbsentProviders,
  DecisionClients,
  CatalogSources,
  extensionPoints,
  Providers,
  SortStrategies,
} from '../core/framework/extension-points.ts'
import type { PluginUse, Registrar } from '../core/framework/plugin.ts'
import type { Registry } from '../core/framework/registry.ts'
import { defaultSettings } from '../core/framework/settings.ts'
import type { Token } from '../core/foundation/token.ts'
import type { CatalogSource, GenerationRequest, Provider, RunContext, SortStrategy } from '../core/index.ts'
import type { TokenCounter } from '../core/kit.ts'
import type { Sealer } from '../core/stores.ts'
import { Affinity } from '../core/routing/affinity.ts'
import { CatalogIndex } from '../core/routing/catalog.ts'
import { ContextWindow } from '../core/routing/context-window.ts'
import { Planner } from '../core/routing/plan.ts'
import { Precedence } from '../core/routing/precedence.ts'
import { Sorts } from '../core/routing/sorts.ts'
import { LiveMaps } from '../core/shared-state/live-maps.ts'
import cost from '../plugins/sorts/cost/index.ts'
import latency from '../plugins/sorts/latency/index.ts'
import performanceSort from '../plugins/sorts/performance/index.ts'
import { LiveMetrics } from '../core/metrics/live-metrics.ts'

// Microseconds of CPU time that it takes to plan a request among 1, 20 and 1,000 endpoints, each with attempts in every minute of the last hour.

const plansPerRun = 2_000
const runs = 7

function registry<T>(point: Token<Registry<T>>): Registry<T> {
  return extensionPoints.find(({ token }) => token === point)!.create() as Registry<T>
}

function plannerFor(count: number): Planner {
  const providers = registry<Provider>(Providers)
  const sources = registry<CatalogSource>(CatalogSources)
  const strategies = registry<SortStrategy>(SortStrategies)
  const ids = Array.from({ length: count }, (_, index) => `provider-${index}`)
  for (const id of ids) providers.add({ id, generate: async function* () {} }, 'bench')
  const price = { input: 1, output: 4 }
  sources.add(
    {
      name: 'bench',
      entries: () => [
        { model: 'm', endpoints: ids.map(provider => ({ provider, price, contextWindow: 100_000, capabilities: { tools: true } })) },
      ],
    },
    'bench',
  )
  for (const use of [performanceSort({}), cost({}), latency({})] as readonly PluginUse[])
    void use.plugin.setup(
      { add: (_: unknown, strategy: SortStrategy) => strategies.add(strategy, 'bench') } as unknown as Registrar,
      {},
      {},
    )
  const catalog = new CatalogIndex(sources, providers, registry(AbsentProviders))
  catalog.start()
  const log = createLogger('silent', new Masks())
  const shared = new LiveMaps(systemClock, log)
  const circuits = new EndpointCircuits(systemClock, log, shared)
  const metrics = new LiveMetrics(systemClock)
  warm(metrics, ids)
  const settings = { ...defaultSettings }
  const affinity = new Affinity(settings, shared)
  const precedence = new Precedence({ affinity, circuits, providers, random: Math.random, sealer: {} as Sealer, settings })
  const contextWindow = new ContextWindow({ count: async () => undefined } as TokenCounter)
  const permissions = new Permissions(catalog, providers, registry(DecisionClients))
  return new Planner({
    catalog,
    circuits,
    clock: systemClock,
    contextWindow,
    metrics,
    permissions,
    precedence,
    providers,
    sealer: {} as Sealer,
    sorts: new Sorts(strategies),
  })
}

function warm(metrics: LiveMetrics, ids: readonly string[]): void {
  const now = Date.now()
  for (let minute = 59; minute >= 0; minute--)
    ids.forEach((provider, index) => {
      for (let attempt = 0; attempt < 5; attempt++)
        metrics.record({
          provider,
          model: 'm',
          listed: true,
          at: now - minute * 60_000,
          outcome: 'ok',
          latencyMs: 100 + ((index * 37 + attempt * 11) % 900),
          totalMs: 1_500 + ((index * 53) % 4_000),
          inputTokens: 500,
          outputTokens: 200,
        })
    })
}

const context = {
  id: 'bench',
  caller: { key: { id: 'k', hash: '', name: 'k', org: 'default', policy: {}, createdAt: 0 }, policy: {}, owner: 'default' },
} as unknown as RunContext

function requestWith(routing: GenerationRequest['routing']): GenerationRequest {
  const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Tell me about the weather in Paris.' }] } as const
  return { model: 'm', input: [message], max_output_tokens: 500, ...(routing && { routing }) }
}

const sorts = {
  'performance (default)': undefined,
  p95_latency: { provider: { sort: 'p95_latency' } },
  cost: { provider: { sort: 'cost' } },
}

for (const count of [1, 20, 1_000]) {
  const planner = plannerFor(count)
  for (const [name, routing] of Object.entries(sorts)) {
    const request = requestWith(routing)
    const perRun = count === 1_000 ? plansPerRun / 10 : plansPerRun
    const times: number[] = []
    for (let run = 0; run <= runs; run++) {
      const start = process.cpuUsage()
      for (let each = 0; each < perRun; each++)
        await planner.plan(request, { context, guards: [], record: { routing: null, session: null } })
      const { user, system } = process.cpuUsage(start)
      times.push((user + system) / perRun)
    }
    // The first run warms up.
    const median = times.slice(1).toSorted((a, b) => a - b)[runs >> 1]!
    console.log(`${String(count).padStart(5)} endpoints  ${name.padEnd(22)} ${median.toFixed(2).padStart(8)} µs`)
  }
}
