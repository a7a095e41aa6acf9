import { DecisionClients, definePlugin } from '../../../core/index.ts'
import { apiKeyOption, ApiKeys, milliseconds } from '../../../core/kit.ts'
import { openaiClient } from './client.ts'

const vendorUrl = 'https://api.openai.com/v1'

/** Decisions from OpenAI, and from every host of its Decisions API. Prices are those of the model in the catalog. */
export default definePlugin({
  name: 'openai-decisions',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string', pattern: '^[^/\\s]+$', default: 'openai', description: 'The slug in `provider/model`.' },
      apiKey: apiKeyOption,
      baseUrl: { type: 'string', format: 'uri', default: vendorUrl, description: 'The address before `/decisions`.' },
      models: {
        type: 'array',
        minItems: 1,
        items: { type: 'string', minLength: 1 },
        default: ['gpt-6-luna'],
        description: 'The models that decide.',
      },
      timeoutMs: { ...milliseconds, default: 60_000, description: 'A decision that takes longer fails with 504.' },
    },
  },
  instance: options => options.id,
  setup(gateway, { id, apiKey, baseUrl, models, timeoutMs }) {
    const keys = new ApiKeys(apiKey)
    if (baseUrl === vendorUrl) keys.demand(gateway.name, 'OPENAI_API_KEY')
    gateway.add(DecisionClients, openaiClient({ id, keys, baseUrl, models, timeoutMs, http: gateway.http }))
  },
})
