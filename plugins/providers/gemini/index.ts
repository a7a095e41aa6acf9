import { definePlugin, Providers } from '../../../core/index.ts'
import { apiKeyOption, ApiKeys, headersOption, httpProvider, sendingOptions } from '../../../core/kit.ts'
import { geminiAdapter } from './adapter.ts'
import { modelPath } from './model-path.ts'
import { safetySettingsOption } from './safety.ts'

const vendorUrl = 'https://generativelanguage.googleapis.com'

/** Gemini through the vendor's API, with a key from AI Studio. */
export default definePlugin({
  name: 'gemini',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1, default: 'gemini', description: 'The slug in `provider/model`.' },
      apiKey: apiKeyOption,
      baseUrl: {
        type: 'string',
        format: 'uri',
        default: vendorUrl,
        description: 'The address before `/v1beta/models/…`.',
      },
      safetySettings: safetySettingsOption,
      headers: headersOption,
      ...sendingOptions,
    },
  },
  instance: options => options.id,
  setup(gateway, { id, apiKey, baseUrl, safetySettings, headers, ...sending }) {
    const keys = new ApiKeys(apiKey)
    if (baseUrl === vendorUrl && !headers) keys.demand(gateway.name, 'GEMINI_API_KEY')
    const root = `${baseUrl.replace(/(\/v1beta)?\/*$/, '')}/v1beta`
    const adapter = geminiAdapter({
      modelUrl: ({ endpoint }) => `${root}/${modelPath(endpoint.upstreamModel)}`,
      filesUrl: `${root}/files`,
      ownApi: true,
      safetySettings,
      authorize: keys.authorizeBy('x-goog-api-key'),
    })
    gateway.add(Providers, httpProvider(id, adapter, gateway.http, { credentials: keys.credentials, headers, ...sending }))
  },
})
