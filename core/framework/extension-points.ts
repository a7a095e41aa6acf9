import type { AlertChannel } from '../contracts/alert.ts'
import { catalogRanks, type AbsentProvider, type CatalogSource } from '../contracts/catalog.ts'
import type { CallObserver } from '../contracts/call-observer.ts'
import type { CallWrapper } from '../contracts/call-wrapper.ts'
import type { ConnectionProtocol } from '../contracts/connection.ts'
import type { DecisionClient } from '../contracts/decision.ts'
import type { Guardrail } from '../contracts/guardrail.ts'
import type { LogSink } from '../contracts/log-sink.ts'
import { levels, type PolicySource } from '../contracts/policy.ts'
import type { Provider } from '../contracts/provider.ts'
import type { AdminAuthenticator, AdminHost, AdminRoute } from '../contracts/admin-route.ts'
import type { DashboardPage } from '../contracts/dashboard-page.ts'
import { adminRoles } from '../contracts/admin-token-store.ts'
import { routeMethods, type Route } from '../contracts/route.ts'
import type { SearchEngine } from '../contracts/search-engine.ts'
import type { SortStrategy } from '../contracts/sort-strategy.ts'
import type { Tool } from '../contracts/tool.ts'
import { contract, contractOf, type ContractToken } from '../foundation/token.ts'
import {
  capabilities,
  credentials,
  fields,
  file,
  having,
  hedgeAfter,
  path,
  pattern,
  plainPath,
  schema,
  sight,
  slowStream,
  surface,
  timeouts,
  toolType,
  trial,
  upgrade,
  usd,
  word,
} from './contribution-members.ts'
import { OpenRegistry, type RegistryOptions } from './open-registry.ts'
import type { Registry } from './registry.ts'
import {
  count,
  flag,
  method,
  milliseconds,
  oneOf,
  optional,
  shapeProblem,
  slug,
  text,
  texts,
  type Member,
  type RequiredNames,
  type Shape,
} from './shape.ts'

/** By id. */
export const Providers = contract<Registry<Provider>>('providers', { version: 1, stability: 'stable' })
/** Experimental. By id. Core reads them for errors about providers that are not loaded. */
export const AbsentProviders = contract<Registry<AbsentProvider>>('absent-providers', { version: 1, stability: 'experimental' })
/** Merged in the order of their ranks. */
export const CatalogSources = contract<Registry<CatalogSource>>('catalog-sources', { version: 1, stability: 'stable' })
/** By `provider`. */
export const DecisionClients = contract<Registry<DecisionClient>>('decision-clients', { version: 1, stability: 'stable' })
/** Run in plugin order, those that send content elsewhere after all others. */
export const Guardrails = contract<Registry<Guardrail>>('guardrails', { version: 1, stability: 'stable' })
/** Several may speak for one level. */
export const PolicySources = contract<Registry<PolicySource>>('policy-sources', { version: 1, stability: 'stable' })
/** By name. A plugin may add several. */
export const SortStrategies = contract<Registry<SortStrategy>>('sort-strategies', { version: 1, stability: 'stable' })
/** By the `type` of their entries. */
export const Tools = contract<Registry<Tool>>('tools', { version: 1, stability: 'stable' })
/** Asked in plugin order. */
export const SearchEngines = contract<Registry<SearchEngine>>('search-engines', { version: 1, stability: 'stable' })
/** Experimental. Opened in plugin order. */
export const CallWrappers = contract<Registry<CallWrapper>>('call-wrappers', { version: 1, stability: 'experimental' })
/** Experimental. All of them see every call, in plugin order. */
export const CallObservers = contract<Registry<CallObserver>>('call-observers', { version: 1, stability: 'experimental' })
/** Experimental. Each of them gets every alert. */
export const AlertChannels = contract<Registry<AlertChannel>>('alert-channels', { version: 1, stability: 'experimental' })
/** Each of them gets every record. */
export const LogSinks = contract<Registry<LogSink>>('log-sinks', { version: 1, stability: 'stable' })
/** Of the public API. One for each method and path. */
export const Routes = contract<Registry<Route>>('routes', { version: 1, stability: 'stable' })
/** The protocols that keep a connection, such as WebSocket. Add yours with `gateway.add(Connections, protocol)`. */
export const Connections = contract<Registry<ConnectionProtocol>>('connections', { version: 1, stability: 'experimental' })
/** Experimental. One for each method and path. */
export const AdminRoutes = contract<Registry<AdminRoute>>('admin-routes', { version: 1, stability: 'experimental' })
/** Experimental. By name. */
export const AdminHosts = contract<Registry<AdminHost>>('admin-hosts', { version: 1, stability: 'experimental' })
/** Experimental. Asked in plugin order. */
export const AdminAuthenticators = contract<Registry<AdminAuthenticator>>('admin-authenticators', { version: 1, stability: 'experimental' })
/** Experimental. By id. */
export const DashboardPages = contract<Registry<DashboardPage>>('dashboard-pages', { version: 1, stability: 'experimental' })

interface ExtensionPoint<T> {
  readonly token: ContractToken<Registry<T>>
  readonly shape: Shape
  readonly create: () => OpenRegistry<T>
}

/** The compiler demands a check of each member that the contract requires. */
function point<T>(
  token: ContractToken<Registry<T>>,
  kind: string,
  nameOf: (contribution: T) => string,
  shape: Shape & { readonly [N in RequiredNames<T>]: Member },
  options: Pick<RegistryOptions, 'isShared' | 'oneOf'> = {},
): ExtensionPoint<any> {
  return { token, shape, create: () => new OpenRegistry(kind, nameOf, shape, { ...options, advice: adviceFor }) }
}

/** Every extension point: the word used in errors, the name of a contribution, and the checks that run when a plugin adds one. */
export const extensionPoints: readonly ExtensionPoint<any>[] = [
  point(Providers, 'provider', provider => provider.id, {
    id: slug,
    generate: method,
    credentials: optional(credentials),
    timeouts: optional(timeouts),
    maxConcurrent: optional(count(1)),
    maxQueued: optional(count(0)),
    slowStream: optional(slowStream),
    hedgeAfter: optional(hedgeAfter),
    capabilitiesOf: optional(method),
    dialectOf: optional(method),
    enforcesFormat: optional(method),
    capabilities: optional(capabilities),
    embeddings: optional(having('embed')),
    reranking: optional(having('rerank')),
  }),
  point(AbsentProviders, 'absent provider', provider => provider.id, { id: slug, remedy: text }),
  point(CatalogSources, 'catalog source', source => source.name, {
    name: text,
    rank: optional(oneOf(...catalogRanks)),
    entries: method,
    summary: optional(method),
    providersOf: optional(method),
    onChange: optional(method),
  }),
  point(DecisionClients, 'decision client', client => client.provider, {
    provider: slug,
    prefixOnly: optional(flag),
    judges: optional(flag),
    credentials: optional(credentials),
    timeoutMs: optional(milliseconds),
    resolve: method,
    decide: method,
  }),
  point(Guardrails, 'guardrail', guardrail => guardrail.name, {
    name: text,
    enforces: fields,
    onFailure: oneOf('refuse', 'allow'),
    timeoutMs: milliseconds,
    seesContent: sight,
    applies: optional(oneOf('always', 'key')),
    settingsProblem: optional(method),
    strictestSettings: optional(method),
    open: method,
  }),
  point(
    PolicySources,
    'policy source',
    source => source.level,
    {
      level: oneOf(...levels.filter(level => level !== 'key')),
      readsAccounts: optional(flag),
      timeoutMs: optional(milliseconds),
      policy: method,
    },
    { isShared: true },
  ),
  point(SortStrategies, 'sort', strategy => strategy.name, {
    name: text,
    pattern: optional(pattern),
    examples: optional(texts),
    description: text,
    unit: optional(text),
    first: oneOf('lowest', 'highest'),
    isDefault: optional(flag),
    readsCost: optional(flag),
    values: method,
  }),
  point(Tools, 'tool', tool => tool.type, {
    type: toolType,
    schema,
    seesContent: sight,
    timeoutMs: milliseconds,
    costUsd: optional(usd),
    conversation: optional(method),
    open: method,
  }),
  point(SearchEngines, 'search engine', engine => engine.name, {
    name: text,
    seesContent: sight,
    forProviders: optional(texts),
    search: method,
  }),
  point(
    CallWrappers,
    'call wrapper',
    wrapper => wrapper.name,
    {
      name: text,
      seesContent: sight,
      keepsContent: flag,
      timeoutMs: milliseconds,
      generation: optional(method),
      decision: optional(method),
      count: optional(method),
      embedding: optional(method),
      rerank: optional(method),
    },
    { oneOf: ['generation', 'decision', 'count', 'embedding', 'rerank'] },
  ),
  point(CallObservers, 'call observer', observer => observer.name, { name: text, begin: method, closed: optional(method) }),
  point(LogSinks, 'log sink', sink => sink.name, {
    name: text,
    accepts: oneOf('metadata', 'content'),
    seesContent: optional(sight),
    required: optional(flag),
    write: method,
    retryAfterMs: optional(method),
    giveUp: optional(method),
  }),
  point(AlertChannels, 'alert channel', channel => channel.name, { name: text, deliver: method }),
  point(Routes, 'route', route => `${route.method} ${route.path}`, {
    method: oneOf(...routeMethods),
    path,
    auth: oneOf('key', 'none'),
    handle: method,
    serves: optional(method),
    idPrefix: optional(text),
    surface: optional(surface),
    trial: optional(trial),
    rateLimitHeaders: optional(method),
    error: optional(method),
    describe: optional(method),
  }),
  point(Connections, 'connection protocol', ({ protocol, path }) => `${protocol} ${path}`, {
    protocol: upgrade,
    path: plainPath,
    auth: optional(oneOf('key', 'none')),
    idPrefix: optional(text),
    surface: optional(surface),
    error: optional(method),
    open: method,
  }),
  point(AdminRoutes, 'admin route', route => `${route.method} ${route.path}`, {
    method: oneOf(...routeMethods),
    path,
    role: oneOf(...adminRoles, 'none'),
    reach: oneOf('org', 'all'),
    handle: method,
    describe: optional(method),
  }),
  point(AdminHosts, 'admin host', host => host.name, { name: text }),
  point(AdminAuthenticators, 'admin authenticator', authenticator => authenticator.name, { name: text, admit: method }),
  point(DashboardPages, 'dashboard page', page => page.id, {
    id: word,
    title: text,
    module: file,
    role: optional(oneOf(...adminRoles)),
  }),
]

/** Where an object belongs that an extension point refused: where another contract requires a function that it has. */
function adviceFor(given: object): string | undefined {
  if ('prepare' in given && 'decoder' in given)
    return 'It is an adapter: write gateway.add(Providers, httpProvider(id, adapter, gateway.http))'
  const found = extensionPoints.find(({ shape }) => {
    const required = Object.values(shape).filter(({ accepts }) => !accepts(undefined))
    return required.includes(method) && shapeProblem(given, shape) === undefined
  })
  if (!found) return undefined
  const { name } = contractOf(found.token)
  return `${name} takes it: write gateway.add(${name}, …)`
}
