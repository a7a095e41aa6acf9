import type { Endpoint } from '../contracts/catalog.ts'
import type { LatestAnswers } from '../contracts/metric-store.ts'
import type { SortStrategy, SortView } from '../contracts/sort-strategy.ts'
import { createLogger } from '../foundation/logger.ts'
import { Masks } from '../foundation/masks.ts'
import { SortStrategies, extensionPoints } from '../framework/extension-points.ts'
import type { PluginUse, Registrar } from '../framework/plugin.ts'
import type { Registry } from '../framework/registry.ts'
import { unlistedEndpoint } from '../routing/provider-capabilities.ts'
import { byKey, keyOf, valuesOf } from '../routing/ranking.ts'
import { Sorts } from '../routing/sorts.ts'
import { metricWindow, type GivenMetrics } from './metric-window.ts'

/** The facts about one endpoint that a sort may know. */
export interface SortFacts {
  /** Missing members are those of an endpoint without attempts. Times are in milliseconds, by quantile or the same for all. */
  readonly metrics?: GivenMetrics
  readonly latest?: LatestAnswers
  readonly costUsd?: number
  readonly isOpen?: boolean
}

export interface SortedEndpoints {
  /** The providers, the best first. */
  readonly order: readonly string[]
  /** By provider. */
  readonly values: Readonly<Record<string, number | undefined>>
  /** The warnings of the sort. */
  readonly warnings: readonly string[]
}

/** Orders endpoints by a sort that the plugin adds. `facts`: by provider, in the order of the catalog. */
export function sortOrder(use: PluginUse, sort: string, facts: Readonly<Record<string, SortFacts>>): SortedEndpoints {
  const asked = new Sorts(strategiesOf(use)).asked(sort, 'sort')!
  const endpoints = Object.keys(facts).map(id => unlistedEndpoint({ id }, 'm'))
  const factsAt = ({ provider }: Endpoint): SortFacts => facts[provider]!
  const warnings: string[] = []
  const view: SortView & { sort: string } = {
    sort,
    metrics: endpoint => metricWindow(factsAt(endpoint).metrics),
    latest: endpoint => factsAt(endpoint).latest,
    costUsd: endpoint => factsAt(endpoint).costUsd,
    isOpen: endpoint => factsAt(endpoint).isOpen ?? false,
    warn: (message, at) => void warnings.push(`${message}: ${at.map(({ provider }) => provider).join(', ')}`),
  }
  const values = valuesOf(asked, endpoints, view, createLogger('silent', new Masks()))
  if (!values) throw new Error(`The sort "${sort}" threw, or did not return ${endpoints.length} numbers.`)
  const ranked = endpoints.map(({ provider }, index) => ({ provider, key: keyOf(values[index], asked) }))
  return {
    order: ranked.sort(byKey).map(({ provider }) => provider),
    values: Object.fromEntries(endpoints.map(({ provider }, index) => [provider, values[index]])),
    warnings,
  }
}

function strategiesOf(use: PluginUse): Registry<SortStrategy> {
  const registry = extensionPoints.find(({ token }) => token === SortStrategies)!.create() as Registry<SortStrategy>
  const registrar = { add: (_point: unknown, strategy: SortStrategy) => registry.add(strategy, use.plugin.name) }
  void use.plugin.setup(registrar as unknown as Registrar, use.options, {})
  return registry
}
