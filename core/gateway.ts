import { Accounts, noAccounts } from './admission/accounts.ts'
import { AdminAdmission, type AdminTokenSettings } from './admission/admin-admission.ts'
import { issueApiKey, rotateApiKey } from './admission/api-key.ts'
import { Admission } from './admission/admit.ts'
import { KeyWarnings } from './admission/key-warnings.ts'
import { Permissions } from './admission/permissions.ts'
import { PolicyResolver } from './admission/policy.ts'
import { RequestLimits } from './admission/request-limits.ts'
import { Tickets } from './admission/tickets.ts'
import { Reservations } from './billing/reservations.ts'
import { Clock, systemClock } from './foundation/clock.ts'
import { createContainer, type Container } from './framework/container.ts'
import { Catalog } from './contracts/catalog.ts'
import { Circuits } from './contracts/circuits.ts'
import { AccountStore } from './contracts/account-store.ts'
import type { OptionFacts } from './contracts/admin-route.ts'
import { KeyStore, type KeySettings } from './contracts/key-store.ts'
import { Ledger } from './contracts/ledger.ts'
import { MetricStore } from './contracts/metric-store.ts'
import type { ProviderState } from './contracts/provider-state.ts'
import { RateLimiter } from './contracts/rate-limiter.ts'
import { ResponseStore } from './contracts/response-store.ts'
import { Sealer } from './contracts/sealer.ts'
import type { RoutePreview, RouteQuery } from './contracts/route-preview.ts'
import { TokenCounter } from './contracts/token-counter.ts'
import { AskedModels } from './decisions/asked-models.ts'
import { DecisionAttempts } from './decisions/attempts.ts'
import { Decisions } from './decisions/decisions.ts'
import { DecisionNames } from './decisions/names.ts'
import { TokenLimits } from './decisions/token-limits.ts'
import { AssemblyError } from './foundation/errors.ts'
import { AbsentProviders, AdminRoutes, CatalogSources, extensionPoints, Providers, SortStrategies } from './framework/extension-points.ts'
import { Attempts } from './generation/attempts.ts'
import { ContextWindow } from './routing/context-window.ts'
import { Generation } from './generation/generation.ts'
import { History } from './generation/history.ts'
import { Lowering } from './generation/lowering/lowering.ts'
import { ModelCalls } from './generation/model-call.ts'
import { AdminApp } from './http/admin/app.ts'
import { optionFacts, pluginFacts } from './http/admin/facts.ts'
import { AdminServicesToken } from './http/admin/services.ts'
import { HttpApp } from './http/app.ts'
import { Heartbeat } from './http/heartbeat.ts'
import { LiveBodies } from './http/live-bodies.ts'
import { Ids, randomIds } from './foundation/ids.ts'
import { createLogger, Logger } from './foundation/logger.ts'
import { Masks } from './foundation/masks.ts'
import { Random } from './foundation/random.ts'
import { Backoff, systemBackoff } from './attempts/backoff.ts'
import { EndpointCircuits } from './attempts/endpoint-circuits.ts'
import { ProviderQueues } from './attempts/provider-queues.ts'
import { ProviderStates } from './attempts/provider-states.ts'
import { LiveAnswers } from './operation/live-answers.ts'
import { LiveOperations } from './operation/live-operations.ts'
import { PluginHost, type CheckedPlugin, type PluginHostOptions } from './framework/plugin-host.ts'
import type { PluginUse } from './framework/plugin.ts'
import { RecordQueue } from './records/queue.ts'
import { Affinity } from './routing/affinity.ts'
import { CatalogIndex } from './routing/catalog.ts'
import { Planner } from './routing/plan.ts'
import { Precedence } from './routing/precedence.ts'
import { RoutePreviews } from './routing/preview.ts'
import { checkDefaultSort, Sorts } from './routing/sorts.ts'
import { defaultSettings, Settings } from './framework/settings.ts'
import { nameOf, type Token } from './foundation/token.ts'
import { ThreadedTokenCounter } from './tokens/threaded-token-counter.ts'
import { Credentials } from './attempts/credentials.ts'
import { SendingRulesIndex } from './attempts/sending-rules.ts'
import { UndiciClient } from './upstream/http-client.ts'
import { Proxies } from './upstream/proxies.ts'

export interface GatewayOptions extends PluginHostOptions {
  readonly plugins: readonly PluginUse[]
  readonly settings?: Partial<Settings>
  /** What the admin API shows of the `server` section. */
  readonly settingFacts?: readonly OptionFacts[]
  /** Accepted as the token of an owner of the admin API. */
  readonly adminToken?: string | undefined
  /** Replaced in tests. */
  readonly clock?: Clock
  readonly ids?: Ids
  readonly backoff?: Backoff
  readonly random?: Random
  /** Takes each finished log line. */
  readonly writeLog?: (line: string) => void
}

/** The admin API: serve `app.h3` on a listener of its own. */
export interface GatewayAdmin {
  readonly app: AdminApp
  /** For this process only: the token of an owner, whose changes are audited as `command-line`. */
  readonly localToken: string
  /** Whether nobody has a token yet. */
  isEmpty(): Promise<boolean>
  /** Creates a token, which is shown only once. */
  issueToken(settings: AdminTokenSettings): Promise<string>
  /** A code for a link that signs in as this token once, within 15 minutes. */
  issueLink(tokenText: string): Promise<string>
}

/** A gateway that is set up and started. Serve `http.listener` with `node:http` or `node:https`, or `http.h3` with anything else. */
export interface Gateway {
  readonly http: HttpApp
  /** Undefined if no plugin adds admin routes. */
  readonly admin: GatewayAdmin | undefined
  readonly log: Logger
  readonly keys: KeyStore
  /** The plugins in their order, and what they contributed. */
  readonly plugins: readonly CheckedPlugin[]
  /** What each catalog says of itself: how much there is in it, and how old that is. */
  readonly catalogs: readonly { readonly name: string; readonly description: string }[]
  /** How many endpoints of the catalog there are, and how many may see the requests of keys with `zdr` or `hipaa` on. */
  readonly endpoints: { readonly all: number; readonly zdr: number; readonly hipaa: number }
  readonly contributions: readonly { readonly point: string; readonly name: string; readonly plugin: string }[]
  /** Makes a key and keeps its hash. The text is not to be had again. */
  issueKey(settings: KeySettings): Promise<string>
  /** Gives a key a new secret, and keeps the old one valid for `graceMs`. Undefined where there is no such key. */
  rotateKey(id: string, graceMs: number): Promise<string | undefined>
  /** What would keep a key with these settings from working as meant, one sentence each. */
  keyWarnings(settings: KeySettings): readonly string[]
  /** In which order a request would be sent to endpoints now, and why. Throws the `GatewayError` that the request would get. */
  routes(query: RouteQuery): Promise<RoutePreview>
  /** How every provider is doing: keys that rest, open circuits, queues. Without secrets. */
  providers(): readonly ProviderState[]
  readonly liveRuns: number
  /** Ends every open generation with an error. */
  abortRuns(): void
  /** Delivers what is left of the records and stops the plugins, the last first. */
  stop(): Promise<void>
}

const requiredServices: readonly Token<unknown>[] = [KeyStore, Sealer, Ledger, RateLimiter, ResponseStore, MetricStore]
const pipeline = [
  PolicyResolver,
  Accounts,
  Permissions,
  Tickets,
  RequestLimits,
  Admission,
  KeyWarnings,
  Reservations,
  EndpointCircuits,
  ProviderQueues,
  SendingRulesIndex,
  Affinity,
  Precedence,
  Sorts,
  Planner,
  RoutePreviews,
  Credentials,
  ProviderStates,
  Lowering,
  History,
  ContextWindow,
  Attempts,
  ModelCalls,
  LiveAnswers,
  LiveOperations,
  Generation,
  TokenLimits,
  DecisionNames,
  AskedModels,
  DecisionAttempts,
  Decisions,
  RecordQueue,
  Heartbeat,
  LiveBodies,
  HttpApp,
]
const recordsDeadlineMs = 5_000

/** The composition root: foundations, plugins, seal, pipeline, start. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const container = createContainer()
  const settings = { ...defaultSettings, ...options.settings }
  const http = new UndiciClient({
    media: { allowedHosts: settings.mediaHosts },
    limits: settings,
    connectTimeoutMs: settings.timeouts.connectMs,
    proxies: Proxies.of(process.env),
  })
  const { log, host, counter } = foundations(container, options, settings, http)

  let plugins: readonly CheckedPlugin[]
  try {
    plugins = await host.setUp(options.plugins)
    checkServices(container)
    checkDefaultSort(container.get(SortStrategies))
  } catch (error) {
    await host.stop()
    await http.close()
    await counter.stop()
    throw error
  }
  for (const { token } of extensionPoints) container.get(token).seal()

  const catalog = new CatalogIndex(container.get(CatalogSources), container.get(Providers), container.get(AbsentProviders))
  container.value(Catalog, catalog)
  if (!container.has(AccountStore)) container.value(AccountStore, noAccounts)
  for (const part of pipeline) container.singleton(part)
  container.value(Circuits, container.get(EndpointCircuits))
  const app = container.get(HttpApp)
  const records = container.get(RecordQueue)
  const live = container.get(LiveOperations)
  const keys = container.get(KeyStore)
  const keyWarnings = container.get(KeyWarnings)
  const previews = container.get(RoutePreviews)
  const providers = container.get(ProviderStates)

  await host.start()
  catalog.start()

  const admin = container.get(AdminRoutes).values().length > 0 ? adminOf(container, options, settings, plugins) : undefined

  return {
    http: app,
    admin,
    log,
    keys,
    plugins,
    get catalogs() {
      return container
        .get(CatalogSources)
        .values()
        .map(source => ({ name: source.name, description: source.describe?.() ?? modelsText(source.entries().length) }))
    },
    get endpoints() {
      const all = container
        .get(Catalog)
        .models()
        .flatMap(model => model.endpoints)
      return { all: all.length, zdr: all.filter(({ zdr }) => zdr).length, hipaa: all.filter(({ hipaa }) => hipaa).length }
    },
    contributions: contributionsOf(container),
    async issueKey(settings) {
      const { key, text } = issueApiKey(container.get(Sealer), container.get(Clock).now(), settings)
      await keys.add(key)
      return text
    },
    async rotateKey(id, graceMs) {
      const key = await keys.find(id)
      if (!key) return undefined
      const { change, text } = rotateApiKey(container.get(Sealer), container.get(Clock).now(), key, graceMs)
      return (await keys.update(id, change)) ? text : undefined
    },
    keyWarnings: settings => keyWarnings.of(settings),
    routes: query => previews.of(query),
    providers: () => providers.all(),
    get liveRuns() {
      return live.count
    },
    abortRuns: () => live.abortAll(),
    async stop() {
      await records.drain(recordsDeadlineMs)
      await host.stop()
      await http.close()
      await counter.stop()
    },
  }
}

function adminOf(container: Container, options: GatewayOptions, settings: Settings, plugins: readonly CheckedPlugin[]): GatewayAdmin {
  const [keys, sealer, clock, policies] = [
    container.get(KeyStore),
    container.get(Sealer),
    container.get(Clock),
    container.get(PolicyResolver),
  ]
  container.singleton(AdminAdmission)
  const admission = container.get(AdminAdmission)
  const tickets = container.get(Tickets)
  const http = container.get(HttpApp)
  if (options.adminToken !== undefined) {
    container.get(Masks.token).add(options.adminToken)
    admission.accept(options.adminToken)
  }
  container.value(AdminServicesToken, {
    catalog: container.get(Catalog),
    clock,
    ids: container.get(Ids),
    async issueKey(keySettings) {
      const issued = issueApiKey(sealer, clock.now(), keySettings)
      await keys.add(issued.key)
      return issued
    },
    async rotateKey(id, graceMs) {
      const key = await keys.find(id)
      if (!key) return undefined
      const { change, text } = rotateApiKey(sealer, clock.now(), key, graceMs)
      return (await keys.update(id, change)) ? text : undefined
    },
    keyWarnings: keySettings => container.get(KeyWarnings).of(keySettings),
    effectivePolicy: key => policies.effective(key),
    issueToken: tokenSettings => admission.issue(tokenSettings),
    identify: text => admission.identify(text),
    recall: known => admission.recall(known),
    async sendAs(key, path, body, signal) {
      const ticket = tickets.issue(key)
      try {
        const headers = { authorization: `Bearer ${ticket}`, 'content-type': 'application/json' }
        return await http.h3.request(path, { method: 'POST', headers, body: JSON.stringify(body), signal })
      } finally {
        tickets.revoke(ticket)
      }
    },
    providers: () => container.get(ProviderStates).all(),
    routes: async query => ({ ...(await container.get(RoutePreviews).of(query)) }),
    plugins: pluginFacts(plugins, options.plugins, contributionsOf(container)),
    settings: options.settingFacts ?? optionFacts(settings, {}, name => name in (options.settings ?? {})),
  })
  container.singleton(AdminApp)
  return {
    app: container.get(AdminApp),
    localToken: admission.localToken,
    isEmpty: () => admission.isEmpty(),
    issueToken: async tokenSettings => (await admission.issue(tokenSettings)).text,
    issueLink: text => admission.issueLink(text),
  }
}

function foundations(
  container: Container,
  options: GatewayOptions,
  settings: Settings,
  http: UndiciClient,
): { readonly log: Logger; readonly host: PluginHost; readonly counter: ThreadedTokenCounter } {
  const masks = new Masks(options.clock ?? systemClock)
  const log = createLogger(settings.logLevel, masks, options.writeLog)
  container.value(Settings, settings)
  container.value(Masks.token, masks)
  container.value(Logger, log)
  container.value(Clock, options.clock ?? systemClock)
  container.value(Ids, options.ids ?? randomIds)
  container.value(Backoff, options.backoff ?? systemBackoff)
  container.value(Random, options.random ?? Math.random)
  const counter = new ThreadedTokenCounter(log)
  container.value(TokenCounter, counter)
  for (const { token, create } of extensionPoints) container.value(token, create())
  return { log, host: new PluginHost(container, log, http, masks, options), counter }
}

function modelsText(count: number): string {
  return count === 1 ? '1 model' : `${count} models`
}

function checkServices(container: Container): void {
  const missing = requiredServices.filter(service => !container.has(service)).map(nameOf)
  if (missing.length > 0)
    throw new AssemblyError(
      `No plugin provides ${missing.join(', ')}. Add plugins that do: ...defaults() has them all, or memory({}) and localSealer({}).`,
    )
}

function contributionsOf(container: Container): Gateway['contributions'] {
  return extensionPoints.flatMap(({ token }) => {
    const registry = container.get(token)
    return registry.names().map(name => ({ point: registry.kind, name, plugin: registry.pluginOf(name)! }))
  })
}
