import {
  ApiKeys,
  apiKeyOption,
  definePlugin,
  headersOption,
  httpProvider,
  PluginError,
  Providers,
  timeoutsOption,
} from '../../../core/index.ts'
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
        description: 'Which OpenAI-compatible host this is: sets the default of baseUrl, and its departures from the protocol.',
      },
      id: { type: 'string', minLength: 1, description: "The provider's id; default: the host's name." },
      apiKey: apiKeyOption,
      baseUrl: { type: 'string', format: 'uri', description: 'Where `/chat/completions` is found.' },
      account: {
        type: 'string',
        minLength: 1,
        description: 'What stands for `{account}` in the address of a host that has it: an account id, a region, the host of a workspace.',
      },
      headers: headersOption,
      timeouts: timeoutsOption,
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
      credentials: keys.credentials,
      timeouts: options.timeouts,
      headers: options.headers,
    })
    gateway.add(Providers, host.wholeWithTools ? wholeWithTools(provider) : provider)
  },
})
