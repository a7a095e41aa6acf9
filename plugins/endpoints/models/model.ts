import type { Capabilities, Endpoint, JsonObject, Model, Price } from '../../../core/index.ts'
import type { TokenPrices } from '../../../core/kit.ts'
import type { Found } from './find.ts'

/** The metrics of an endpoint. */
export type Measure = (endpoint: Endpoint) => JsonObject

/** One entry of the list. It does not show zero data retention: docs/protocol/models.md. `endpoint`: the one whose facts it shows. */
export function modelSummary({ id, created, ownedBy }: Pick<Model, 'id' | 'created' | 'ownedBy'>, endpoint?: Endpoint): JsonObject {
  const { contextWindow, maxOutputTokens, price, capabilities = {} } = endpoint ?? {}
  return {
    id,
    object: 'model',
    created,
    owned_by: ownedBy,
    context_length: contextWindow ?? null,
    max_output_tokens: maxOutputTokens ?? null,
    pricing: price ? { ...priceDetail(price), prompt: perToken(price.input), completion: perToken(price.output) } : null,
    capabilities: shownCapabilities(capabilities),
  }
}

/** `auto` is a name that requests may have, so it is listed like a model. It is no single model, so its facts are unknown. */
export const summaryOfAuto = modelSummary({ id: 'auto', created: 0, ownedBy: 'turnpike' })

const detailOfAuto: JsonObject = { ...summaryOfAuto, aliases: [], family: null, listed: true, providers: {} }

/** `first`: the endpoint whose facts stand for the model. */
export function detailOf(found: Found, first: Endpoint | undefined, measure: Measure): JsonObject {
  if (found.is === 'auto') return detailOfAuto
  if (found.is === 'unlisted') return unlistedDetail(found.endpoint, measure)
  const { model, endpoints } = found
  return {
    ...modelSummary(model, first),
    aliases: model.aliases,
    family: model.family ?? null,
    listed: true,
    providers: providersOf(endpoints, measure),
  }
}

/** A model that is not in the catalog, at the provider that the caller named. */
function unlistedDetail(endpoint: Endpoint, measure: Measure): JsonObject {
  const { model: id, provider } = endpoint
  return {
    ...modelSummary({ id: `${provider}/${id}`, created: 0, ownedBy: 'unknown' }, endpoint),
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
function providerDetail({
  upstreamModel,
  kind,
  contextWindow,
  maxOutputTokens,
  dimensions,
  price,
  capabilities,
  zdr,
  hipaa,
}: Endpoint): JsonObject {
  return {
    model: upstreamModel,
    kind: kind ?? 'generation',
    context_window: contextWindow ?? null,
    max_output_tokens: maxOutputTokens ?? null,
    ...(dimensions !== undefined && { dimensions }),
    price: price ? priceDetail(price) : null,
    capabilities: shownCapabilities(capabilities),
    zdr,
    hipaa,
  }
}

function shownCapabilities(capabilities: Capabilities): JsonObject {
  return Object.fromEntries(Object.entries(capabilities).map(([name, value]) => [snakeCase(name), value]))
}

/** US dollars for one token, in the form that clients of other gateways read. */
function perToken(perMillion: number): string {
  const text = (perMillion / 1_000_000).toFixed(12)
  return text.replace(/\.?0+$/, '')
}

function priceDetail(price: Price): JsonObject {
  return {
    ...tokenPrices(price),
    tiers: (price.tiers ?? []).map(tier => ({ above: tier.above, ...tokenPrices(tier) })),
    web_search: price.webSearch ?? null,
    request: price.request ?? 0,
    ...(price.search !== undefined && { search: price.search }),
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
