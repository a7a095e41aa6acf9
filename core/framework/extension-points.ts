import type { AlertChannel } from '../contracts/alert.ts'
import { catalogRanks, type AbsentProvider, type CatalogSource } from '../contracts/catalog.ts'
import type { CallObserver } from '../contracts/call-observer.ts'
import type { CallWrapper } from '../contracts/call-wrapper.ts'
import type { ConnectionProtocol } from '../contracts/connection.ts'
import type { DecisionClient } from '../contracts/decision.ts'
import type { Guardrail } from '../contracts/guardrail.ts'
import type { LogSink } from '../contracts/log-sink.ts'
import { levels, policyFields, type PolicySource } from '../contracts/policy.ts'
import { hedgePercentiles, type Provider } from '../contracts/provider.ts'
import type { AdminAuthenticator, AdminHost, AdminRoute } from '../contracts/admin-route.ts'
import type { DashboardPage } from '../contracts/dashboard-page.ts'
import { adminRoles } from '../contracts/admin-token-store.ts'
import { routeMethods, type Route } from '../contracts/route.ts'
import type { SearchEngine } from '../contracts/search-engine.ts'
import type { SortStrategy } from '../contracts/sort-strategy.ts'
import type { Tool } from '../contracts/tool.ts'
import { isObject } from '../foundation/json.ts'
import { contract, type ContractToken } from '../foundation/token.ts'
import { capabilitiesProblem } from './capabilities-shape.ts'
import { OpenRegistry } from './open-registry.ts'
import type { Registry } from './registry.ts'
import {
  count,
  flag,
  isAboveZero,
  method,
  milliseconds,
  oneOf,
  optional,
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
  readonly create: () => Registry<T>
}

/** The compiler demands a check of each member that the contract requires. */
function point<T>(
  token: ContractToken<Registry<T>>,
  kind: string,
  nameOf: (contribution: T) => string,
  shape: Shape & { readonly [N in RequiredNames<T>]: Member },
  isShared = false,
): ExtensionPoint<any> {
  return { token, create: () => new OpenRegistry(kind, nameOf, shape, isShared) }
}

const credentials: Member = {
  expected: 'an array of { id, account } with strings',
  accepts: value =>
    Array.isArray(value) && value.every(each => isObject(each) && text.accepts(each['id']) && text.accepts(each['account'])),
}
const timeouts: Member = {
  expected: 'an object with milliseconds above 0',
  accepts: value => isObject(value) && Object.values(value).every(each => each === undefined || milliseconds.accepts(each)),
}
const slowStream: Member = {
  expected: 'an object with tokensPerSecond and overMs above 0',
  accepts: value => isObject(value) && isAboveZero(value['tokensPerSecond']) && milliseconds.accepts(value['overMs']),
}
const hedgeAfter: Member = {
  expected: `milliseconds above 0, a percentile (${hedgePercentiles.join(', ')}), or false`,
  accepts: value => value === false || milliseconds.accepts(value) || (hedgePercentiles as readonly unknown[]).includes(value),
}
const fields: Member = {
  expected: `an array of policy fields (${policyFields.join(', ')})`,
  accepts: value => Array.isArray(value) && value.every(each => (policyFields as readonly unknown[]).includes(each)),
}
const sight: Member = {
  expected: '"local" or { zdr, hipaa }, each an object or false',
  accepts: value =>
    value === 'local' || (isObject(value) && [value['zdr'], value['hipaa']].every(each => each === false || isObject(each))),
}
const toolType: Member = {
  expected: 'a type of tool that is not "function", "custom" or "namespace", which are the caller\'s own',
  accepts: value => text.accepts(value) && !['function', 'custom', 'namespace'].includes(value as string),
}
const usd: Member = { expected: 'US dollars from 0', accepts: value => typeof value === 'number' && value >= 0 && value < Infinity }
const having = (name: string): Member => ({
  expected: `an object with the function \`${name}\``,
  accepts: value => isObject(value) && typeof value[name] === 'function',
})
const capabilities: Member = { expected: 'an object', accepts: isObject, within: capabilitiesProblem }
const schema: Member = { expected: 'a JSON Schema', accepts: isObject }
const pattern: Member = {
  expected: 'the source of a regular expression, from ^ to $',
  accepts: value => text.accepts(value) && isWhole(value),
}
const word: Member = {
  expected: 'a word in kebab-case',
  accepts: value => typeof value === 'string' && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(value),
}
const file: Member = { expected: 'the URL of a file', accepts: value => value instanceof URL && value.protocol === 'file:' }
const path: Member = { expected: 'a path that starts with "/"', accepts: value => typeof value === 'string' && value.startsWith('/') }

const plainPath: Member = {
  expected: 'a path that starts with "/", without parameters and without "/" at its end',
  accepts: value => typeof value === 'string' && /^(?:\/[\w.~-]+)+$/.test(value),
}
const surface: Member = {
  expected: 'the name of a public API in kebab-case, or null',
  accepts: value => value === null || word.accepts(value),
}
const upgrade: Member = {
  expected: 'a value of the header upgrade, in lower case, such as "websocket"',
  accepts: value => typeof value === 'string' && /^[a-z0-9][a-z0-9./_-]*$/.test(value),
}

const trial: Member = {
  expected: 'an object with name, title, kind and example',
  accepts: value => isObject(value) && word.accepts(value['name']) && text.accepts(value['title']) && isObject(value['example']),
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
    true,
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
  point(CallWrappers, 'call wrapper', wrapper => wrapper.name, {
    name: text,
    seesContent: sight,
    keepsContent: flag,
    timeoutMs: milliseconds,
    generation: optional(method),
    decision: optional(method),
    count: optional(method),
    embedding: optional(method),
    rerank: optional(method),
  }),
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

/** True if it is a regular expression that matches whole values only. */
function isWhole(pattern: unknown): boolean {
  const source = String(pattern)
  if (!source.startsWith('^') || !source.endsWith('$')) return false
  try {
    return new RegExp(source) instanceof RegExp
  } catch {
    return false
  }
}
