import { definePlugin, PluginError, Providers } from '../../../core/index.ts'
import { apiKeyOption, ApiKeys, headersOption, httpProvider, sendingOptions } from '../../../core/kit.ts'
import { openaiChatAdapter } from './adapter.ts'
import { addressOf, hosts, type Host, type HostName } from './hosts.ts'
import { wholeWithTools } from './whole-with-tools.ts'

export default definePlugin({
  name: 'openai-chat',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      host: {
        enum: Object.keys(hosts) as HostName[],
        default: 'openai',
        description: 'The OpenAI-compatible host. Sets the default of `baseUrl`, and how the host differs from the protocol.',
      },
      id: { type: 'string', minLength: 1, description: "The provider's id. Default: the host's name." },
      apiKey: apiKeyOption,
      baseUrl: { type: 'string', format: 'uri', description: 'The address before `/chat/completions`.' },
      account: {
        type: 'string',
        minLength: 1,
        description: 'Replaces `{account}` in the address of hosts that have one: an account id, a region, the host of a workspace.',
      },
      headers: headersOption,
      ...sendingOptions,
    },
  },
  instance: options => options.id ?? options.host,
  setup(gateway, options) {
    const host: Host = hosts[options.host]
    const address = addressOf(host, options.baseUrl, options.account)
    if ('missing' in address) throw new PluginError(gateway.name, address.missing)
    const keys = new ApiKeys(options.apiKey)
    if (!options.baseUrl && !options.headers && host.keyVariable) keys.demand(gateway.name, host.keyVariable)
    const provider = httpProvider(options.id ?? options.host, openaiChatAdapter(host, address.url, keys), gateway.http, {
      ...options,
      credentials: keys.credentials,
    })
    gateway.add(Providers, host.wholeWithTools ? wholeWithTools(provider) : provider)
  },
})
