import type { Endpoint, JsonObject, Model, Price } from '../../../core/index.ts'
import type { TokenPrices } from '../../../core/kit.ts'
import type { IsUsable } from './usable.ts'

/** The metrics of an endpoint. */
export type Measure = (endpoint: Endpoint) => JsonObject

/** One entry of the list. It does not show zero data retention: docs/protocol/models.md. */
export function modelSummary({ id, created, ownedBy }: Model): JsonObject {
  return { id, object: 'model', created, owned_by: ownedBy }
}

/** `auto` is a name that requests may have, so it is listed like a model. */
export const summaryOfAuto: JsonObject = { id: 'auto', object: 'model', created: 0, owned_by: 'turnpike' }

/** It is no single model, so it has no providers. */
export const detailOfAuto: JsonObject = { ...summaryOfAuto, aliases: [], family: null, listed: true, providers: {} }

/** True if `auto` has an endpoint to choose from. */
export function mayChooseAuto(models: readonly Model[], isUsable: IsUsable): boolean {
  return models.some(({ auto, endpoints }) => auto && endpoints.some(endpoint => !endpoint.kind && isUsable(endpoint)))
}

/** `endpoints`: the endpoints of the model to show. */
export function modelDetail(model: Model, endpoints: readonly Endpoint[], measure: Measure): JsonObject {
  return {
    ...modelSummary(model),
    aliases: model.aliases,
    family: model.family ?? null,
    listed: true,
    providers: providersOf(endpoints, measure),
  }
}

/** A model that is not in the catalog, at the provider that the caller named. */
export function unlistedDetail(endpoint: Endpoint, measure: Measure): JsonObject {
  const { model: id, provider } = endpoint
  return {
    id: `${provider}/${id}`,
    object: 'model',
    created: 0,
    owned_by: 'unknown',
    aliases: [],
    family: null,
    listed: false,
    providers: providersOf([endpoint], measure),
  }
}

function providersOf(endpoints: readonly Endpoint[], measure: Measure): JsonObject {
  return Object.fromEntries(endpoints.map(endpoint => [endpoint.provider, { ...providerDetail(endpoint), metrics: measure(endpoint) }]))
}

/** Prices in US dollars per million tokens. Null means unknown. */
function providerDetail({ upstreamModel, kind, contextWindow, maxOutputTokens, price, capabilities, zdr, hipaa }: Endpoint): JsonObject {
  return {
    model: upstreamModel,
    kind: kind ?? 'generation',
    context_window: contextWindow ?? null,
    max_output_tokens: maxOutputTokens ?? null,
    price: price ? priceDetail(price) : null,
    capabilities: Object.fromEntries(Object.entries(capabilities).map(([name, value]) => [snakeCase(name), value])),
    zdr,
    hipaa,
  }
}

function priceDetail(price: Price): JsonObject {
  return {
    ...tokenPrices(price),
    tiers: (price.tiers ?? []).map(tier => ({ above: tier.above, ...tokenPrices(tier) })),
    web_search: price.webSearch ?? null,
    request: price.request ?? 0,
  }
}

function tokenPrices({ input, output, cacheRead, cacheWrite5m, cacheWrite1h, reasoning }: TokenPrices): JsonObject {
  return {
    input,
    output,
    cache_read: cacheRead ?? null,
    cache_write_5m: cacheWrite5m ?? null,
    cache_write_1h: cacheWrite1h ?? null,
    reasoning: reasoning ?? null,
  }
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, capital => `_${capital.toLowerCase()}`)
}
