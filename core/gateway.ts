import { issueApiKey, rotateApiKey, type KeySettings } from './admission/api-key.ts'
import { Admission } from './admission/admit.ts'
import { KeyWarnings } from './admission/key-warnings.ts'
import { PolicyResolver } from './admission/policy.ts'
import { Reservations } from './billing/reservations.ts'
import { Clock, systemClock } from './foundation/clock.ts'
import { createContainer, type Container } from './framework/container.ts'
import { Catalog } from './contracts/catalog.ts'
import { KeyStore } from './contracts/key-store.ts'
import { Ledger } from './contracts/ledger.ts'
import { MetricStore } from './contracts/metric-store.ts'
import { RateLimiter } from './contracts/rate-limiter.ts'
import { ResponseStore } from './contracts/response-store.ts'
import { Sealer } from './contracts/sealer.ts'
import { TokenCounter } from './contracts/token-counter.ts'
import { AskedModels } from './decisions/asked-models.ts'
import { DecisionAttempts } from './decisions/attempts.ts'
import { Decisions } from './decisions/decisions.ts'
import { DecisionNames } from './decisions/names.ts'
import { TokenLimits } from './decisions/token-limits.ts'
import { AssemblyError } from './foundation/errors.ts'
import { AbsentProviders, CatalogSources, extensionPoints, Providers } from './framework/extension-points.ts'
import { Attempts } from './generation/attempts.ts'
import { ContextWindow } from './routing/context-window.ts'
import { Generation } from './generation/generation.ts'
import { History } from './generation/history.ts'
import { Lowering } from './generation/lowering/lowering.ts'
import { ModelCalls } from './generation/model-call.ts'
import { HttpApp } from './http/app.ts'
import { Heartbeat } from './http/heartbeat.ts'
import { LiveBodies } from './http/live-bodies.ts'
import { Ids, randomIds } from './foundation/ids.ts'
import { createLogger, Logger } from './foundation/logger.ts'
import { Masks } from './foundation/masks.ts'
import { Backoff, systemBackoff } from './attempts/backoff.ts'
import { LiveAnswers } from './operation/live-answers.ts'
import { LiveOperations } from './operation/live-operations.ts'
import { PluginHost, type CheckedPlugin } from './framework/plugin-host.ts'
import type { PluginUse } from './framework/plugin.ts'
import { RecordQueue } from './records/queue.ts'
import { CatalogIndex } from './routing/catalog.ts'
import { Planner } from './routing/plan.ts'
import { defaultSettings, Settings } from './framework/settings.ts'
import { nameOf, type Token } from './foundation/token.ts'
import { ThreadedTokenCounter } from './tokens/threaded-token-counter.ts'
import { Credentials } from './attempts/credentials.ts'
import { UndiciClient } from './upstream/http-client.ts'
import { Proxies } from './upstream/proxies.ts'

export interface GatewayOptions {
  readonly plugins: readonly PluginUse[]
  readonly settings?: Partial<Settings>
  /** Where relative paths in plugin options start. Default: the current folder. */
  readonly folder?: string | undefined
  /** Default: true. See `Registrar.createFiles`. */
  readonly createFiles?: boolean
  /** Replaced in tests. */
  readonly clock?: Clock
  readonly ids?: Ids
  readonly backoff?: Backoff
  /** Takes each finished log line. */
  readonly writeLog?: (line: string) => void
}

/** A gateway that is set up and started; serve `http.h3`. */
export interface Gateway {
  readonly http: HttpApp
  readonly log: Logger
  readonly keys: KeyStore
  /** The plugins in their order, and what they contributed. */
  readonly plugins: readonly CheckedPlugin[]
  /** What each catalog says of itself: how much there is in it, and how old that is. */
  readonly catalogs: readonly { readonly name: string; readonly description: string }[]
  readonly contributions: readonly { readonly point: string; readonly name: string; readonly plugin: string }[]
  /** Makes a key and keeps its hash. The text is not to be had again. */
  issueKey(settings: KeySettings): Promise<string>
  /** Gives a key a new secret, and keeps the old one valid for `graceMs`. Undefined where there is no such key. */
  rotateKey(id: string, graceMs: number): Promise<string | undefined>
  /** What would keep a key with these settings from working as meant, one sentence each. */
  keyWarnings(settings: KeySettings): readonly string[]
  readonly liveRuns: number
  /** Ends every open generation with an error. */
  abortRuns(): void
  /** Delivers what is left of the records and stops the plugins, the last first. */
  stop(): Promise<void>
}

const requiredServices: readonly Token<unknown>[] = [KeyStore, Sealer, Ledger, RateLimiter, ResponseStore, MetricStore]
const pipeline = [
  PolicyResolver,
  Admission,
  KeyWarnings,
  Reservations,
  Planner,
  Credentials,
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
    proxies: Proxies.of(process.env),
  })
  const { log, host, counter } = foundations(container, options, settings, http)

  let plugins: readonly CheckedPlugin[]
  try {
    plugins = await host.setUp(options.plugins)
    checkServices(container)
  } catch (error) {
    await host.stop()
    await http.close()
    await counter.stop()
    throw error
  }
  for (const { token } of extensionPoints) container.get(token).seal()

  const catalog = new CatalogIndex(container.get(CatalogSources), container.get(Providers), container.get(AbsentProviders))
  container.value(Catalog, catalog)
  for (const part of pipeline) container.singleton(part)
  const app = container.get(HttpApp)
  const records = container.get(RecordQueue)
  const live = container.get(LiveOperations)
  const keys = container.get(KeyStore)
  const keyWarnings = container.get(KeyWarnings)

  await host.start()
  catalog.start()

  return {
    http: app,
    log,
    keys,
    plugins,
    get catalogs() {
      return container
        .get(CatalogSources)
        .values()
        .map(source => ({ name: source.name, description: source.describe?.() ?? modelsText(source.entries().length) }))
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
  const counter = new ThreadedTokenCounter(log)
  container.value(TokenCounter, counter)
  for (const { token, create } of extensionPoints) container.value(token, create())
  return { log, host: new PluginHost(container, log, http, masks, options.folder, options.createFiles), counter }
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
