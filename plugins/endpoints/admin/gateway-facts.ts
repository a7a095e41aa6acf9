import {
  defaultIntervalMs,
  intervalMsOf,
  invalidRequest,
  type AdminExchange,
  type AdminServices,
  type Endpoint,
  type JsonObject,
  type Model,
  type MetricWindow,
  type Provider,
  type ProviderState,
  type Reply,
} from '../../../core/index.ts'
import { Query } from './query.ts'
import { json, time } from './replies.ts'
import { snakeCase } from './snake-case.ts'
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

  providers(exchange: AdminExchange, gateway: AdminServices): Reply {
    new Query(exchange.query, [])
    const { providers } = this.#stores
    const states = new Map(gateway.providers().map(state => [state.id, state]))
    return json({ data: providers.values().map(provider => providerObject(provider, providers.pluginOf(provider.id), states)) })
  }

  models(exchange: AdminExchange, { catalog }: AdminServices): Reply {
    const search = new Query(exchange.query, ['search']).text('search')?.toLowerCase()
    return json({
      data: catalog
        .models()
        .filter(model => search === undefined || isFound(model, search))
        .map(({ id, aliases, auto, family, created, ownedBy, endpoints }) => ({
          id,
          aliases,
          auto,
          family: family ?? null,
          created_at: created === 0 ? null : time(created * 1000),
          owned_by: ownedBy,
          endpoints: endpoints.map(endpointObject),
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

function providerObject(
  { id, credentials = [] }: Provider,
  plugin: string | undefined,
  states: ReadonlyMap<string, ProviderState>,
): JsonObject {
  const { credentials: rests = [], circuits = [], queue } = states.get(id) ?? {}
  return {
    id,
    plugin: plugin ?? null,
    credentials: credentials.map((credential, index) => ({
      id: credential.id,
      account: credential.account,
      rests_for_ms: rests[index]?.restsForMs ?? 0,
    })),
    circuits: circuits.map(({ model, state, openForMs }) => ({ model, state, open_for_ms: openForMs })),
    queue: queue ? snakeCase(queue) : null,
  }
}

function isFound({ id, aliases, endpoints }: Model, search: string): boolean {
  return [id, ...aliases, ...endpoints.map(({ provider }) => `${provider}/${id}`)].some(name => name.toLowerCase().includes(search))
}

function endpointObject({
  provider,
  kind,
  upstreamModel,
  price,
  capabilities,
  contextWindow,
  maxOutputTokens,
  zdr,
  hipaa,
}: Endpoint): JsonObject {
  return {
    provider,
    kind: kind ?? 'generation',
    upstream_model: upstreamModel,
    context_window: contextWindow ?? null,
    max_output_tokens: maxOutputTokens ?? null,
    is_priced: price !== undefined,
    price: price ? snakeCase(price) : null,
    capabilities: snakeCase(capabilities),
    zdr,
    hipaa,
  }
}

function metricObject({ provider, model }: Endpoint, window: MetricWindow): JsonObject {
  const percentiles = (name: 'latencyMs' | 'totalMs'): JsonObject => ({
    p50: window[name](0.5) ?? null,
    p90: window[name](0.9) ?? null,
    p95: window[name](0.95) ?? null,
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
