import type { HttpClient } from '../contracts/http-client.ts'
import { resolve } from 'node:path'
import { Ajv } from 'ajv'
import type { Container } from './container.ts'
import { PluginError } from '../foundation/errors.ts'
import type { Logger } from '../foundation/logger.ts'
import type { Masks } from '../foundation/masks.ts'
import { notAPlugin } from './not-a-plugin.ts'
import { optionProblems } from './option-problems.ts'
import type { Hook, PluginDefinition, PluginUse, Registrar } from './plugin.ts'
import { nameOf, type Token } from '../foundation/token.ts'

/** A plugin whose options have been checked and completed. */
export interface CheckedPlugin {
  readonly name: string
  readonly plugin: PluginDefinition
  readonly options: object
  readonly provides: readonly Token<any>[]
}

const setupTimeoutMs = 10_000

/** Sets plugins up in an order that meets their needs, and takes them down in the opposite one. */
export class PluginHost {
  readonly #container: Container
  readonly #log: Logger
  readonly #http: HttpClient
  readonly #masks: Masks
  readonly #folder: string
  readonly #createFiles: boolean
  readonly #starts: Hook[] = []
  readonly #stops = new AsyncDisposableStack()

  /** Relative paths in the options start at `folder`. */
  constructor(container: Container, log: Logger, http: HttpClient, masks: Masks, folder: string = process.cwd(), createFiles = true) {
    this.#container = container
    this.#log = log
    this.#http = http
    this.#masks = masks
    this.#folder = folder
    this.#createFiles = createFiles
  }

  /** Checks, orders and sets up; says in which order. A failure stops what was set up before it. */
  async setUp(uses: readonly PluginUse[]): Promise<readonly CheckedPlugin[]> {
    const ordered = order(check(uses))
    for (const { plugin, options } of ordered) this.#masks.addSecrets(plugin.options, options)
    try {
      for (const checked of ordered) await this.#setUp(checked)
    } catch (error) {
      throw await this.#stopAfter(error)
    }
    return ordered
  }

  async start(): Promise<void> {
    try {
      for (const start of this.#starts) await start()
    } catch (error) {
      throw await this.#stopAfter(error)
    }
  }

  async stop(): Promise<void> {
    await this.#stops.disposeAsync()
  }

  async #setUp({ name, plugin, options, provides }: CheckedPlugin): Promise<void> {
    const provided = new Set<Token<any>>()
    const registrar: Registrar = {
      name,
      log: this.#log.child(name),
      http: this.#http,
      createFiles: this.#createFiles,
      add: (point, contribution) => {
        if (!this.#container.has(point)) throw new PluginError(name, `adds to ${nameOf(point)}, which is no extension point here`)
        this.#container.get(point).add(contribution, name)
      },
      provide: (service, implementation) => {
        if (!provides.includes(service)) throw new PluginError(name, `provides ${nameOf(service)} without declaring it`)
        this.#container.value(service, implementation)
        provided.add(service)
      },
      resolvePath: path => resolve(this.#folder, path),
      secret: (text, expiresAtMs) => this.#masks.add(text, expiresAtMs),
      onStart: hook => this.#starts.push(() => blame(name, 'failed to start', hook)),
      onStop: hook => this.#stops.defer(() => blame(name, 'failed to stop', hook)),
    }
    await blame(name, 'failed to set up', () => withinTime(() => plugin.setup(registrar, options, this.#resolve(name, plugin))))
    for (const service of provides) {
      if (!provided.has(service)) throw new PluginError(name, `declares ${nameOf(service)} but never provided it`)
    }
  }

  #resolve(name: string, { needs = {} }: PluginDefinition): Record<string, unknown> {
    const resolved: Record<string, unknown> = {}
    for (const [key, need] of Object.entries(needs)) {
      if (!this.#container.has(need)) throw new PluginError(name, `needs ${nameOf(need)}, which no plugin provides`)
      resolved[key] = this.#container.get(need)
    }
    return resolved
  }

  async #stopAfter(failure: unknown): Promise<unknown> {
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

/** Checks every plugin's options and reports all that is wrong at once. */
export function check(uses: readonly PluginUse[]): CheckedPlugin[] {
  const ajv = new Ajv({ allErrors: true, useDefaults: true, strict: true, allowUnionTypes: true })
  ajv.addFormat('uri', { type: 'string', validate: (text: string) => /^https?:/.test(text) && URL.canParse(text) })
  const problems: PluginError[] = []
  const checked = uses.map((use, index): CheckedPlugin | undefined => {
    if (use?.apiVersion !== 1 || typeof use.plugin?.setup !== 'function') {
      problems.push(new PluginError(`#${index + 1} of the list`, notAPlugin(use)))
      return undefined
    }
    const { plugin } = use
    const options = structuredClone(use.options)
    const validate = ajv.compile(plugin.options)
    if (!validate(options)) {
      const found = optionProblems(validate.errors!, Object.keys(plugin.options.properties))
      problems.push(new PluginError(plugin.name, `has bad options: ${found}`))
      return undefined
    }
    const instance = plugin.instance?.(options)
    const provides = typeof plugin.provides === 'function' ? plugin.provides(options) : (plugin.provides ?? [])
    return { name: instance === undefined ? plugin.name : `${plugin.name}(${instance})`, plugin, options, provides }
  })
  if (problems.length === 1) throw problems[0]
  if (problems.length > 1) throw new AggregateError(problems, problems.map(problem => problem.message).join('\n'))
  return checked.filter(plugin => plugin !== undefined)
}

/** Config order, save that a plugin comes after those it names and those that provide what it needs. */
export function order(plugins: readonly CheckedPlugin[]): CheckedPlugin[] {
  const byName = new Map<string, CheckedPlugin>()
  const providers = new Map<Token<any>, CheckedPlugin>()
  for (const checked of plugins) {
    if (byName.has(checked.name)) throw new PluginError(checked.name, 'is listed twice')
    byName.set(checked.name, checked)
    for (const service of checked.provides) {
      const other = providers.get(service)
      if (other) throw new PluginError(checked.name, `provides ${nameOf(service)}, as plugin ${other.name} already does`)
      providers.set(service, checked)
    }
  }

  const ordered = new Set<CheckedPlugin>()
  const visit = (checked: CheckedPlugin, path: readonly CheckedPlugin[]): void => {
    if (ordered.has(checked)) return
    if (path.includes(checked)) {
      const loop = [...path.slice(path.indexOf(checked)), checked].map(({ name }) => name)
      throw new PluginError(checked.name, `waits for itself: ${loop.join(' → ')}`)
    }
    const { after = [], needs = {} } = checked.plugin
    const earlier = [
      ...after.flatMap(name => plugins.filter(other => other.plugin.name === name || other.name === name)),
      ...Object.values(needs).map(need => providers.get(need)),
    ]
    for (const before of earlier) if (before) visit(before, [...path, checked])
    ordered.add(checked)
  }
  for (const checked of plugins) visit(checked, [])
  return [...ordered]
}

async function withinTime(setup: Hook): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`setup took longer than ${setupTimeoutMs} ms`)), setupTimeoutMs)
  })
  try {
    await Promise.race([setup(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Runs a plugin's own code, so that whatever it throws names the plugin. */
async function blame(plugin: string, problem: string, run: Hook): Promise<void> {
  try {
    await run()
  } catch (cause) {
    throw cause instanceof PluginError ? cause : new PluginError(plugin, `${problem}: ${(cause as Error)?.message ?? cause}`, { cause })
  }
}
