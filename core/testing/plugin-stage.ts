import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Health } from '../contracts/health.ts'
import { KeyStore } from '../contracts/key-store.ts'
import { GatewayServices } from '../contracts/route.ts'
import { SharedMaps } from '../contracts/shared-state.ts'
import { Siblings } from '../contracts/siblings.ts'
import { TokenCounter } from '../contracts/token-counter.ts'
import { Vitals, type VitalSigns } from '../contracts/vitals.ts'
import { Coordinated } from '../coordination/coordinated.ts'
import { Clock } from '../foundation/clock.ts'
import { Ids, timedIds } from '../foundation/ids.ts'
import { createLogger, Logger } from '../foundation/logger.ts'
import { Masks } from '../foundation/masks.ts'
import { Random } from '../foundation/random.ts'
import type { Token } from '../foundation/token.ts'
import { createContainer, type Container } from '../framework/container.ts'
import { contributionsOf, type Contribution } from '../framework/contributions.ts'
import { extensionPoints } from '../framework/extension-points.ts'
import type { CheckedPlugin } from '../framework/checked-plugins.ts'
import { PluginHost } from '../framework/plugin-host.ts'
import type { PluginUse } from '../framework/plugin.ts'
import type { Registry, RegistryEntry } from '../framework/registry.ts'
import { isNamedBy } from '../framework/resolved-needs.ts'
import { defaultSettings, Settings } from '../framework/settings.ts'
import { LateServices } from '../server/late-services.ts'
import { LiveHealth } from '../server/health.ts'
import { noSiblings } from '../server/no-siblings.ts'
import { LiveMaps } from '../shared-state/live-maps.ts'
import { ThreadedTokenCounter } from '../tokens/threaded-token-counter.ts'
import { UndiciClient } from '../upstream/http-client.ts'

/** A clock that stands still until a test moves it. */
export class MovedClock implements Clock {
  #now = Date.UTC(2026, 0, 1)

  now(): number {
    return this.#now
  }

  elapsed(): number {
    return this.#now
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds
  }
}

export interface PluginStageOptions {
  readonly clock?: Clock
  /** Where relative paths in options start. Default: an empty folder, which is removed at the end. */
  readonly folder?: string
  /** As `turnpike check` sets plugins up: they create no files and change nothing. Default: false. */
  readonly lookOnly?: boolean
}

/** Plugins that are set up and started as in a gateway, without one: for suites that call what a plugin adds and provides. */
export class PluginStage {
  readonly clock: Clock
  /** In setup order. */
  readonly plugins: readonly CheckedPlugin[]
  readonly #container: Container
  #close: () => Promise<void>

  static async open(
    uses: readonly PluginUse[],
    { clock = new MovedClock(), folder, lookOnly = false }: PluginStageOptions = {},
  ): Promise<PluginStage> {
    const own = folder === undefined ? await mkdtemp(join(tmpdir(), 'turnpike-suite-')) : undefined
    const container = createContainer()
    const http = new UndiciClient()
    const masks = new Masks(clock)
    const log = createLogger('silent', masks)
    const counter = new ThreadedTokenCounter(log)
    const host = new PluginHost(container, log, http, masks, { folder: folder ?? own, lookOnly, createFiles: !lookOnly })
    addFoundations(container, { clock, log, masks, counter })
    const close = async (): Promise<void> => {
      try {
        await host.stop()
      } finally {
        await http.close()
        await counter.stop()
        if (own !== undefined) await rm(own, { recursive: true, force: true })
      }
    }
    try {
      const plugins = await host.setUp(uses)
      await host.start()
      return new PluginStage(clock, plugins, container, close)
    } catch (error) {
      await close()
      throw error
    }
  }

  private constructor(clock: Clock, plugins: readonly CheckedPlugin[], container: Container, close: () => Promise<void>) {
    this.clock = clock
    this.plugins = plugins
    this.#container = container
    this.#close = close
  }

  get contributions(): readonly Contribution[] {
    return contributionsOf(this.#container)
  }

  /** The contributions to an extension point: of all plugins, or of this one alone, with all its instances. */
  entries<T>(point: Token<Registry<T>>, plugin?: string): readonly RegistryEntry<T>[] {
    return this.#container
      .get(point)
      .entries()
      .filter(entry => plugin === undefined || isOf(plugin, entry.plugin))
  }

  /** As core has it: checked. Undefined if no plugin provides it. */
  service<T>(service: Token<T>): T | undefined {
    return this.#container.has(service) ? this.#container.get(service) : undefined
  }

  /** True if this plugin provides the service. */
  provides(plugin: string, service: Token<unknown>): boolean {
    return this.#ofPlugin(plugin).some(({ provides }) => provides.includes(service))
  }

  /** The services that this plugin provides. */
  services(plugin: string): readonly Token<unknown>[] {
    return this.#ofPlugin(plugin).flatMap(({ provides }) => provides)
  }

  /** True if this plugin takes its time from the service `Clock`, which tests move. */
  goesByClock(plugin: string): boolean {
    return this.#ofPlugin(plugin).some(checked => isNamedBy(checked.plugin, Clock))
  }

  #ofPlugin(plugin: string): readonly CheckedPlugin[] {
    return this.plugins.filter(({ name }) => isOf(plugin, name))
  }

  /** May be called again. */
  async close(): Promise<void> {
    const close = this.#close
    this.#close = async () => {}
    await close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/** True if `name` is that of the plugin, with an instance or without. */
export function isOf(plugin: string, name: string): boolean {
  return name === plugin || name.startsWith(`${plugin}(`)
}

interface Foundations {
  readonly clock: Clock
  readonly log: Logger
  readonly masks: Masks
  readonly counter: TokenCounter
}

/** Those of a gateway that nobody has asked yet. */
const resting: VitalSigns = {
  load: { requests: 0, connections: 0, answerBytes: 0, bodyBytes: 0 },
  streams: 0,
  providers: [],
  eventLoop: { meanMs: 0, p99Ms: 0, maxMs: 0 },
  memory: { rssBytes: 0, heapUsedBytes: 0, heapTotalBytes: 0, externalBytes: 0 },
  stores: [],
  sinks: [],
}

/** The services of core that plugins may need. */
function addFoundations(container: Container, { clock, log, masks, counter }: Foundations): void {
  container.value(Settings, defaultSettings)
  container.value(Masks.token, masks)
  container.value(Logger, log)
  container.value(Clock, clock)
  container.value(Ids, timedIds)
  container.value(Random, Math.random)
  container.value(SharedMaps, new LiveMaps(clock, log))
  container.value(Siblings, noSiblings)
  container.value(Coordinated.token, new Coordinated(clock, log))
  container.value(TokenCounter, counter)
  container.value(GatewayServices, new LateServices().services)
  container.value(Health, new LiveHealth(() => container.get(KeyStore)))
  container.value(Vitals, { read: () => resting })
  for (const { token, create } of extensionPoints) container.value(token, create())
}
