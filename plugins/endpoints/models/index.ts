import { definePlugin, GatewayError, Providers, Routes, type Endpoint, type JsonObject, type Route } from '../../../core/index.ts'
import { MetricStore } from '../../../core/stores.ts'
import { anthropicCut, anthropicDetail, anthropicError, anthropicForm, isAnthropic } from './anthropic-form.ts'
import { describeModel, describeModels } from './description.ts'
import { factsOf, find } from './find.ts'
import { ModelList } from './list.ts'
import { intervalIn, metricsOf } from './metrics.ts'
import { detailOf } from './model.ts'
import { openAiCut, openAiForm } from './openai-form.ts'
import type { IsUsable } from './usable.ts'

/** `GET /v1/models` and `GET /v1/models/{id}`: docs/protocol/models.md. */
export default definePlugin({
  name: 'models',
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { providers: Providers, metrics: MetricStore },
  setup(gateway, _, { providers, metrics }) {
    const lists = { openAi: new ModelList(openAiForm), anthropic: new ModelList(anthropicForm) }
    const error: Route['error'] = (error, requestId, headers) => (isAnthropic(headers) ? anthropicError(error, requestId) : undefined)
    const route = { method: 'GET', auth: 'key', surface: null, error } as const
    gateway.add<Route>(Routes, {
      ...route,
      path: '/v1/models',
      async handle(exchange, gateway) {
        const [list, cut] = isAnthropic(exchange.headers) ? [lists.anthropic, anthropicCut(exchange)] : [lists.openAi, openAiCut(exchange)]
        return json(await list.of(gateway.catalog.models(), gateway.reach(exchange), cut))
      },
      describe: describeModels,
    })
    gateway.add<Route>(Routes, {
      ...route,
      // Model names may contain slashes.
      path: '/v1/models/**:id',
      handle(exchange, { catalog, permits, reach }) {
        const { params, query, caller, headers } = exchange
        const intervalMs = intervalIn(query)
        const name = decoded(params['id'] ?? '')
        const isUsable: IsUsable = endpoint => permits(caller, endpoint)
        const found = find(name, isUsable, catalog, providers)
        if (found) {
          const first = factsOf(found, reach(exchange))
          const measure = (endpoint: Endpoint): JsonObject => metricsOf(endpoint, metrics, intervalMs)
          return json(JSON.stringify(isAnthropic(headers) ? anthropicDetail(found, first) : detailOf(found, first, measure)))
        }
        const near = catalog.nearest(name).filter(each => find(each, isUsable, catalog, providers))
        const advice = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
        throw new GatewayError({
          status: 404,
          type: 'invalid_request_error',
          code: 'model_not_found',
          message: `The model "${name}" is not listed here.${advice}`,
          param: 'id',
        })
      },
      describe: describeModel,
    })
  },
})

/** Clients percent-encode the slashes in a name. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function json(body: string): { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}
