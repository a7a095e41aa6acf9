import fc from 'fast-check'
import t from 'tap'
import type { CatalogEntry } from '../../core/index.ts'
import { routingStage, type Metrics } from '../core/routing-stage.ts'

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
    { numRuns: 300 },
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
    { numRuns: 500 },
  )
})
