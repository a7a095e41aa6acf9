import { CatalogSources, DecisionClients, definePlugin } from '../../../core/index.ts'
import { apiKeyOption, ApiKeys, milliseconds } from '../../../core/kit.ts'
import { RateLimiter } from '../../../core/stores.ts'
import { dmClient } from './client.ts'
import { dmModels } from './models.ts'
import { RequestLimit } from './request-limit.ts'

/** Decisions from the vendor of the decision model. */
export default definePlugin({
  name: 'dm',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['baseUrl', 'apiKey'],
    properties: {
      vendor: { type: 'string', pattern: '^[^/]+$', default: 'vendor', description: 'The slug in `vendor/model`.' },
      baseUrl: { type: 'string', format: 'uri', description: 'The base URL, without `/v1/systemone`.' },
      apiKey: apiKeyOption,
      models: {
        type: 'array',
        minItems: 1,
        items: { type: 'string', minLength: 1 },
        default: ['dm-1.13.0'],
        description: 'The versioned model ids. The targets of `aliases` need not be listed.',
      },
      aliases: {
        type: 'object',
        additionalProperties: { type: 'string', minLength: 1 },
        default: { dm: 'dm-1.13.0', 'dm-latest': 'dm-1.13.0', 'dm-preview': 'dm-1.13.0', 'dm-1.13': 'dm-1.13.0' },
        description: 'Alternative names, each with its versioned id.',
      },
      timeoutMs: { ...milliseconds, default: 30_000, description: 'A decision that takes longer fails with 504.' },
      requestsPerMinute: {
        type: 'integer',
        minimum: 1,
        default: 1_200,
        description:
          "The vendor's rate limit for the account, shared by all API keys. Above it, a request waits up to a second, then fails with 429.",
      },
      price: {
        type: 'object',
        additionalProperties: false,
        required: ['input', 'output'],
        properties: {
          input: { type: 'number', minimum: 0, description: 'Input tokens.' },
          output: { type: 'number', minimum: 0, description: 'Output tokens.' },
        },
        default: { input: 0.042, output: 0 },
        description: 'US dollars per million tokens.',
      },
    },
  },
  instance: options => options.vendor,
  needs: { limiter: RateLimiter },
  setup(gateway, options, { limiter }) {
    const { vendor, requestsPerMinute } = options
    const limit = new RequestLimit(limiter, vendor, requestsPerMinute)
    gateway.add(DecisionClients, dmClient({ ...options, keys: new ApiKeys(options.apiKey), limit, http: gateway.http }))
    gateway.add(CatalogSources, dmModels(options))
  },
})
