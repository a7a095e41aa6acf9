import {
  definePlugin,
  GatewayError,
  Providers,
  Routes,
  type Endpoint,
  type JsonObject,
  type Provider,
  type Registry,
} from '../../../core/index.ts'
import type { Catalog } from '../../../core/kit.ts'
import { MetricStore } from '../../../core/stores.ts'
import { describeModel, describeModels } from './description.ts'
import { limitIn } from './limit.ts'
import { ModelList } from './list.ts'
import { intervalIn, metricsOf } from './metrics.ts'
import { detailOfAuto, mayChooseAuto, modelDetail, unlistedDetail, type Measure } from './model.ts'
import { usableOf, type IsUsable } from './usable.ts'

/** `GET /v1/models` and `GET /v1/models/{id}`: docs/protocol/models.md. */
export default definePlugin({
  name: 'models',
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { providers: Providers, metrics: MetricStore },
  setup(gateway, _, { providers, metrics }) {
    const list = new ModelList()
    gateway.add(Routes, {
      method: 'GET',
      path: '/v1/models',
      auth: 'key',
      handle: (exchange, gateway) => json(list.of(gateway.catalog.models(), gateway.reach(exchange), limitIn(exchange.query))),
      describe: describeModels,
    })
    gateway.add(Routes, {
      method: 'GET',
      // Model names may contain slashes.
      path: '/v1/models/**:id',
      auth: 'key',
      handle({ params, query, caller }, { catalog, permits }) {
        const intervalMs = intervalIn(query)
        const name = decoded(params['id'] ?? '')
        const measure = (endpoint: Endpoint): JsonObject => metricsOf(endpoint, metrics, intervalMs)
        const isUsable: IsUsable = endpoint => permits(caller, endpoint)
        const find = (each: string): JsonObject | undefined => detailOf(each, isUsable, catalog, providers, measure)
        const found = find(name)
        if (found) return json(JSON.stringify(found))
        const near = catalog.nearest(name).filter(find)
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

/** Finds a model by name, alias or `provider/model`, which need not be in a catalog. Undefined for models that the caller may not use. */
function detailOf(
  name: string,
  isUsable: IsUsable,
  catalog: Catalog,
  providers: Registry<Provider>,
  measure: Measure,
): JsonObject | undefined {
  const shown = (endpoints: readonly Endpoint[], detail: (usable: readonly Endpoint[]) => JsonObject): JsonObject | undefined => {
    const usable = usableOf(endpoints, isUsable)
    return usable.length > 0 ? detail(usable) : undefined
  }
  if (name === 'auto') return mayChooseAuto(catalog.models(), isUsable) ? detailOfAuto : undefined
  const model = catalog.resolve(name)
  if (model) return shown(model.endpoints, usable => modelDetail(model, usable, measure))
  const slash = name.indexOf('/')
  const provider = slash > 0 ? providers.get(name.slice(0, slash)) : undefined
  const rest = name.slice(slash + 1)
  if (!provider || !rest) return undefined
  const endpoint = catalog.endpoint(provider.id, rest)
  const listed = endpoint && catalog.resolve(endpoint.model)!
  if (listed) return shown(listed.endpoints, usable => modelDetail(listed, usable, measure))
  const { id, capabilities = {} } = provider
  const unlisted = { provider: id, model: rest, upstreamModel: rest, listed: false, capabilities, zdr: false, hipaa: false } as const
  return shown([unlisted], () => unlistedDetail(unlisted, measure))
}

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
