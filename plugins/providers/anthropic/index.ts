import { definePlugin, Providers } from '../../../core/index.ts'
import { apiKeyOption, ApiKeys, headersOption, httpProvider, sendingOptions } from '../../../core/kit.ts'
import { anthropicAdapter } from './adapter.ts'

const vendorUrl = 'https://api.anthropic.com'

/** Anthropic, and every host that speaks its Messages dialect. Give each its own `id` and `baseUrl`. */
export default definePlugin({
  name: 'anthropic',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1, default: 'anthropic', description: 'The slug in `provider/model`.' },
      apiKey: apiKeyOption,
      baseUrl: {
        type: 'string',
        format: 'uri',
        default: vendorUrl,
        description: 'The address before `/v1/messages`.',
      },
      version: { type: 'string', minLength: 1, default: '2023-06-01', description: 'The `anthropic-version` header.' },
      beta: { type: 'array', items: { type: 'string', minLength: 1 }, description: 'Values of the `anthropic-beta` header.' },
      defaultMaxTokens: {
        type: 'integer',
        minimum: 1,
        description:
          'The output limit if neither the caller nor the catalog sets one, because the API requires one. Default: 32000 for Claude 4 and later, the maximum for older Claude models, 8192 for others.',
      },
      headers: headersOption,
      ...sendingOptions,
    },
  },
  instance: options => options.id,
  setup(gateway, { id, apiKey, baseUrl, version, beta, defaultMaxTokens, headers, ...sending }) {
    const keys = new ApiKeys(apiKey)
    if (baseUrl === vendorUrl && !headers) keys.demand(gateway.name, 'ANTHROPIC_API_KEY')
    const url = `${baseUrl.replace(/(\/v1)?\/*$/, '')}/v1/messages`
    const adapter = anthropicAdapter({
      url: () => url,
      version,
      beta,
      defaultMaxTokens,
      authorize: keys.authorizeBy('x-api-key'),
    })
    gateway.add(Providers, httpProvider(id, adapter, gateway.http, { credentials: keys.credentials, headers, ...sending }))
  },
})
