import { CatalogSources, definePlugin, Providers, type JsonObject } from '../../../core/index.ts'
import { apiKeyOption, ApiKeys, headersOption, httpProvider, sendingOptions } from '../../../core/kit.ts'
import { ollamaAdapter } from './adapter.ts'
import { defaultBaseUrl } from './base-url.ts'
import { modelList } from './model-list.ts'

/** An Ollama server and its models, in its own dialect; or the vendor's cloud, with a key and its `baseUrl`. */
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
        description: 'The address before `/api/chat`.',
      },
      keepAlive: {
        anyOf: [{ type: 'string', minLength: 1 }, { type: 'number' }],
        description: 'How long a model stays loaded after a request, such as `"30m"`, or in seconds. Default: as configured on the server.',
      },
      modelOptions: {
        type: 'object',
        description:
          'Runtime options for every request. Settings in a request override them. `{"num_ctx":16384}` allows longer conversations, which are refused if they exceed the window.',
      },
      listModels: { type: 'boolean', default: true, description: "Add the server's models to the catalog." },
      listEverySeconds: { type: 'number', minimum: 1, maximum: 86400, default: 60, description: 'How often to refresh that list.' },
      headers: headersOption,
      ...sendingOptions,
    },
  },
  instance: options => options.id,
  setup(gateway, { id, apiKey, baseUrl, keepAlive, modelOptions, listModels, listEverySeconds, headers, ...sending }) {
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
    gateway.add(Providers, httpProvider(id, adapter, gateway.http, { credentials: keys.credentials, headers, ...sending }))
    if (!listModels) return
    const list = modelList({
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

/** The server loads a model with the window in the first request. */
function windowIn({ num_ctx: window }: JsonObject = {}): number | undefined {
  return typeof window === 'number' && Number.isInteger(window) && window > 0 ? window : undefined
}
