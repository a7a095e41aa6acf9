import {
  CatalogSources,
  definePlugin,
  isObject,
  PluginError,
  Providers,
  type Options,
  type Plugin,
  type PluginDefinition,
  type Provider,
  type Registrar,
} from '../../core/index.ts'
import {
  apiKeyOption,
  ApiKeys,
  headersOption,
  httpProvider,
  isPending,
  type PluginMaker,
  sendingOptions,
  type ProviderAdapter,
  type SendingRules,
} from '../../core/kit.ts'
import { checkTableOf, needTable } from './check-table.ts'
import type { Departures } from './departures.ts'
import type { HostConnection } from './host-connection.ts'
import { hostModels, listedModels } from './host-models.ts'
import { addressOf, type HostPlace } from './host-place.ts'
import type { Check } from './table-shape.ts'

/** Schemas of options, by name. */
export type OptionSchemas = Readonly<Record<string, object>>

/** The parts that make a plugin of a host's table. */
export interface HostPlugin<
  H,
  P extends OptionSchemas = {},
  R extends readonly string[] = readonly [],
  A extends AccountMeaning = AccountMeaning,
> {
  /** The plugin's name, which is that of its package. */
  readonly name: string
  /** The slug in `provider/model`, unless the option `id` says another. */
  readonly id: string
  /** The meaning of `{account}` in the address. With it, there is an option of that name. */
  readonly account?: A
  /** Options besides those of every provider, as JSON Schemas. */
  readonly options?: P
  /** Which of the options a config has to set. `apiKey` may be among them. */
  readonly required?: R
  /** Departures that depend on the options. They replace those of the table. Called once, at the start. */
  readonly departures?: (options: Options<HostSchema<P, R, A>>) => Changed<H>
}

/** The `account` of a table, if it has one. */
export type AccountMeaning = HostPlace['account']

/** Members that replace those of a table. Those that are undefined replace nothing. */
export type Changed<H> = { readonly [N in keyof H]?: H[N] | undefined }

/** The options of a provider that is made of a table. */
export interface HostSchema<P, R, A = AccountMeaning> {
  readonly type: 'object'
  readonly additionalProperties: false
  /** The table's `required`. */
  readonly required: R
  /** The table's `options`, and those of every provider. */
  readonly properties: P & HostOptions & AccountOption<A>
}

/** The options that every provider has. */
export type HostOptions = {
  /** The slug in `provider/model`. */
  readonly id: {
    readonly type: 'string'
    /** The `id` of the table. */
    readonly default: string
  }
  /** One key, or several to rotate through. */
  readonly apiKey: typeof apiKeyOption
  /** The address before the path. Default: the table's, if it has no `{account}`. */
  readonly baseUrl: { readonly type: 'string' }
  /** More headers for every request. */
  readonly headers: typeof headersOption
} & typeof sendingOptions

/** The option that replaces `{account}` in the address, if the table says what it means. */
export type AccountOption<A> = [A] extends [undefined]
  ? {}
  : {
      /** Such as an account id, a region, or the host of a workspace. */
      readonly account: { readonly type: 'string' }
    }

/** A dialect, for the plugins that speak it. */
export interface HostDialect<H> {
  /** The path in the description of `baseUrl`. */
  readonly path: string
  /** The check of a table. */
  readonly shape: Readonly<Record<string, Check>>
  adapter(host: H, connection: HostConnection): ProviderAdapter
  /** Changes the provider, where the adapter alone cannot do what the host needs. */
  provided?(provider: Provider, host: H): Provider
}

/** The options of a provider in a config. */
export interface HostUse extends SendingRules {
  readonly id: string
  readonly apiKey?: string | readonly string[] | undefined
  readonly baseUrl?: string | undefined
  readonly account?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The plugin of a host's table. `maker`: the public function that got the table. */
export function hostPlugin<
  H extends HostPlace & Departures,
  const P extends OptionSchemas,
  const R extends readonly string[],
  A extends AccountMeaning,
>(dialect: HostDialect<H>, table: H & HostPlugin<H, P, R, A>, maker: PluginMaker): Plugin<HostSchema<P, R, A>> {
  needTable(maker.name, table)
  const { name, id, options, required = [], departures } = table
  const properties = { ...leadingOptions(table, dialect.path), ...options, headers: headersOption, ...sendingOptions }
  const definition: PluginDefinition = {
    name,
    options: { type: 'object', additionalProperties: false, required, properties },
    instance: (use: HostUse) => use.id,
    setup(gateway, use: HostUse) {
      checkTableOf(gateway.name, table, dialect.shape, ['id'])
      const changes: unknown = departures?.(use as never)
      const problem = changesProblem(changes)
      if (problem !== undefined)
        throw new PluginError(gateway.name, `has a table whose \`departures\` must return members of it, got ${problem}`)
      addHost(gateway, dialect, { ...table, ...present(changes) }, { ...use, id: use.id ?? id })
    },
  }
  return definePlugin(definition as never, maker) as unknown as Plugin<HostSchema<P, R, A>>
}

/** Adds the provider of a host, and its models. */
export function addHost<H extends HostPlace & Departures>(gateway: Registrar, dialect: HostDialect<H>, host: H, use: HostUse): void {
  checkTableOf(gateway.name, host, dialect.shape)
  const { id, apiKey, account, headers, ...sending } = use
  const address = addressOf(host, use.baseUrl, account)
  if ('missing' in address) throw new PluginError(gateway.name, address.missing)
  const keys = new ApiKeys(apiKey)
  const isOwn = use.baseUrl === undefined || use.baseUrl === host.baseUrl
  if (isOwn && !headers && host.keyVariable) keys.demand(gateway.name, host.keyVariable)
  const adapter = dialect.adapter(host, { baseUrl: address.url, keys })
  const provider = httpProvider(id, adapter, gateway.http, { ...sending, headers, credentials: keys.credentials })
  gateway.add(Providers, dialect.provided?.(provider, host) ?? provider)
  if (host.models) gateway.add(CatalogSources, hostModels(id, host.models))
  if (!host.modelList) return
  const list = listedModels({
    provider: id,
    baseUrl: address.url,
    headers: { ...host.headers, ...headers },
    table: host.modelList,
    authorize: (request, signal) => adapter.authorize?.(request, keys.credentials?.[0]?.id, signal) ?? request,
    http: gateway.http,
    log: gateway.log,
  })
  gateway.add(CatalogSources, list)
  gateway.onStart(() => list.start())
  gateway.onStop(() => list.stop())
}

function leadingOptions(
  { id, baseUrl, account, path: own }: HostPlace & Departures & { readonly id: string },
  path: string,
): OptionSchemas {
  const isWhole = baseUrl !== undefined && !baseUrl.includes('{account}')
  return {
    id: { type: 'string', minLength: 1, default: id, description: 'The slug in `provider/model`.' },
    apiKey: apiKeyOption,
    baseUrl: { type: 'string', format: 'uri', ...(isWhole && { default: baseUrl }), description: `The address before \`${own ?? path}\`.` },
    ...(account && { account: { type: 'string', minLength: 1, description: `Replaces \`{account}\` in the address: ${account.what}.` } }),
  }
}

function changesProblem(changes: unknown): string | undefined {
  if (isPending(changes)) return 'a promise (leave out `async`)'
  return changes === undefined || isObject(changes) ? undefined : String(changes)
}

function present(changes: unknown): object {
  return Object.fromEntries(Object.entries((changes ?? {}) as object).filter(([, value]) => value !== undefined))
}
