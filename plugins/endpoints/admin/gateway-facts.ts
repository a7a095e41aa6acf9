import {
  defaultIntervalMs,
  intervalMsOf,
  invalidRequest,
  type AdminExchange,
  type AdminServices,
  type Endpoint,
  type JsonObject,
  type MetricWindow,
  type Reply,
} from '../../../core/index.ts'
import { Query } from './query.ts'
import { json } from './replies.ts'
import type { Stores } from './stores.ts'

/** What the gateway as a whole is and does: metrics, providers, models, plugins, options. */
export class GatewayFacts {
  readonly #stores: Stores

  constructor(stores: Stores) {
    this.#stores = stores
  }

  metrics(exchange: AdminExchange, { catalog }: AdminServices): Reply {
    const interval = new Query(exchange.query, ['interval']).text('interval')
    const intervalMs = interval === undefined ? defaultIntervalMs : intervalMsOf(interval)
    if (intervalMs === undefined)
      throw invalidRequest("Invalid value for 'interval': expected a whole number and a unit, such as 15m, 1h or 2 days.", 'interval')
    const measured = catalog
      .models()
      .flatMap(({ endpoints }) => endpoints)
      .map(endpoint => ({ endpoint, window: this.#stores.metrics.window(endpoint.provider, endpoint.model, intervalMs) }))
    const used = measured.filter(({ window }) => window.requests > 0)
    return json({ interval_s: intervalMs / 1000, data: used.map(({ endpoint, window }) => metricObject(endpoint, window)) })
  }

  providers(exchange: AdminExchange, { circuits }: AdminServices): Reply {
    new Query(exchange.query, [])
    const { providers } = this.#stores
    const views = circuits.views()
    return json({
      data: providers.values().map(({ id, credentials = [] }) => ({
        id,
        plugin: providers.pluginOf(id) ?? null,
        credentials: credentials.map(credential => ({ id: credential.id, account: credential.account })),
        circuits: views
          .filter(({ provider }) => provider === id)
          .map(({ model, state, openForMs }) => ({ model, state, open_for_ms: openForMs })),
      })),
    })
  }

  models(exchange: AdminExchange, { catalog }: AdminServices): Reply {
    new Query(exchange.query, [])
    return json({
      data: catalog.models().map(({ id, aliases, auto, endpoints }) => ({
        id,
        aliases,
        auto,
        endpoints: endpoints.map(({ provider, upstreamModel, price, contextWindow, maxOutputTokens, zdr, hipaa }) => ({
          provider,
          upstream_model: upstreamModel,
          context_window: contextWindow ?? null,
          max_output_tokens: maxOutputTokens ?? null,
          is_priced: price !== undefined,
          zdr,
          hipaa,
        })),
      })),
    })
  }

  plugins(exchange: AdminExchange, { plugins }: AdminServices): Reply {
    new Query(exchange.query, [])
    return json({ data: plugins.map(({ name, provides, contributions }) => ({ name, provides, contributions })) })
  }

  config(exchange: AdminExchange, { plugins, settings }: AdminServices): Reply {
    new Query(exchange.query, [])
    const shown = (options: typeof settings): JsonObject =>
      Object.fromEntries(options.map(({ name, value, source }) => [name, { value, source }]))
    return json({ server: shown(settings), plugins: plugins.map(({ name, options }) => ({ name, options: shown(options) })) })
  }
}

function metricObject({ provider, model }: Endpoint, window: MetricWindow): JsonObject {
  const percentiles = (name: 'latencyMs' | 'totalMs'): JsonObject => ({
    p50: window[name](0.5) ?? null,
    p90: window[name](0.9) ?? null,
    p99: window[name](0.99) ?? null,
  })
  return {
    provider,
    model,
    requests: window.requests,
    uptime: window.uptime ?? null,
    throughput: window.throughput ?? null,
    input_tokens: window.inputTokens,
    output_tokens: window.outputTokens,
    latency_ms: percentiles('latencyMs'),
    e2e_latency_ms: percentiles('totalMs'),
  }
}
