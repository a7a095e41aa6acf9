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
import { chatAdapter } from './adapter.ts'
import { hosts, type Host, type HostName } from './hosts.ts'

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
      baseUrl: { type: 'string', pattern: '^https?://', description: 'Where `/chat/completions` is found.' },
      headers: headersOption,
      timeouts: timeoutsOption,
    },
  },
  instance: options => options.id ?? options.host,
  setup(gateway, options) {
    const host: Host = hosts[options.host]
    const baseUrl = options.baseUrl ?? host.baseUrl
    if (baseUrl === undefined) throw new PluginError(gateway.name, 'needs the option baseUrl, since its host has no address of its own.')
    const keys = new ApiKeys(options.apiKey)
    gateway.add(
      Providers,
      httpProvider(options.id ?? options.host, chatAdapter(host, baseUrl, keys), gateway.http, {
        credentials: keys.credentials,
        timeouts: options.timeouts,
        headers: options.headers,
      }),
    )
  },
})
