import { definePlugin, isObject, type Plugin, type PluginDefinition } from '../../core/index.ts'
import { apiKeyOption, headersOption, sendingOptions } from '../../core/kit.ts'
import {
  addHost,
  hostPlugin,
  type AccountMeaning,
  type HostDialect,
  type HostPlugin,
  type HostSchema,
  type HostUse,
  type OptionSchemas,
} from '../host/host-plugin.ts'
import { chatAdapter } from './adapter.ts'
import type { ChatHost } from './chat-host.ts'
import { chatShape } from './chat-shape.ts'
import { wholeWithTools } from './whole-with-tools.ts'

const chatDialect: HostDialect<ChatHost> = {
  path: '/chat/completions',
  shape: chatShape,
  adapter: chatAdapter,
  provided: (provider, host) => (host.wholeWithTools ? wholeWithTools(provider) : provider),
}

/** The table of a vendor whose API is a dialect of Chat Completions. */
export type ChatProviderTable<P extends OptionSchemas, R extends readonly string[], A extends AccountMeaning = AccountMeaning> = ChatHost &
  HostPlugin<ChatHost, P, R, A>

/**
 * The plugin of a vendor whose API is a dialect of Chat Completions: `export default chatProvider({ name, id, baseUrl, … })`. The table is
 * checked at the start of a gateway.
 */
export function chatProvider<
  const P extends OptionSchemas = {},
  const R extends readonly string[] = readonly [],
  A extends AccountMeaning = undefined,
>(table: ChatProviderTable<P, R, A>): Plugin<HostSchema<P, R, A>> {
  return hostPlugin<ChatHost, P, R, A>(chatDialect, table, chatProvider)
}

/** Several hosts behind one plugin, such as the regions of a vendor. */
export interface ChatHosts<N extends string> {
  /** The plugin's name. */
  readonly name: string
  /** By the value of the option `host`. It is also the default of the option `id`. */
  readonly hosts: Readonly<Record<N, ChatHost>>
  /** The host of a config that names none. */
  readonly host: NoInfer<N>
  /** The description of the option `host`. */
  readonly description?: string
}

/** The options of `chatProviders`. */
export interface ChatHostsSchema<N extends string> {
  readonly type: 'object'
  readonly additionalProperties: false
  /** Each has a description, which the config and the docs show. */
  readonly properties: {
    /** Chooses one of `hosts`. */
    readonly host: {
      /** The names in `hosts`. */
      readonly enum: readonly N[]
      /** The `host` of the table. */
      readonly default: N
    }
    /** The slug in `provider/model`. Default: the host's name. */
    readonly id: { readonly type: 'string' }
    /** One key, or several to rotate through. */
    readonly apiKey: typeof apiKeyOption
    /** The address before `/chat/completions`. Default: the host's. */
    readonly baseUrl: { readonly type: 'string' }
    /** Replaces `{account}` in the address. */
    readonly account: { readonly type: 'string' }
    /** More headers for every request. */
    readonly headers: typeof headersOption
  } & typeof sendingOptions
}

/** The plugin of several hosts that speak dialects of Chat Completions. The option `host` chooses one of them. */
export function chatProviders<const N extends string>({ name, hosts, host: usual, description }: ChatHosts<N>): Plugin<ChatHostsSchema<N>> {
  if (!isObject(hosts) || !isObject(hosts[usual]))
    throw new TypeError(`chatProviders needs \`hosts\`, an object of tables, and in \`host\` the name of one of them, got ${String(usual)}`)
  const options = {
    type: 'object',
    additionalProperties: false,
    properties: {
      host: { enum: Object.keys(hosts) as N[], default: usual, description: description ?? 'The host. Sets the default of `baseUrl`.' },
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
  } as const
  const definition: PluginDefinition = {
    name,
    options,
    instance: ({ id, host }: HostsUse<N>) => id ?? host,
    setup(gateway, { host, ...use }: HostsUse<N>) {
      addHost(gateway, chatDialect, hosts[host], { ...use, id: use.id ?? host })
    },
  }
  return definePlugin(definition as never, chatProviders) as unknown as Plugin<ChatHostsSchema<N>>
}

interface HostsUse<N extends string> extends Omit<HostUse, 'id'> {
  readonly host: N
  readonly id?: string
}
