import {
  definePlugin,
  GatewayError,
  Providers,
  Routes,
  type Endpoint,
  type Exchange,
  type JsonObject,
  type Reply,
  type Route,
} from '../../../core/index.ts'
import { type GatewayServices, wording, own } from '../../../core/kit.ts'
import { MetricStore } from '../../../core/stores.ts'
import { anthropicCut, anthropicDetail, anthropicError, anthropicForm, isAnthropic } from './anthropic-form.ts'
import { describeGoogleModel, describeGoogleModels, describeModel, describeModels } from './description.ts'
import { factsOf, find } from './find.ts'
import { googleCut, googleDetail, googleError, googleForm, isGoogle } from './google-form.ts'
import { ModelList } from './list.ts'
import { intervalIn, metricsOf } from './metrics.ts'
import { detailOf } from './model.ts'
import { openAiCut, openAiForm } from './openai-form.ts'
import type { IsUsable } from './usable.ts'

/** `GET /v1/models` and `GET /v1/models/{id}`: docs/protocol/models.md. The same below `/v1beta`, in the form of Google's API. */
export default definePlugin({
  name: 'models',
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { providers: Providers, metrics: MetricStore },
  setup(gateway, _, { providers, metrics }) {
    const lists = { openAi: new ModelList(openAiForm), anthropic: new ModelList(anthropicForm), google: new ModelList(googleForm) }
    const error: Route['error'] = (error, requestId, headers) => {
      if (isAnthropic(headers)) return anthropicError(error, requestId)
      return isGoogle(headers, undefined) ? googleError(error) : undefined
    }
    const formOf = ({ headers, query }: Exchange): keyof typeof lists => {
      if (isAnthropic(headers)) return 'anthropic'
      return isGoogle(headers, query) ? 'google' : 'openAi'
    }
    const cuts = { openAi: openAiCut, anthropic: anthropicCut, google: googleCut }
    const list = async (exchange: Exchange, gateway: GatewayServices, form: keyof typeof lists): Promise<Reply> => {
      const cut = cuts[form](exchange)
      return json(await lists[form].of(gateway.catalog.models(), gateway.reach(exchange), cut))
    }
    const detail = (exchange: Exchange, { catalog, permits, reach }: GatewayServices, form: keyof typeof lists): Reply => {
      const { params, query, caller } = exchange
      const intervalMs = intervalIn(query)
      const name = decoded(params['id'] ?? '')
      const isUsable: IsUsable = endpoint => permits(caller, endpoint)
      const found = find(name, isUsable, catalog, providers)
      if (found) {
        const first = factsOf(found, reach(exchange))
        const measure = (endpoint: Endpoint): JsonObject => metricsOf(endpoint, metrics, intervalMs)
        const details = {
          openAi: () => detailOf(found, first, measure),
          anthropic: () => anthropicDetail(found, first),
          google: () => googleDetail(found, first),
        }
        return json(JSON.stringify(details[form]()))
      }
      const near = catalog.nearest(name).filter(each => find(each, isUsable, catalog, providers))
      const advice = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
      throw new GatewayError({
        status: 404,
        type: 'invalid_request_error',
        code: 'model_not_found',
        message: wording`The model "${name}" is not listed here.${own(advice)}`,
        param: 'id',
      })
    }
    // Model names may contain slashes.
    const route = { method: 'GET', auth: 'key', surface: null, keyParameter: 'key', error } as const
    gateway.add<Route>(Routes, {
      ...route,
      path: '/v1/models',
      handle: (exchange, services) => list(exchange, services, formOf(exchange)),
      describe: describeModels,
    })
    gateway.add<Route>(Routes, {
      ...route,
      path: '/v1/models/**:id',
      handle: (exchange, services) => detail(exchange, services, formOf(exchange)),
      describe: describeModel,
    })
    const google = { ...route, error: (error: GatewayError) => googleError(error) }
    gateway.add<Route>(Routes, {
      ...google,
      path: '/v1beta/models',
      handle: (exchange, services) => list(exchange, services, 'google'),
      describe: describeGoogleModels,
    })
    gateway.add<Route>(Routes, {
      ...google,
      path: '/v1beta/models/**:id',
      handle: (exchange, services) => detail(exchange, services, 'google'),
      describe: describeGoogleModel,
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

function json(body: string): Reply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}
