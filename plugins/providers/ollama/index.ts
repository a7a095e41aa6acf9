import {
  ApiKeys,
  apiKeyOption,
  CatalogSources,
  definePlugin,
  headersOption,
  httpProvider,
  Providers,
  timeoutsOption,
  type JsonObject,
} from '../../../core/index.ts'
import { ollamaAdapter } from './adapter.ts'
import { ModelList } from './model-list.ts'

export const defaultBaseUrl = 'http://127.0.0.1:11434'

/** An Ollama server by its own dialect, with the models that it has; or the vendor's cloud, by a key and its `baseUrl`. */
export default definePlugin({
  name: 'ollama',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1, default: 'ollama', description: 'The slug in `provider/model`.' },
      apiKey: apiKeyOption,
      baseUrl: {
        type: 'string',
        format: 'uri',
        default: defaultBaseUrl,
        description: 'The address that `/api/chat` is added to.',
      },
      keepAlive: {
        anyOf: [{ type: 'string', minLength: 1 }, { type: 'number' }],
        description: 'How long a model stays loaded after a request, such as `"30m"`, or seconds. Default: as the server is configured.',
      },
      modelOptions: {
        type: 'object',
        description:
          'Runtime options of every request; what a caller sets goes before them. `{"num_ctx":16384}` makes room for longer conversations, which are refused where they exceed the window.',
      },
      listModels: { type: 'boolean', default: true, description: 'Whether the models that the server has are in the catalog.' },
      listEverySeconds: { type: 'number', minimum: 1, maximum: 86400, default: 60, description: 'How often they are asked for.' },
      headers: headersOption,
      timeouts: timeoutsOption,
    },
  },
  instance: options => options.id,
  setup(gateway, { id, apiKey, baseUrl, keepAlive, modelOptions, listModels, listEverySeconds, headers, timeouts }) {
    const keys = new ApiKeys(apiKey)
    const root = baseUrl.replace(/(\/api|\/v1)?\/*$/, '')
    const authorization = (credentialId: string | undefined): Readonly<Record<string, string>> => {
      const secret = keys.secret(credentialId)
      return secret === undefined ? {} : { authorization: `Bearer ${secret}` }
    }
    const adapter = ollamaAdapter({
      url: `${root}/api/chat`,
      keepAlive,
      modelOptions,
      authorize: (request, credentialId) => ({ ...request, headers: { ...request.headers, ...authorization(credentialId) } }),
    })
    gateway.add(Providers, httpProvider(id, adapter, gateway.http, { credentials: keys.credentials, timeouts, headers }))
    if (!listModels) return
    const list = new ModelList({
      provider: id,
      baseUrl: root,
      headers: { ...headers, ...authorization(keys.credentials?.[0]?.id) },
      everyMs: listEverySeconds * 1000,
      contextWindow: windowIn(modelOptions),
      http: gateway.http,
      log: gateway.log,
    })
    gateway.add(CatalogSources, list)
    gateway.onStart(() => list.start())
    gateway.onStop(() => list.stop())
  },
})

/** A server loads a model with the window that the first request asks for. */
function windowIn({ num_ctx: window }: JsonObject = {}): number | undefined {
  return typeof window === 'number' && Number.isInteger(window) && window > 0 ? window : undefined
}
