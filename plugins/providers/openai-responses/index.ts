import { ApiKeys, apiKeyOption, definePlugin, headersOption, httpProvider, Providers, timeoutsOption } from '../../../core/index.ts'
import { openaiResponsesAdapter } from './adapter.ts'

const vendorUrl = 'https://api.openai.com/v1'

/** OpenAI, and every host that speaks its Responses dialect: xAI, DeepSeek, OpenRouter, …, each by its own `id` and `baseUrl`. */
export default definePlugin({
  name: 'openai-responses',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1, default: 'openai', description: 'The slug in `provider/model`.' },
      apiKey: apiKeyOption,
      baseUrl: {
        type: 'string',
        format: 'uri',
        default: vendorUrl,
        description: 'The address that `/responses` is added to.',
      },
      headers: headersOption,
      timeouts: timeoutsOption,
      reasoningState: {
        type: 'boolean',
        default: true,
        description: 'Asks for encrypted reasoning, so that thoughts survive from turn to turn although the vendor stores nothing.',
      },
      obfuscation: {
        type: 'boolean',
        description:
          'False tells the vendor not to pad the events of a stream; left out, nothing is said, since only OpenAI knows the switch.',
      },
    },
  },
  instance: options => options.id,
  setup(gateway, { id, apiKey, baseUrl, headers, timeouts, reasoningState, obfuscation }) {
    const keys = new ApiKeys(apiKey)
    if (baseUrl === vendorUrl && !headers) keys.demand(gateway.name, 'OPENAI_API_KEY')
    const adapter = openaiResponsesAdapter({ baseUrl, keys, reasoningState, obfuscation })
    gateway.add(Providers, httpProvider(id, adapter, gateway.http, { credentials: keys.credentials, timeouts, headers }))
  },
})
