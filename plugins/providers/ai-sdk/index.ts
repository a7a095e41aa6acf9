import { definePlugin, Providers } from '../../../core/index.ts'
import { apiKeyOption, ApiKeys, headersOption, sendingOptions } from '../../../core/kit.ts'
import { idOf } from './id.ts'
import { Models } from './models.ts'
import { loadExport } from './package.ts'
import { bridge } from './provider.ts'

/**
 * Any AI SDK provider package with models of specification v2, v3 or v4: `aiSdk({ package: '@ai-sdk/groq', apiKey: env('GROQ_API_KEY') })`.
 * Install the package next to the config. It may also be your own module that exports a ready provider.
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
        description: 'The export that creates the provider, or is one. Default: the only one named `create…`, else the default export.',
      },
      method: {
        type: 'string',
        minLength: 1,
        default: 'languageModel',
        description: "The provider's method that creates a model, such as `chat` or `responses` in `@ai-sdk/openai`.",
      },
      id: {
        type: 'string',
        minLength: 1,
        description: 'The slug in `provider/model`. Default: from the package name, such as `groq` for `@ai-sdk/groq`.',
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
        description: 'Other settings for the package. See its documentation.',
      },
      providerOptions: {
        type: 'object',
        additionalProperties: { type: 'object' },
        description: 'Sent with every call as `providerOptions`: objects by the names that the package reads.',
      },
      structuredOutput: {
        enum: ['json_schema', 'json_object', 'none'],
        default: 'json_schema',
        description: 'The answer formats that the models enforce, if the catalog does not say. The prompt asks for other formats.',
      },
      headers: headersOption,
      ...sendingOptions,
    },
  },
  instance: options => options.id ?? idOf(options.package),
  async setup(gateway, options) {
    const { id = idOf(options.package), apiKey } = options
    const keys = new ApiKeys(apiKey)
    const models = new Models(gateway, keys, await loadExport(gateway, options.package, options.export), options)
    gateway.add(Providers, bridge(id, models, gateway.http, { ...options, credentials: keys.credentials }))
  },
})
