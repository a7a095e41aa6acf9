import { ApiKeys, apiKeyOption, definePlugin, headersOption, Providers, timeoutsOption } from '../../../core/index.ts'
import { idOf } from './id.ts'
import { Models } from './models.ts'
import { loadExport } from './package.ts'
import { bridge } from './provider.ts'

/**
 * Any provider package of the AI SDK whose models are of specification v2, v3 or v4: `aiSdk({ package: '@ai-sdk/groq', apiKey: env('GROQ_API_KEY') })`.
 * The package is installed beside the config; it may also be a module of your own that exports a provider which it made itself.
 */
export default definePlugin({
  name: 'ai-sdk',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['package'],
    properties: {
      package: {
        type: 'string',
        minLength: 1,
        description: 'An npm package, such as `@ai-sdk/groq`, or the path of a module, such as `./my-provider.ts`, relative to the config.',
      },
      export: {
        type: 'string',
        minLength: 1,
        description: 'Which of its exports makes the provider, or is one. Default: the only one named `create…`, else the default export.',
      },
      method: {
        type: 'string',
        minLength: 1,
        default: 'languageModel',
        description: "Which of the provider's methods makes a model of a name, such as `chat` or `responses` of `@ai-sdk/openai`.",
      },
      id: {
        type: 'string',
        minLength: 1,
        description: 'The slug in `provider/model`. Default: after the package: `groq` of `@ai-sdk/groq`.',
      },
      apiKey: apiKeyOption,
      baseUrl: { type: 'string', format: 'uri', description: 'The setting `baseURL` of the package.' },
      settings: {
        type: 'object',
        properties: {
          baseURL: { type: 'string' },
          name: { type: 'string' },
          project: { type: 'string' },
          location: { type: 'string' },
          region: { type: 'string' },
          resourceName: { type: 'string' },
        },
        additionalProperties: { writeOnly: true },
        description: 'What else the package is set up with, as its own documentation says.',
      },
      providerOptions: {
        type: 'object',
        additionalProperties: { type: 'object' },
        description: 'Sent with every call as `providerOptions`: objects by the names under which the package reads them.',
      },
      structuredOutput: {
        enum: ['json_schema', 'json_object', 'none'],
        default: 'json_schema',
        description: 'To what form of answer the models can be held, where the catalog does not say. What they lack is asked for in words.',
      },
      headers: headersOption,
      timeouts: timeoutsOption,
    },
  },
  instance: options => options.id ?? idOf(options.package),
  async setup(gateway, options) {
    const { id = idOf(options.package), apiKey, timeouts, headers, structuredOutput, providerOptions } = options
    const keys = new ApiKeys(apiKey)
    const models = new Models(gateway, keys, await loadExport(gateway, options.package, options.export), options)
    gateway.add(
      Providers,
      bridge(id, models, gateway.http, { credentials: keys.credentials, timeouts, headers, structuredOutput, providerOptions }),
    )
  },
})
