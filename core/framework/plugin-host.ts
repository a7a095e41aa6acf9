import type { HttpClient } from '../contracts/http-client.ts'
import { Vitals } from '../contracts/vitals.ts'
import { resolve } from 'node:path'
import pTimeout from 'p-timeout'
import { checkedService } from './checked-service.ts'
import { check, type CheckedPlugin } from './checked-plugins.ts'
import type { Container } from './container.ts'
import { EarlierVersions, ExperimentalUses, tokenProblem } from './contract-versions.ts'
import { PluginError } from '../foundation/errors.ts'
import type { Lens } from './lens.ts'
import type { Logger } from '../foundation/logger.ts'
import { maskThrown } from '../foundation/mask-thrown.ts'
import type { Masks } from '../foundation/masks.ts'
import { addOptionSecrets } from './option-secrets.ts'
import type { Hook, PluginUse, Registrar } from './plugin.ts'
import { order } from './plugin-order.ts'
import { isNamedBy, resolvedNeeds } from './resolved-needs.ts'
import { OpenRegistry } from './open-registry.ts'
import { serviceProblem } from './service-shapes.ts'
import { StoreTimes } from './store-times.ts'
import { thrownMessage } from '../foundation/thrown-message.ts'
import { currentToken, nameOf, type Token } from '../foundation/token.ts'
import { importedName, notAnExtensionPoint, notProvidable, pointName, wrongArgument } from './wrong-place.ts'

const hookTimeoutMs = 10_000
/** After this long, the log names the plugin, so that the operator knows what the gateway is waiting for. */
const slowHookMs = 2_000

export interface PluginHostOptions {
  /** Where relative paths in the options start. Default: the current folder. */
  readonly folder?: string | undefined
  /** Default: true. See `Registrar.createFiles`. */
  readonly createFiles?: boolean | undefined
  /** Default: false. See `Registrar.lookOnly`. */
  readonly lookOnly?: boolean | undefined
  /** Default: true, unless `lookOnly`. See `Registrar.serves`. */
  readonly serves?: boolean | undefined
  /** Looks at what plugins do. Default: nothing does. */
  readonly lens?: Lens | undefined
}

/** Sets up plugins in dependency order, and stops them in reverse order. */
export class PluginHost {
  readonly #container: Container
  readonly #log: Logger
  readonly #http: HttpClient
  readonly #masks: Masks
  readonly #folder: string
  readonly #createFiles: boolean
  readonly #lookOnly: boolean
  readonly #serves: boolean
  readonly #lens: Lens | undefined
  readonly #starts: Hook[] = []
  readonly #stops: Hook[] = []
  readonly #experimental = new ExperimentalUses()
  readonly #earlier = new EarlierVersions()
  readonly storeTimes = new StoreTimes()

  constructor(container: Container, log: Logger, http: HttpClient, masks: Masks, options: PluginHostOptions = {}) {
    const { folder = process.cwd(), createFiles = true, lookOnly = false, serves = !lookOnly, lens } = options
    this.#container = container
    this.#log = log
    this.#http = http
    this.#masks = masks
    this.#folder = folder
    this.#createFiles = createFiles
    this.#lookOnly = lookOnly
    this.#serves = serves
    this.#lens = lens
  }

  /** Checks, orders and sets up the plugins, and returns them in setup order. A failure stops those already set up. */
  async setUp(uses: readonly PluginUse[]): Promise<readonly CheckedPlugin[]> {
    // Refused options may hold secrets, too.
    addOptionSecrets(this.#masks, uses)
    const ordered = this.#checked(uses)
    // Defaults are filled in.
    addOptionSecrets(this.#masks, ordered)
    this.storeTimes.isWanted = ordered.some(({ plugin }) => isNamedBy(plugin, Vitals))
    try {
      for (const checked of ordered) await this.#setUp(checked)
    } catch (error) {
      throw await this.#stopAfter(error)
    }
    this.#experimental.warn(this.#log)
    this.#earlier.warn(this.#log)
    return ordered
  }

  #checked(uses: readonly PluginUse[]): readonly CheckedPlugin[] {
    try {
      return order(check(uses))
    } catch (error) {
      throw maskThrown(error, this.#masks)
    }
  }

  async start(): Promise<void> {
    try {
      for (const start of this.#starts) await start()
    } catch (error) {
      throw await this.#stopAfter(error)
    }
  }

  /** Runs every hook, even after one failed. Throws a `PluginError`, or an `AggregateError` of several. */
  async stop(): Promise<void> {
    const failures: Error[] = []
    for (const stop of this.#stops.splice(0).reverse()) {
      try {
        await stop()
      } catch (error) {
        failures.push(maskThrown(error, this.#masks) as Error)
      }
    }
    if (failures.length === 1) throw failures[0]
    if (failures.length > 1) throw new AggregateError(failures, failures.map(({ message }) => message).join('\n'))
  }

  async #setUp({ name, plugin, options, provides, offers }: CheckedPlugin): Promise<void> {
    const provided = new Set<Token<any>>()
    this.#earlier.addStated(name, plugin)
    for (const need of [...Object.values(plugin.needs ?? {}), ...Object.values(plugin.wants ?? {})]) this.#earlier.addUsed(name, need)
    const lens = this.#lens
    const registrar: Registrar = {
      name,
      log: this.#log.child(name),
      http: lens ? lens.http(this.#http, name) : this.#http,
      createFiles: this.#createFiles,
      lookOnly: this.#lookOnly,
      serves: this.#serves,
      add: (point, contribution) => {
        const current = currentToken(point)
        this.#earlier.addUsed(name, point)
        const registry = typeof current === 'symbol' && this.#container.has(current) ? this.#container.get(current) : undefined
        if (!(registry instanceof OpenRegistry)) throw new PluginError(name, tokenProblem(point) ?? notAnExtensionPoint(point))
        registry.add(contribution, name, lens && (added => lens.contribution(registry.kind, added, name)))
        for (const sentence of registry.ignoredMembers(contribution))
          this.#log.warn('a member that no contract has is ignored', { plugin: name, reason: `plugin ${name} adds ${sentence}` })
        this.#experimental.add(name, plugin, current)
      },
      provide: (given, implementation) => {
        const service = currentToken(given)
        this.#earlier.addUsed(name, given)
        if (typeof service !== 'symbol' || pointName(service) !== undefined) throw new PluginError(name, notProvidable(service))
        if (!offers.includes(service)) {
          const declaring = `provides: [${importedName(service)}]`
          throw new PluginError(name, `provides ${nameOf(service)} without declaring it. Write ${declaring} into definePlugin`)
        }
        const wrong = serviceProblem(service, implementation)
        if (wrong !== undefined) throw new PluginError(name, wrong)
        if (!provides.includes(service)) return
        this.#container.value(service, checkedService(service, this.storeTimes.timed(service, implementation), name, this.#log))
        provided.add(service)
        this.#experimental.add(name, plugin, service)
      },
      provides: service => provides.includes(currentToken(service)),
      resolvePath: path => resolve(this.#folder, path),
      secret: (text, expiresAtMs) => {
        if (typeof text !== 'string') throw new PluginError(name, wrongArgument('secret', 'a string', text))
        this.#masks.add(text, expiresAtMs)
      },
      onStart: hook => {
        if (typeof hook !== 'function') throw new PluginError(name, wrongArgument('onStart', 'a function', hook))
        this.#starts.push(() => runHook(name, 'failed to start', this.#log, hook))
      },
      onStop: hook => {
        if (typeof hook !== 'function') throw new PluginError(name, wrongArgument('onStop', 'a function', hook))
        this.#stops.push(() => runHook(name, 'failed to stop', this.#log, hook))
      },
    }
    await runHook(name, 'failed to set up', this.#log, () => plugin.setup(registrar, options, resolvedNeeds(name, plugin, this.#container)))
    for (const service of provides) {
      if (!provided.has(service)) {
        const call = `gateway.provide(${importedName(service)}, …)`
        throw new PluginError(name, `declares ${nameOf(service)} but never provided it. Call ${call} in setup`)
      }
    }
  }

  async #stopAfter(thrown: unknown): Promise<unknown> {
    const failure = maskThrown(thrown, this.#masks)
    try {
      await this.stop()
      return failure
    } catch (alsoFailed) {
      return new AggregateError(
        [failure, alsoFailed],
        `${(failure as Error).message}\nand stopping failed: ${(alsoFailed as Error).message}`,
      )
    }
  }
}

/** Runs a plugin's code within a time limit. Its errors name the plugin. `problem` is a phrase such as `failed to start`. */
async function runHook(plugin: string, problem: string, log: Logger, hook: Hook): Promise<void> {
  const slow = setTimeout(() => log.warn('still waiting for a plugin', { plugin, timeoutMs: hookTimeoutMs }), slowHookMs)
  try {
    const message = new PluginError(plugin, `${problem}: it took longer than ${hookTimeoutMs} ms`)
    await pTimeout(Promise.resolve(hook()), { milliseconds: hookTimeoutMs, message })
  } catch (cause) {
    throw cause instanceof PluginError ? cause : new PluginError(plugin, `${problem}: ${thrownMessage(cause)}`, { cause })
  } finally {
    clearTimeout(slow)
  }
}
