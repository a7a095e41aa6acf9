import type { AdminExchange, AdminServices, PluginFacts, ProviderState } from '../../../core/admin.ts'
import {
  invalidRequest,
  type Endpoint,
  type JsonObject,
  type MetricWindow,
  type Model,
  type Provider,
  type Reply,
} from '../../../core/index.ts'
import { defaultIntervalMs, intervalMsOf } from '../../../core/kit.ts'
import { pageParameters, Query } from './query.ts'
import { json, pageOfAll, time } from './replies.ts'
import { snakeCase } from './snake-case.ts'
import type { Stores } from './stores.ts'

/** Facts about the gateway as a whole: metrics, providers, models, plugins, options. */
export class GatewayFacts {
  readonly #stores: Stores

  constructor(stores: Stores) {
    this.#stores = stores
  }

  async metrics(exchange: AdminExchange, { catalog }: AdminServices): Promise<Reply> {
    const query = new Query(exchange.query, [...pageParameters, 'interval'])
    const interval = query.text('interval')
    const intervalMs = interval === undefined ? defaultIntervalMs : intervalMsOf(interval)
    if (intervalMs === undefined)
      throw invalidRequest("Invalid value for 'interval': expected a whole number and a unit, such as 15m, 1h or 2 days.", 'interval')
    const measured = catalog
      .models()
      .flatMap(({ endpoints }) => endpoints)
      .map(endpoint => ({ endpoint, window: this.#stores.metrics.window(endpoint.provider, endpoint.model, intervalMs) }))
    const used = measured.filter(({ window }) => window.requests > 0)
    const idOf = ({ endpoint }: (typeof used)[number]): string => `${endpoint.provider}/${endpoint.model}`
    const show = ({ endpoint, window }: (typeof used)[number]): JsonObject => metricObject(endpoint, window)
    return await pageOfAll('endpoints', used, query, idOf, show, { interval_s: intervalMs / 1000 })
  }

  async providers(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const query = new Query(exchange.query, pageParameters)
    const { providers } = this.#stores
    const states = new Map((await gateway.providers()).map(state => [state.id, state]))
    const show = (provider: Provider): JsonObject => providerObject(provider, providers.pluginOf(provider.id), states)
    return await pageOfAll('providers', providers.values(), query, ({ id }) => id, show)
  }

  async load(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    new Query(exchange.query, [])
    return json(snakeCase(await gateway.load()))
  }

  async models(exchange: AdminExchange, { catalog }: AdminServices): Promise<Reply> {
    const query = new Query(exchange.query, [...pageParameters, 'search'])
    const search = query.text('search')?.toLowerCase()
    const found = catalog.models().filter(model => search === undefined || isFound(model, search))
    return await pageOfAll('models', found, query, ({ id }) => id, modelObject)
  }

  async plugins(exchange: AdminExchange, { plugins }: AdminServices): Promise<Reply> {
    const query = new Query(exchange.query, pageParameters)
    const show = ({ options: _, ...facts }: PluginFacts): JsonObject => facts
    return await pageOfAll('plugins', plugins, query, ({ name }) => name, show)
  }

  config(exchange: AdminExchange, { plugins, settings }: AdminServices): Reply {
    new Query(exchange.query, [])
    const shown = (options: typeof settings): JsonObject => Object.fromEntries(options.map(({ name, ...facts }) => [name, facts]))
    return json({ server: shown(settings), plugins: plugins.map(({ name, options }) => ({ name, options: shown(options) })) })
  }
}

function modelObject({ id, aliases, auto, family, created, ownedBy, endpoints }: Model): JsonObject {
  return {
    id,
    aliases,
    auto,
    family: family ?? null,
    created_at: created === 0 ? null : time(created * 1000),
    owned_by: ownedBy,
    endpoints: endpoints.map(endpointObject),
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
