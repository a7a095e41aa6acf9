import {
  CatalogSources,
  definePlugin,
  ProviderFailure,
  Providers,
  type CatalogEntry,
  type GenerationEvent,
  type PluginUse,
  type ProviderCall,
} from '../../core/index.ts'
import { testGateway } from '../../core/testing/index.ts'
import responses from '../../plugins/endpoints/responses/index.ts'
import localSealer from '../../plugins/sealers/local/index.ts'
import costSort from '../../plugins/sorts/cost/index.ts'
import latencySort from '../../plugins/sorts/latency/index.ts'
import performanceSort from '../../plugins/sorts/performance/index.ts'
import memory from '../../plugins/stores/memory/index.ts'
import { randomFrom } from './random.ts'
import type { Outcome } from './outcome.ts'
import { VirtualTime } from './virtual-time.ts'
import { arrivalsOf, inputTokens, type Scenario, World } from './world.ts'

const minuteMs = 60_000

/** `routing.provider` of each request. */
interface Routing {
  readonly sort?: string
  readonly interval?: string
}

/** Sends the requests of a scenario through a whole gateway: its planner, failover, circuit breakers and metrics, on a virtual clock. */
export async function runGateway(scenario: Scenario, routing?: Routing): Promise<readonly Outcome[]> {
  const world = new World(scenario)
  const time = new VirtualTime()
  const startMs = time.now()
  const random = randomFrom(scenario.seed + 1)
  const outcomes: Outcome[] = []
  const answered = new Map<number, { readonly provider: string; readonly costUsd: number }>()

  async function* answer(id: string, { request }: ProviderCall): AsyncGenerator<GenerationEvent> {
    const number = numberIn(request.input)
    const result = world.ask(id, number, time.now() - startMs)
    if (result.kind !== 'answer') {
      await time.sleep(result.afterMs)
      const { kind, status, retryAfterMs } = result
      throw new ProviderFailure({ kind, status, message: 'a simulated failure', ...(retryAfterMs !== undefined && { retryAfterMs }) })
    }
    answered.set(number, { provider: id, costUsd: result.costUsd })
    await time.sleep(result.latencyMs)
    yield { type: 'text', text: 'Hello' }
    await time.sleep(result.totalMs - result.latencyMs)
    const usage = { uncachedInput: inputTokens, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: result.outputTokens, reasoning: 0 }
    yield { type: 'usage', usage }
    yield { type: 'finish', reason: 'stop' }
  }

  let pricesChanged = (): void => {}
  const simulated = definePlugin({
    name: 'simulated-providers',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup(gateway) {
      for (const { id } of scenario.providers) gateway.add(Providers, { id, generate: call => answer(id, call) })
      gateway.add(CatalogSources, {
        name: 'simulated',
        entries: () => [entryOf(world, time.now() - startMs)],
        onChange: changed => void (pricesChanged = changed),
      })
    },
  })
  const plugins: readonly PluginUse[] = [
    memory({}),
    localSealer({ masterKey: '5a'.repeat(32) }),
    responses({}),
    performanceSort({}),
    costSort({}),
    latencySort({}),
    simulated({}),
  ]
  const under = await testGateway({
    plugins,
    clock: time,
    random,
    backoff: { random, sleep: ms => time.sleep(ms) },
    settings: { logLevel: 'silent' },
    key: { policy: {} },
  })

  const send = async (request: number, atMs: number): Promise<void> => {
    const reply = await under.request('/v1/responses', {
      method: 'POST',
      body: { model: 'simulated', input: `request ${request}`, stream: true, ...(routing && { routing: { provider: routing } }) },
    })
    const isAnswered = (await reply.text()).includes('event: response.completed')
    const { provider, costUsd } = answered.get(request) ?? {}
    outcomes.push({
      request,
      atMs,
      isAnswered,
      provider: isAnswered ? provider : undefined,
      totalMs: time.now() - startMs - atMs,
      costUsd: isAnswered ? costUsd! : 0,
    })
  }
  time.start(async () => {
    for (const [request, atMs] of arrivalsOf(scenario).entries()) {
      await time.sleep(startMs + atMs - time.now())
      time.start(() => send(request, atMs))
    }
  })
  for (const minute of new Set(scenario.episodes.flatMap(({ fromMinute, untilMinute }) => [fromMinute, untilMinute]))) {
    time.start(async () => {
      await time.sleep(minute * minuteMs)
      pricesChanged()
    })
  }
  await time.run()
  await under.stop()
  return outcomes
}

function entryOf(world: World, atMs: number): CatalogEntry {
  const endpoints = world.scenario.providers.map(({ id }) => {
    const { usdPerMillion } = world.conditionOf(id, atMs)
    return { provider: id, contextWindow: 100_000, price: { input: usdPerMillion / 4, output: usdPerMillion } }
  })
  return { model: 'simulated', endpoints }
}

function numberIn(input: ProviderCall['request']['input']): number {
  return Number(/request (\d+)/.exec(JSON.stringify(input))![1])
}
