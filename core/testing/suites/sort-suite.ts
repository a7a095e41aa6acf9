import assert from 'node:assert/strict'
import type { Endpoint } from '../../contracts/catalog.ts'
import type { MetricWindow } from '../../contracts/metric-store.ts'
import type { SortStrategy, SortView } from '../../contracts/sort-strategy.ts'
import { SortStrategies } from '../../framework/extension-points.ts'
import type { CallSuiteOptions } from '../call-stage.ts'
import { frozen } from '../frozen.ts'
import { metricWindow, type GivenMetrics } from '../metric-window.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { unlistedEndpoint } from '../../routing/provider-capabilities.ts'
import { oddTexts, onEachPlugin } from './on-each-plugin.ts'

/** For `sortSuite`. */
export type SortSuiteOptions = CallSuiteOptions

/** Tests for every sort. `sortOrder` tests which endpoint comes first. */
export function sortSuite(t: SuiteContext, options: SortSuiteOptions): void {
  const test = onEachPlugin(t, options, SortStrategies)
  test('has a number or undefined for each endpoint, whatever is known of it', async strategy => {
    for (const sort of sortsOf(strategy)) for (const count of [1, 2, facts.length]) valuesOf(strategy, sort, facts.slice(0, count))
  })
  test('the value of an endpoint is its own: neither its place nor an earlier request changes it', async strategy => isOwn(strategy))
  test('reads the cost only if it says so', async strategy => declaresCost(strategy))
  test('its name, pattern and examples agree', async strategy => agrees(strategy))
}

interface Facts {
  readonly provider: string
  readonly metrics?: GivenMetrics
  readonly costUsd?: number
  readonly isOpen?: boolean
}

const busy: GivenMetrics = {
  requests: 90,
  samples: 100,
  uptime: 0.9,
  inputTokens: 9_000,
  outputTokens: 4_500,
  meanOutputTokens: 50,
  throughput: 60,
  averageLatencyMs: 400,
  averageTotalMs: 1_900,
  latencyMs: quantile => 200 + quantile * 400,
  totalMs: quantile => 900 + quantile * 2_000,
}

const facts: readonly Facts[] = [
  { provider: 'busy', metrics: busy, costUsd: 0.004 },
  { provider: 'unknown' },
  { provider: 'failing', metrics: { requests: 0, samples: 40, uptime: 0 }, isOpen: true, costUsd: 0.001 },
  { provider: 'free', metrics: { ...busy, throughput: 10 }, costUsd: 0 },
  { provider: 'idle', metrics: { requests: 1, samples: 1, uptime: 1, throughput: 0, latencyMs: 0, totalMs: 0, averageLatencyMs: 0 } },
  { provider: 'dear', metrics: { ...busy, uptime: 1 }, costUsd: 900 },
]

function sortsOf({ name, pattern, examples = [] }: SortStrategy): readonly string[] {
  return pattern === undefined ? [name] : examples
}

/** By provider. */
function valuesOf(
  strategy: SortStrategy,
  sort: string,
  given: readonly Facts[],
  costs: (fact: Facts) => number | undefined = ({ costUsd }) => costUsd,
): Readonly<Record<string, number | undefined>> {
  const endpoints: readonly Endpoint[] = frozen(given.map(({ provider }) => unlistedEndpoint({ id: provider }, 'm')))
  const factsAt = ({ provider }: Endpoint): Facts => given.find(each => each.provider === provider)!
  const view: SortView = {
    sort,
    metrics: (endpoint): MetricWindow => metricWindow(factsAt(endpoint).metrics),
    latest: () => undefined,
    costUsd: endpoint => costs(factsAt(endpoint)),
    isOpen: endpoint => factsAt(endpoint).isOpen ?? false,
    warn: message => assert.ok(typeof message === 'string' && message !== '', 'a warning must say something'),
  }
  const values: unknown = strategy.values(endpoints, view)
  assert.ok(Array.isArray(values), `\`values\` of ${sort} must return an array, at once`)
  assert.equal(values.length, endpoints.length, `${sort} must have a value for each endpoint`)
  for (const [index, value] of (values as readonly unknown[]).entries()) {
    const { provider } = endpoints[index]!
    assert.ok(
      value === undefined || typeof value === 'number',
      `${sort} of ${provider} is ${String(value)}: expected a number or undefined`,
    )
    assert.ok(!Number.isNaN(value), `${sort} of ${provider} is NaN: expected undefined for no data`)
  }
  return Object.fromEntries(endpoints.map(({ provider }, index) => [provider, (values as readonly (number | undefined)[])[index]]))
}

async function isOwn(strategy: SortStrategy): Promise<void> {
  for (const sort of sortsOf(strategy)) {
    const values = valuesOf(strategy, sort, facts)
    assert.deepEqual(valuesOf(strategy, sort, facts), values, 'the same facts have the same values')
    assert.deepEqual({ ...valuesOf(strategy, sort, facts.toReversed()) }, { ...values }, 'the place of an endpoint does not matter')
  }
}

async function declaresCost(strategy: SortStrategy): Promise<void> {
  if (strategy.readsCost === true) return
  for (const sort of sortsOf(strategy))
    valuesOf(strategy, sort, facts, () => assert.fail('it reads `view.costUsd`, so it must set `readsCost`: else the input is not counted'))
}

async function agrees({ name, pattern, examples = [], description, unit }: SortStrategy): Promise<void> {
  assert.match(description, /^\p{Lu}.*\.$/su, 'the description must be a sentence')
  if (unit !== undefined) assert.notEqual(unit.trim(), '')
  if (pattern === undefined) {
    assert.match(name, /^[a-z][a-z0-9_]*$/, `the name "${name}" is a value of \`sort\`: expected letters, digits and _`)
    return
  }
  const whole = new RegExp(pattern)
  assert.ok(examples.length > 0, 'a pattern needs examples: they are suggested for a misspelled sort')
  for (const example of examples) assert.ok(whole.test(example), `the example ${example} must match the pattern ${pattern}`)
  for (const odd of [...oddTexts, ...examples.flatMap(each => [` ${each}`, `${each} `, `${each}x`, `x${each}`])])
    assert.ok(!whole.test(odd), `the pattern ${pattern} must not match "${odd.slice(0, 30)}"`)
}
