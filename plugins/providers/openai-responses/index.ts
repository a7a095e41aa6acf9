import { definePlugin, Providers } from '../../../core/index.ts'
import { apiKeyOption, ApiKeys, headersOption, httpProvider, sendingOptions } from '../../../core/kit.ts'
import { openaiResponsesAdapter } from './adapter.ts'

const vendorUrl = 'https://api.openai.com/v1'

/** OpenAI, and every host that speaks its Responses dialect, such as xAI and OpenRouter. Give each its own `id` and `baseUrl`. */
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
        description: 'The address before `/responses`.',
      },
      headers: headersOption,
      ...sendingOptions,
      reasoningState: {
        type: 'boolean',
        default: true,
        description: 'Requests encrypted reasoning, which keeps thoughts from turn to turn although the vendor stores nothing.',
      },
      contextManagement: {
        type: 'boolean',
        description:
          'The host compacts conversations by itself: it knows `context_management` and `compaction_trigger`. Default: true for the address of OpenAI, false for any other.',
      },
      obfuscation: {
        type: 'boolean',
        description: '`false` tells the vendor not to pad stream events. Not sent by default, because only OpenAI supports it.',
      },
    },
  },
  instance: options => options.id,
  setup(gateway, { id, apiKey, baseUrl, headers, reasoningState, obfuscation, contextManagement = baseUrl === vendorUrl, ...sending }) {
    const keys = new ApiKeys(apiKey)
    if (baseUrl === vendorUrl && !headers) keys.demand(gateway.name, 'OPENAI_API_KEY')
    const adapter = openaiResponsesAdapter({ baseUrl, keys, reasoningState, obfuscation, contextManagement })
    gateway.add(Providers, httpProvider(id, adapter, gateway.http, { credentials: keys.credentials, headers, ...sending }))
  },
})
