import fc from 'fast-check'
import t from 'tap'
import type { CatalogEntry } from '../../../core/index.ts'
import { routingStage, type Metrics } from '../../kit/routing-stage.ts'
import { runs } from '../../kit/runs.ts'

const providers = ['acme', 'globex', 'initech']
const entries: readonly CatalogEntry[] = ['one', 'two', 'three'].map((model, index) => ({
  model,
  endpoints: providers.map((provider, place) => ({
    provider,
    ...((place + index) % 3 > 0 && { price: { input: index + 1, output: place + 2 } }),
  })),
}))
const endpoints = entries.flatMap(({ model }) => providers.map(provider => `${provider}/${model}`))

/** Each sort by a single metric, whether the lowest comes first, and the metric. */
const byOneMetric: Readonly<Record<string, readonly [first: 'lowest' | 'highest', metric: keyof Metrics]>> = {
  uptime: ['highest', 'uptime'],
  throughput: ['highest', 'throughput'],
  latency: ['lowest', 'latencyMs'],
  p0_latency: ['lowest', 'latencyMs'],
  p99_latency: ['lowest', 'latencyMs'],
  p100_e2e_latency: ['lowest', 'totalMs'],
  e2e_latency: ['lowest', 'totalMs'],
  avg_latency: ['lowest', 'averageLatencyMs'],
  avg_e2e_latency: ['lowest', 'averageTotalMs'],
  total_requests: ['highest', 'requests'],
  input_tokens: ['highest', 'inputTokens'],
  output_tokens: ['highest', 'outputTokens'],
  total_tokens: ['highest', 'outputTokens'],
  cost: ['lowest', 'meanOutputTokens'],
}
const sorts = ['performance', ...Object.keys(byOneMetric)]

const amount = fc.double({ min: 0, max: 1e9, noNaN: true })
const measured = fc.record<Metrics>({
  requests: fc.integer({ min: 1, max: 1_000_000 }),
  samples: fc.integer({ min: 0, max: 1_000_000 }),
  uptime: fc.double({ min: 0, max: 1, noNaN: true }),
  inputTokens: fc.nat(),
  outputTokens: fc.nat(),
  meanOutputTokens: amount,
  throughput: amount,
  averageLatencyMs: amount,
  averageTotalMs: amount,
  latencyMs: amount,
  totalMs: amount,
})
/** Of every endpoint; undefined for those without attempts. */
const metrics = fc.tuple(...endpoints.map(() => fc.option(measured, { nil: undefined })))

const stage = await routingStage(entries)
t.teardown(stage.stop)

async function orderOf(model: string, sort: string, known: readonly (Metrics | undefined)[]): Promise<readonly string[]> {
  stage.metrics.clear()
  known.forEach((each, index) => each && stage.metrics.set(endpoints[index]!, each))
  const { candidates } = await stage.routes({ model, sort })
  return candidates.map(each => `${each.provider}/${each.model}`)
}

t.test('an order is a permutation of the endpoints, whatever is measured', async () => {
  await fc.assert(
    fc.asyncProperty(metrics, fc.constantFrom('auto', 'one', 'two'), fc.constantFrom(...sorts), async (known, model, sort) => {
      const named = model === 'auto' ? endpoints : endpoints.filter(endpoint => endpoint.endsWith(`/${model}`))
      return (await orderOf(model, sort, known)).toSorted().join() === named.toSorted().join()
    }),
    runs(300),
  )
})

t.test('an order has exactly the endpoints that the key allows, and tells of the others', async () => {
  const allowed = fc.record({
    providers: fc.option(fc.subarray(providers, { minLength: 1 }), { nil: undefined }),
    models: fc.option(fc.subarray(['one', 'two', 'three'], { minLength: 1 }), { nil: undefined }),
  })
  await fc.assert(
    fc.asyncProperty(metrics, allowed, fc.constantFrom(...sorts), async (known, { providers: at, models }, sort) => {
      stage.metrics.clear()
      known.forEach((each, index) => each && stage.metrics.set(endpoints[index]!, each))
      const key = {
        id: 'k',
        hash: '',
        name: 'k',
        org: 'default',
        policy: {},
        createdAt: 0,
        ...(at && { providers: at }),
        ...(models && { models }),
      }
      const { candidates, passedOver } = await stage.routes({ model: 'auto', sort, key })
      const nameOf = ({ provider, model }: (typeof candidates)[number]): string => `${provider}/${model}`
      const isAllowed = (name: string): boolean =>
        (at?.includes(name.split('/')[0]!) ?? true) && (models?.includes(name.split('/')[1]!) ?? true)
      const left = candidates.filter(each => each.passedOver === null || each.passedOver === 'attempt-limit').map(nameOf)
      const refused = candidates.filter(each => each.passedOver === 'permission').map(nameOf)
      return (
        left.toSorted().join() === endpoints.filter(isAllowed).toSorted().join() &&
        refused.toSorted().join() ===
          endpoints
            .filter(name => !isAllowed(name))
            .toSorted()
            .join() &&
        (passedOver.permission ?? 0) === refused.length
      )
    }),
    runs(200),
  )
})

t.test('empty windows never throw, whatever is asked', async () => {
  const interval = fc.option(fc.constantFrom('1m', '15m', '16m', '2 hours', '3d', '10y', '0m'), { nil: undefined })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('auto', 'one'), fc.constantFrom(...sorts), interval, async (model, sort, interval) => {
      stage.metrics.clear()
      const { candidates } = await stage.routes({ model, sort, interval })
      return candidates.every(({ value }) => value === null || Number.isFinite(value))
    }),
    runs(200),
  )
})

t.test('endpoints without any data keep the order of the catalog', async t => {
  for (const sort of sorts.filter(sort => sort !== 'cost')) t.same(await orderOf('auto', sort, []), endpoints, sort)
})

t.test('an endpoint whose metric gets better never moves back, and one whose gets worse never forward', async () => {
  const change = fc.record({
    sort: fc.constantFrom(...Object.keys(byOneMetric)),
    model: fc.constantFrom('auto', 'one'),
    which: fc.nat({ max: endpoints.length - 1 }),
    factor: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  await fc.assert(
    fc.asyncProperty(metrics, change, async (known, { sort, model, which, factor }) => {
      const [first, metric] = byOneMetric[sort]!
      const before = known[which]
      if (!before || (model === 'one' && which >= providers.length)) return true
      const smaller = known.with(which, { ...before, [metric]: Math.floor((before[metric] as number) * factor) })
      const [better, worse] = first === 'lowest' ? [smaller, known] : [known, smaller]
      const placeIn = async (each: typeof known) => (await orderOf(model, sort, each)).indexOf(endpoints[which]!)
      return (await placeIn(better as typeof known)) <= (await placeIn(worse as typeof known))
    }),
    runs(500),
  )
})
