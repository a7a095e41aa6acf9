import type { HttpClient } from '../contracts/http-client.ts'
import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import type { Logger } from '../foundation/logger.ts'
import type { Registry } from './registry.ts'
import type { Token } from '../foundation/token.ts'

/**
 * A plugin's options: a closed object, so that a misspelt option is refused.
 * Kept this loose on purpose: constraining it to JSONSchema makes every definePlugin call take the compiler 20 s.
 */
export interface OptionsSchema {
  readonly type: 'object'
  readonly additionalProperties: false
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

/** What a config author writes: an option with a default may be left out. */
export type OptionsInput<S> = S extends JSONSchema ? FromSchema<S, { keepDefaultedPropertiesOptional: true }> : never

/** What `setup` receives: defaults are filled in. */
export type Options<S> = S extends JSONSchema ? FromSchema<S> : never

export type Needs = Readonly<Record<string, Token<any>>>
export type Resolved<N extends Needs> = { readonly [K in keyof N]: N[K] extends Token<infer T> ? T : never }
export type Hook = () => void | Promise<void>

/** What a plugin may do while it is set up. The three values belong to this plugin alone. */
export interface Registrar {
  /** The plugin's name in errors, with its instance: `openai-chat(groq)`. */
  readonly name: string
  readonly log: Logger
  readonly http: HttpClient
  /** False for commands that only look, such as `turnpike check`: leave the disk as it is, and do without a file that is not there yet. */
  readonly createFiles: boolean
  /** Adds a named contribution at an extension point. */
  add<T>(point: Token<Registry<T>>, contribution: T): void
  /** Supplies a service that the plugin declared in `provides`. */
  provide<T>(service: Token<T>, implementation: T): void
  /** A path from the options as an absolute path. A relative path starts at the folder of the config file. */
  resolvePath(path: string): string
  /**
   * Takes a secret that the plugin found elsewhere than in its options out of every log line and error. One that expires, at a
   * time in milliseconds since the epoch, is masked until then.
   */
  secret(text: string, expiresAtMs?: number): void
  /** Runs after every plugin is set up, in the same order, before the first request. */
  onStart(hook: Hook): void
  /** Runs at shutdown, after the hooks of every plugin set up later; also when starting failed. */
  onStop(hook: Hook): void
}

export interface PluginDefinition {
  /** kebab-case; an add-on package uses its own name. */
  readonly name: string
  readonly options: OptionsSchema
  /** Services and registries, by the names under which `setup` receives them. */
  readonly needs?: Needs
  readonly provides?: readonly Token<any>[] | ((options: any) => readonly Token<any>[])
  /** Names of plugins that must be set up earlier, if they are there at all. */
  readonly after?: readonly string[]
  /** Tells apart two uses of one plugin, such as two providers of one dialect. */
  readonly instance?: (options: any) => string
  setup(gateway: Registrar, options: any, needs: any): void | Promise<void>
}

/** A plugin and its options, as they stand in `gateway.config.ts`. */
export interface PluginUse {
  readonly apiVersion: 1
  readonly plugin: PluginDefinition
  readonly options: object
}

/** A plugin's default export: called in the config with the options, it gives what `plugins: [...]` takes. */
export type Plugin<S> = (options: OptionsInput<S> & object) => PluginUse

export function definePlugin<const S extends OptionsSchema, N extends Needs = {}>(
  plugin: Omit<PluginDefinition, 'options' | 'needs' | 'provides' | 'instance' | 'setup'> & {
    readonly options: S
    readonly needs?: N
    readonly provides?: readonly Token<any>[] | ((options: Options<S>) => readonly Token<any>[])
    readonly instance?: (options: Options<S>) => string
    setup(gateway: Registrar, options: Options<S>, needs: Resolved<N>): void | Promise<void>
  },
): Plugin<S> {
  const use: Plugin<S> = (options = {} as never) => ({ apiVersion: 1, plugin, options })
  // So that a plugin listed without a call can be named.
  return Object.defineProperty(use, 'name', { value: camelCase(plugin.name) })
}

function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
