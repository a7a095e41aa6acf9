import { resolve } from 'node:path'
import type { Endpoint } from '../contracts/catalog.ts'
import type { LatestAnswers } from '../contracts/metric-store.ts'
import type { SortStrategy, SortView } from '../contracts/sort-strategy.ts'
import { PluginError } from '../foundation/errors.ts'
import { createLogger } from '../foundation/logger.ts'
import { Masks } from '../foundation/masks.ts'
import { SortStrategies, extensionPoints } from '../framework/extension-points.ts'
import { check } from '../framework/checked-plugins.ts'
import type { PluginUse, Registrar } from '../framework/plugin.ts'
import type { Registry } from '../framework/registry.ts'
import { unlistedEndpoint } from '../routing/provider-capabilities.ts'
import { byKey, keyOf, valuesOf } from '../routing/ranking.ts'
import { Sorts } from '../routing/sorts.ts'
import { isPending } from '../runtime/pending.ts'
import { metricWindow, type GivenMetrics } from './metric-window.ts'

/** The facts about one endpoint that a sort may know. */
export interface SortFacts {
  /** Missing members are those of an endpoint without attempts. Times are in milliseconds, by quantile or the same for all. */
  readonly metrics?: GivenMetrics
  /** For `SortView.latest`. Default: no data. */
  readonly latest?: LatestAnswers
  /** For `SortView.costUsd`. Default: unknown. */
  readonly costUsd?: number
  /** For `SortView.isOpen`. Default: false. */
  readonly isOpen?: boolean
}

/** The result of `sortOrder`. */
export interface SortedEndpoints {
  /** The providers, the best first. */
  readonly order: readonly string[]
  /** By provider. */
  readonly values: Readonly<Record<string, number | undefined>>
  /** The warnings of the sort. */
  readonly warnings: readonly string[]
}

/**
 * Orders endpoints by a sort that the plugin adds. `facts`: by provider, in the order of the catalog. Throws the `PluginError` of a start if the
 * plugin's options are wrong, and a `GatewayError` if it has no such sort.
 */
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

/** The sorts that a plugin adds with these options. They are checked, and their defaults filled in, as at the start of a gateway. */
function strategiesOf(use: PluginUse): Registry<SortStrategy> {
  const [checked] = check([use])
  const { name, plugin, options } = checked!
  const needed = Object.keys(plugin.needs ?? {})
  if (needed.length > 0) throw new PluginError(name, `needs ${needed.join(', ')}: sortOrder has no services. Use testGateway instead`)
  const registry = extensionPoints.find(({ token }) => token === SortStrategies)!.create() as Registry<SortStrategy>
  const pending = plugin.setup(registrarFor(name, registry), options, {})
  if (!isPending(pending)) return registry
  Promise.resolve(pending).catch(() => {})
  throw new PluginError(name, 'has an asynchronous `setup`: sortOrder cannot wait for it. Use testGateway instead')
}

/** Takes the sorts, and nothing else. */
function registrarFor(name: string, registry: Registry<SortStrategy>): Registrar {
  const absent = (member: string) => (): never => {
    throw new PluginError(name, `uses the HTTP client (${member}) in its \`setup\`: sortOrder has none. Use testGateway instead`)
  }
  return {
    name,
    log: createLogger('silent', new Masks()),
    http: { send: absent('send'), media: absent('media'), close: absent('close') },
    createFiles: false,
    lookOnly: true,
    serves: false,
    add: (point: unknown, contribution: unknown) => {
      if (point === SortStrategies) registry.add(contribution as SortStrategy, name)
    },
    provide() {},
    provides: () => false,
    resolvePath: path => resolve(path),
    secret() {},
    onStart() {},
    onStop() {},
  }
}
