import { noAccounts } from './admission/accounts.ts'
import { Alerts } from './alerts/alerts.ts'
import { noAlerts } from './alerts/no-alerts.ts'
import { KeyIssuer } from './admission/key-issuer.ts'
import { KeyWarnings } from './admission/key-warnings.ts'
import { Backoff, systemBackoff } from './call/attempts/backoff.ts'
import { EndpointCircuits } from './call/attempts/endpoint-circuits.ts'
import { ProviderStates } from './call/attempts/provider-states.ts'
import { checkSendingRules } from './call/attempts/sending-rules.ts'
import { AccountStore } from './contracts/account-store.ts'
import { AlertStore } from './contracts/alert.ts'
import type { ServedCertificate } from './contracts/alert-rules.ts'
import type { OptionFacts } from './contracts/admin-route.ts'
import { Catalog } from './contracts/catalog.ts'
import { Compactor } from './contracts/compactor.ts'
import { Circuits } from './contracts/circuits.ts'
import { Health } from './contracts/health.ts'
import { Coordination } from './contracts/coordination.ts'
import { Coordinated } from './coordination/coordinated.ts'
import { MetricExchange } from './coordination/metric-exchange.ts'
import { KeyStore, type KeySettings } from './contracts/key-store.ts'
import { MetricStore } from './contracts/metric-store.ts'
import { SharedMaps, SharedState } from './contracts/shared-state.ts'
import { RecordStore } from './contracts/record-store.ts'
import { GatewayServices } from './contracts/route.ts'
import type { ProviderState } from './contracts/provider-state.ts'
import { Sealer } from './contracts/sealer.ts'
import { Siblings } from './contracts/siblings.ts'
import type { RoutePreview, RouteQuery } from './contracts/route-preview.ts'
import { TokenCounter } from './contracts/token-counter.ts'
import { Vitals } from './contracts/vitals.ts'
import { Clock, systemClock } from './foundation/clock.ts'
import { Ids, timedIds } from './foundation/ids.ts'
import type { JsonObject } from './foundation/json.ts'
import { createLogger, Logger } from './foundation/logger.ts'
import { maskThrown } from './foundation/mask-thrown.ts'
import { Masks } from './foundation/masks.ts'
import { Random } from './foundation/random.ts'
import { createContainer, type Container } from './framework/container.ts'
import { contributionsOf, type Contribution } from './framework/contributions.ts'
import { AbsentProviders, CatalogSources, extensionPoints, Providers, SortStrategies, Tools } from './framework/extension-points.ts'
import { FreezesRequests } from './framework/freezes-requests.ts'
import type { CheckedPlugin } from './framework/checked-plugins.ts'
import { PluginHost, type PluginHostOptions } from './framework/plugin-host.ts'
import { pluginUses } from './framework/plugin-entries.ts'
import type { PluginUse } from './framework/plugin.ts'
import { checkServices } from './framework/required-services.ts'
import { ServicePlugins, servicePlugins } from './framework/service-plugins.ts'
import { defaultSettings, Settings } from './framework/settings.ts'
import { TrustedErrors } from './framework/trusted-errors.ts'
import { noCompactor } from './generation/compaction/no-compactor.ts'
import { checkToolSchemas } from './generation/tools/tool-schemas.ts'
import { adminOf, type GatewayAdmin } from './gateway-admin.ts'
import { optionFacts, pluginFacts } from './server/admin/facts.ts'
import { HttpApp } from './server/app.ts'
import { Heartbeat } from './server/heartbeat.ts'
import { LiveHealth } from './server/health.ts'
import { LateServices } from './server/late-services.ts'
import { LiveVitals } from './server/live-vitals.ts'
import { noSiblings } from './server/no-siblings.ts'
import { LiveLoad } from './server/admin/live-load.ts'
import { PublicApi } from './server/public-api.ts'
import { OpenConnections } from './server/connections/open-connections.ts'
import { LiveOperations } from './call/live-operations.ts'
import { pipeline } from './pipeline.ts'
import { noRecords } from './records/no-records.ts'
import { RecordDelay, RecordQueue, usualRecordDelayMs } from './records/queue.ts'
import { CatalogFacts } from './routing/catalog-facts.ts'
import { CatalogIndex } from './routing/catalog.ts'
import { RoutePreviews } from './routing/preview.ts'
import { checkDefaultSort } from './routing/sorts.ts'
import { ThreadedTokenCounter } from './tokens/threaded-token-counter.ts'
import { LiveMaps } from './shared-state/live-maps.ts'
import { UndiciClient } from './upstream/http-client.ts'
import { Proxies } from './upstream/proxies.ts'

export type { GatewayAdmin }
export type { WebApp, WebEvent, WebHandler, WebMiddleware } from './server/web-app.ts'

/** For `createGateway`. */
export interface GatewayOptions extends PluginHostOptions {
  /** Set up in this order, except that a plugin comes after those that provide what it needs. */
  readonly plugins: readonly PluginUse[]
  /** The `server` section. Those left out have their defaults. */
  readonly settings?: Partial<Settings>
  /** The `server` section as the admin API shows it. */
  readonly settingFacts?: readonly OptionFacts[]
  /** The environment variables that the config read, by name. The admin API says which options come from them. */
  readonly variables?: ReadonlyMap<string, string>
  /** Knows the secrets of the whole process. By default, the gateway has its own. */
  readonly masks?: Masks
  /** The TLS certificate that the gateway will serve. Asked only if a plugin delivers alerts. */
  readonly certificate?: (() => ServedCertificate | undefined) | undefined
  /** Accepted as the token of an owner of the admin API. */
  readonly adminToken?: string | undefined
  /** The other workers of this gateway. Default: none. */
  readonly siblings?: Siblings | undefined
  /** Replaced in tests. */
  readonly clock?: Clock
  /** Replaced in tests. */
  readonly ids?: Ids
  /** Replaced in tests: randomness and sleep for retries. */
  readonly backoff?: Backoff
  /** Replaced in tests. From 0 up to, but not including, 1. */
  readonly random?: Random
  /** How long a record waits for others, with which sinks get it. Default: 100. */
  readonly recordDelayMs?: number
  /** Shows the exceptions of trusted plugins, and freezes every request, at every log level. For tests. */
  readonly showsExceptions?: boolean
  /** Takes each finished log line. */
  readonly writeLog?: (line: string) => void
  /** In every line of the log. */
  readonly logFields?: JsonObject | undefined
}

/** A gateway that is set up and started. Serve `http.listener` with `node:http` or `node:https`, or `http.h3` with anything else. */
export interface Gateway {
  /** The public API. */
  readonly http: HttpApp
  /** The connections that plugins keep. `serveOn` lets the server of `http.listener` take their upgrades. */
  readonly connections: Pick<OpenConnections, 'count' | 'serveOn' | 'stop' | 'destroy'>
  /** Absent if no plugin adds admin routes. */
  readonly admin: GatewayAdmin | undefined
  /** The gateway's own logger. */
  readonly log: Logger
  /** The store of API keys in use. */
  readonly keys: KeyStore
  /** The plugins in their order, and what they contributed. */
  readonly plugins: readonly CheckedPlugin[]
  /** Each catalog's description of its size and age. */
  readonly catalogs: readonly {
    /** That of the catalog source. */
    readonly name: string
    /** One line, such as its number of models. */
    readonly description: string
  }[]
  /** How many models of each loaded provider the bundled catalog lists. Reads it anew. */
  bundledModels(): ReadonlyMap<string, number>
  /** How many endpoints of the catalog there are, and how many may see the requests of keys with `zdr` or `hipaa` on. */
  readonly endpoints: {
    /** Those of loaded providers. */
    readonly all: number
    /** May see requests of keys with `zdr` on. */
    readonly zdr: number
    /** May see requests of keys with `hipaa` on. */
    readonly hipaa: number
  }
  /** The contributions of plugins, by extension point and in setup order. */
  readonly contributions: readonly Contribution[]
  /** Makes a key and keeps its hash. The key is shown only once. */
  issueKey(settings: KeySettings): Promise<string>
  /** Gives a key a new secret, and keeps the old one valid for `graceMs`. Undefined where there is no such key. */
  rotateKey(id: string, graceMs: number): Promise<string | undefined>
  /** Problems that would keep a key with these settings from working as intended, one sentence each. */
  keyWarnings(settings: KeySettings): readonly string[]
  /** In which order a request would be sent to endpoints now, and why. Throws the `GatewayError` that the request would get. */
  routes(query: RouteQuery): Promise<RoutePreview>
  /** How every provider is doing, as this process knows it: keys that rest, open circuits, queues. Without secrets. */
  providers(): readonly ProviderState[]
  /** How many generations and decisions this process has in progress. */
  readonly liveRuns: number
  /** From now on, health checks fail, so that load balancers send nothing more. Everything is still served. */
  leave(): void
  /** Ends every open generation with an error. */
  abortRuns(): void
  /** Delivers what is left of the records and stops the plugins, the last first. Throws if a plugin fails to, after all others stopped. */
  stop(): Promise<void>
}

const recordsDeadlineMs = 5_000
/** Shorter than the time that open streams get for their final event. */
const lastCountsMs = 1_000

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
  const { log, host, counter, trustedErrors, shared, coordinated } = foundations(container, options, settings, http)

  const lateServices = new LateServices()
  container.value(GatewayServices, lateServices.services)
  const health = new LiveHealth(() => container.get(KeyStore))
  container.value(Health, health)
  const vitals = new LiveVitals(host.storeTimes)
  container.value(Vitals, vitals)

  let plugins: readonly CheckedPlugin[]
  let uses: readonly PluginUse[]
  try {
    uses = await pluginUses(options.plugins)
    plugins = await host.setUp(uses)
    trustedErrors.know(plugins, settings.trustedPlugins)
    container.value(ServicePlugins, servicePlugins(plugins))
    checkServices(container)
    checkDefaultSort(container.get(SortStrategies))
    checkSendingRules(container.get(Providers))
    checkToolSchemas(container.get(Tools))
  } catch (error) {
    await host.stop()
    await http.close()
    await counter.stop()
    throw error
  }
  for (const { token } of extensionPoints) container.get(token).seal()

  const catalog = new CatalogIndex(container.get(CatalogSources), container.get(Providers), container.get(AbsentProviders), log)
  container.value(Catalog, catalog)
  if (!container.has(AccountStore)) container.value(AccountStore, noAccounts)
  if (!container.has(AlertStore)) container.value(AlertStore, noAlerts)
  if (!container.has(RecordStore)) container.value(RecordStore, noRecords)
  if (!container.has(Compactor)) container.value(Compactor, noCompactor)
  for (const part of pipeline) container.singleton(part)
  container.value(Circuits, container.get(EndpointCircuits))
  const app = container.get(HttpApp)
  const api = container.get(PublicApi)
  lateServices.arrive(api.services)
  const connections = container.get(OpenConnections)
  const contributions = contributionsOf(container)
  const issuer = container.get(KeyIssuer)
  const keyWarnings = container.get(KeyWarnings)
  const catalogFacts = container.get(CatalogFacts)
  const previews = container.get(RoutePreviews)
  // Both tell the other processes how this one is.
  const providers = container.get(ProviderStates)
  const load = container.get(LiveLoad)
  const live = container.get(LiveOperations)
  const records = container.get(RecordQueue)
  vitals.arrive({ load, heartbeat: container.get(Heartbeat), providers, records })
  const alerts = container.get(Alerts)
  let exchange: MetricExchange | undefined

  try {
    alerts.check()
    await host.start()
    catalog.start()
    if (container.has(SharedState)) {
      const plugin = container.get(ServicePlugins).get(SharedState) ?? 'unknown'
      shared.connect(container.get(SharedState), plugin, container.get(Sealer), () => coordinated.processes)
    }
    if (container.has(Coordination) && options.lookOnly !== true) {
      await coordinated.connect(container.get(Coordination), container.get(ServicePlugins).get(Coordination) ?? 'unknown')
      const sharing = container.get(MetricStore).share?.()
      exchange = sharing && new MetricExchange(coordinated, sharing)
      await exchange?.start()
    }
    if (options.lookOnly !== true) await alerts.start(() => options.certificate?.())
  } catch (error) {
    await host.stop()
    await http.close()
    await counter.stop()
    throw maskThrown(error, container.get(Masks.token))
  }

  const adminFacts = {
    plugins: pluginFacts(plugins, uses, contributions, options.variables ?? new Map()),
    settings:
      options.settingFacts ?? optionFacts(settings, {}, name => ({ source: name in (options.settings ?? {}) ? 'config' : 'default' })),
  }

  return {
    http: app,
    connections,
    admin: adminOf(container, adminFacts, options.adminToken),
    log,
    keys: container.get(KeyStore),
    plugins,
    get catalogs() {
      return catalogFacts.sources()
    },
    get endpoints() {
      return catalogFacts.endpoints()
    },
    bundledModels: () => catalogFacts.bundled(),
    contributions,
    issueKey: async keySettings => (await issuer.issue(keySettings)).text,
    rotateKey: (id, graceMs) => issuer.rotate(id, graceMs),
    keyWarnings: keySettings => keyWarnings.of(keySettings),
    routes: query => previews.of(query),
    providers: () => providers.own(),
    get liveRuns() {
      return live.count
    },
    leave: () => health.leave(),
    abortRuns() {
      api.stop()
      counter.endWithin(lastCountsMs)
      live.abortAll()
    },
    async stop() {
      api.stop()
      vitals.stop()
      await connections.destroy()
      await records.drain(recordsDeadlineMs)
      await alerts.stop()
      shared.disconnect()
      await exchange?.stop()
      await coordinated.stop()
      try {
        await host.stop()
      } finally {
        await http.close()
        await counter.stop()
      }
    },
  }
}

function foundations(
  container: Container,
  options: GatewayOptions,
  settings: Settings,
  http: UndiciClient,
): {
  readonly log: Logger
  readonly host: PluginHost
  readonly counter: ThreadedTokenCounter
  readonly trustedErrors: TrustedErrors
  readonly shared: LiveMaps
  readonly coordinated: Coordinated
} {
  const masks = options.masks ?? new Masks(options.clock ?? systemClock)
  const isForDevelopers = settings.logLevel === 'debug' || options.showsExceptions === true
  const trustedErrors = new TrustedErrors(isForDevelopers)
  const log = createLogger(settings.logLevel, masks, options.writeLog, trustedErrors, options.logFields)
  container.value(Settings, settings)
  container.value(FreezesRequests, isForDevelopers)
  container.value(Masks.token, masks)
  container.value(Logger, log)
  const clock = options.clock ?? systemClock
  container.value(Clock, clock)
  container.value(Ids, options.ids ?? timedIds)
  container.value(Backoff, options.backoff ?? systemBackoff)
  container.value(Random, options.random ?? Math.random)
  container.value(RecordDelay, options.recordDelayMs ?? usualRecordDelayMs)
  const shared = new LiveMaps(clock, log)
  container.value(SharedMaps, shared)
  container.value(Siblings, options.siblings ?? noSiblings)
  const coordinated = new Coordinated(clock, log)
  container.value(Coordinated.token, coordinated)
  const counter = new ThreadedTokenCounter(log)
  container.value(TokenCounter, counter)
  for (const { token, create } of extensionPoints) container.value(token, create())
  return { log, host: new PluginHost(container, log, http, masks, options), counter, trustedErrors, shared, coordinated }
}
