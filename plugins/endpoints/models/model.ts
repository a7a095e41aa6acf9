import type { Endpoint, JsonObject, Model } from '../../../core/index.ts'

/** One entry of the list. It says nothing of zero data retention: spec.md, Per-provider ZDR status. */
export function modelSummary({ id, created, ownedBy }: Model): JsonObject {
  return { id, object: 'model', created, owned_by: ownedBy }
}

export function modelDetail(model: Model): JsonObject {
  const providers = Object.fromEntries(model.endpoints.map(endpoint => [endpoint.provider, providerDetail(endpoint)]))
  return { ...modelSummary(model), aliases: model.aliases, providers }
}

/** Null is unknown. Prices are US dollars per million tokens. */
function providerDetail({ upstreamModel, contextWindow, maxOutputTokens, price, capabilities, zdr, hipaa }: Endpoint): JsonObject {
  return {
    model: upstreamModel,
    context_window: contextWindow ?? null,
    max_output_tokens: maxOutputTokens ?? null,
    price: price
      ? {
          input: price.input,
          output: price.output,
          cache_read: price.cacheRead ?? null,
          cache_write_5m: price.cacheWrite5m ?? null,
          cache_write_1h: price.cacheWrite1h ?? null,
        }
      : null,
    capabilities,
    zdr,
    hipaa,
  }
}
