import { definePlugin, Providers } from '../../../core/index.ts'
import { apiKeyOption, ApiKeys, headersOption, httpProvider, sendingOptions } from '../../../core/kit.ts'
import { hosts } from '../openai-chat/hosts.ts'
import { mistralAdapter } from './adapter.ts'

/** Mistral: Chat Completions with differences, and with safeguards that the operator can turn on. */
export default definePlugin({
  name: 'mistral',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1, default: 'mistral', description: 'The slug in `provider/model`.' },
      apiKey: apiKeyOption,
      baseUrl: {
        type: 'string',
        format: 'uri',
        default: hosts.mistral.baseUrl,
        description: 'The address before `/chat/completions`.',
      },
      safePrompt: { type: 'boolean', description: "Puts the vendor's safety prompt before every conversation." },
      guardrails: {
        type: 'array',
        items: { type: 'object' },
        description: "The vendor's guardrails, as in its API reference. What they block is refused.",
      },
      headers: headersOption,
      ...sendingOptions,
    },
  },
  instance: options => options.id,
  setup(gateway, { id, apiKey, baseUrl, safePrompt, guardrails, headers, ...sending }) {
    const keys = new ApiKeys(apiKey)
    if (baseUrl === hosts.mistral.baseUrl && !headers) keys.demand(gateway.name, 'MISTRAL_API_KEY')
    const adapter = mistralAdapter({ baseUrl, keys, safePrompt, guardrails })
    gateway.add(Providers, httpProvider(id, adapter, gateway.http, { credentials: keys.credentials, headers, ...sending }))
  },
})
