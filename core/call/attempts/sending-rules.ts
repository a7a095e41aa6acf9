import type { HedgeAfter, Provider, SlowStream, Timeouts } from '../../contracts/provider.ts'
import { defaultIntervalMs } from '../../contracts/metric-interval.ts'
import { MetricStore } from '../../contracts/metric-store.ts'
import { PluginError } from '../../foundation/errors.ts'
import { wire } from '../../framework/container.ts'
import type { Registry } from '../../framework/registry.ts'
import { Settings } from '../../framework/settings.ts'
import type { Contender } from './contender.ts'

/** The rules for one provider: its own, and the server's where it has none. */
export interface ProviderRules {
  readonly timeouts: Timeouts
  readonly slowStream: SlowStream | undefined
  readonly hedgeAfter: HedgeAfter | undefined
}

/** The fewest answers whose percentiles say anything. */
const fewestAnswers = 20

/** Looks up how requests are sent to each provider. */
export class SendingRulesIndex {
  readonly #settings: Settings
  readonly #metrics: MetricStore
  readonly #rules = new WeakMap<Provider, ProviderRules>()

  static {
    wire(this, [Settings, MetricStore])
  }

  constructor(settings: Settings, metrics: MetricStore) {
    this.#settings = settings
    this.#metrics = metrics
  }

  of(provider: Provider): ProviderRules {
    const known = this.#rules.get(provider)
    if (known) return known
    const { timeouts, slowStream, hedgeAfter } = this.#settings
    const rules: ProviderRules = {
      timeouts: { ...timeouts, ...provider.timeouts },
      slowStream: provider.slowStream ?? slowStream,
      hedgeAfter: provider.hedgeAfter ?? hedgeAfter,
    }
    this.#rules.set(provider, rules)
    return rules
  }

  /** How long to wait for this contender before asking another. Undefined: without a limit. */
  hedgeAfterMs({ provider, endpoint }: Contender & { readonly provider: Provider }, isStream: boolean): number | undefined {
    const { hedgeAfter } = this.of(provider)
    if (hedgeAfter === undefined || hedgeAfter === false) return undefined
    if (typeof hedgeAfter === 'number') return hedgeAfter
    const window = this.#metrics.window(endpoint.provider, endpoint.model, defaultIntervalMs)
    if (window.samples < fewestAnswers) return undefined
    const quantile = Number(hedgeAfter.slice(1)) / 100
    return isStream ? window.latencyMs(quantile) : window.totalMs(quantile)
  }
}

/** Throws a `PluginError` if a provider has rules that contradict each other. */
export function checkSendingRules(providers: Registry<Provider>): void {
  for (const { id, maxConcurrent, maxQueued } of providers.values()) {
    if (maxQueued === undefined || maxConcurrent !== undefined) continue
    const problem = `sets maxQueued for the provider "${id}" without maxConcurrent, so no request would ever wait`
    throw new PluginError(providers.pluginOf(id) ?? id, `${problem}. Set maxConcurrent, too, or leave out maxQueued.`)
  }
}
