import { definePlugin, Providers } from '../../../core/index.ts'
import { apiKeyOption, ApiKeys, headersOption, httpProvider, sendingOptions } from '../../../core/kit.ts'
import { cohereAdapter } from './adapter.ts'

const vendorUrl = 'https://api.cohere.com'

/** Cohere Chat, version 2: the vendor's API, or a private deployment with its `baseUrl`. */
export default definePlugin({
  name: 'cohere',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1, default: 'cohere', description: 'The slug in `provider/model`.' },
      apiKey: apiKeyOption,
      baseUrl: {
        type: 'string',
        format: 'uri',
        default: vendorUrl,
        description: 'The address before `/v2/chat`.',
      },
      headers: headersOption,
      ...sendingOptions,
    },
  },
  instance: options => options.id,
  setup(gateway, { id, apiKey, baseUrl, headers, ...sending }) {
    const keys = new ApiKeys(apiKey)
    if (baseUrl === vendorUrl && !headers) keys.demand(gateway.name, 'CO_API_KEY')
    const adapter = cohereAdapter({
      url: `${baseUrl.replace(/(\/v2)?\/*$/, '')}/v2/chat`,
      authorize: keys.authorizeBy('authorization'),
    })
    gateway.add(Providers, httpProvider(id, adapter, gateway.http, { credentials: keys.credentials, headers, ...sending }))
  },
})
