import type { HttpClient } from '../contracts/http-client.ts'
import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { isObject } from '../foundation/json.ts'
import type { Logger } from '../foundation/logger.ts'
import './copies.ts'
import { rememberOrigin, type PluginMaker } from './plugin-origin.ts'
import type { Registry } from './registry.ts'
import type { Token } from '../foundation/token.ts'

/**
 * The JSON Schema of a plugin's options. It is closed, so that misspelled options are rejected.
 * Deliberately loose: with JSONSchema as a constraint, every definePlugin call would take the compiler 20 s.
 */
export interface OptionsSchema {
  readonly type: 'object'
  readonly additionalProperties: false
  /** A JSON Schema for each option. Secrets have `writeOnly: true`. */
  readonly properties: Readonly<Record<string, object>>
  /** Options that the config has to set. Default: none. */
  readonly required?: readonly string[]
}

/** The options as written in the config. Those with a default are optional. */
export type OptionsInput<S> = S extends JSONSchema ? FromSchema<S, { keepDefaultedPropertiesOptional: true }> : never

/** The options that `setup` receives, with defaults filled in. */
export type Options<S> = S extends JSONSchema ? FromSchema<S> : never

/** Tokens, by the names under which `setup` receives what they stand for. */
export type Needs = Readonly<Record<string, Token<any>>>
/** The services and registries for `needs`, by the same names. */
export type Resolved<N extends Needs> = { readonly [K in keyof N]: N[K] extends Token<infer T> ? T : never }
/** Core awaits it. Time limit: 10 s. */
export type Hook = () => void | Promise<void>

/** Passed to `setup`. `name`, `log` and `http` belong to this plugin. */
export interface Registrar {
  /** The plugin's name with its instance, as in errors: `openai-chat(groq)`. */
  readonly name: string
  /** Its lines name the plugin. Masks secrets. */
  readonly log: Logger
  /** For requests to vendors. Goes through the proxies of the config. */
  readonly http: HttpClient
  /** False for commands that only look, such as `turnpike check`: create no files then, and do without those that do not exist yet. */
  readonly createFiles: boolean
  /** True for commands that also change nothing that exists, such as `turnpike check`: do not upgrade a database then. */
  readonly lookOnly: boolean
  /** False for commands that serve no requests, such as `turnpike check` and `turnpike explain`: send nothing to collectors then. */
  readonly serves: boolean
  /** Adds a contribution to an extension point. Throws a `PluginError` if it is malformed or its name is taken. */
  add<T>(point: Token<Registry<T>>, contribution: T): void
  /** Provides a service that the plugin declares in `provides` or `offers`. Ignored if another plugin provides it in this config. */
  provide<T>(service: Token<T>, implementation: T): void
  /** True if the plugin provides the service in this config. Ask before you make something expensive. */
  provides(service: Token<unknown>): boolean
  /** Resolves a path from the options. Relative paths start at the folder of the config file. */
  resolvePath(path: string): string
  /**
   * Masks a secret in all log lines and errors, until `expiresAtMs` if given (milliseconds since the epoch). Secrets in `writeOnly`
   * options are masked already.
   */
  secret(text: string, expiresAtMs?: number): void
  /** Runs in setup order after all plugins are set up, before the first request. Time limit: 10 s, as for `setup` and `onStop`. */
  onStart(hook: Hook): void
  /** Runs at shutdown in reverse setup order, and also if the start fails. */
  onStop(hook: Hook): void
}

/** The argument of `definePlugin`, without its types. */
export interface PluginDefinition {
  /** In kebab-case. An add-on uses the name of its package. */
  readonly name: string
  /** Checked at the start, and defaults filled in, before `setup`. */
  readonly options: OptionsSchema
  /** Where to set what users may take for an option of this plugin, by its name: `{ port: 'server.admin.port' }`. For the error. */
  readonly setElsewhere?: Readonly<Record<string, string>>
  /**
   * The versions of the contracts that the plugin was written for, such as `{ Providers: 1 }`. The start fails if this gateway does not
   * take that version. A plugin that names an experimental contract here accepts that it may change.
   */
  readonly contracts?: Readonly<Record<string, number>>
  /** The services and registries that `setup` receives, by the names it receives them under. */
  readonly needs?: Needs
  /** Like `needs`, for services that the plugin can do without: undefined if no plugin provides them. */
  readonly wants?: Needs
  /** The services that `setup` provides. Plugins that need them are set up later. */
  readonly provides?: readonly Token<any>[] | ((options: any) => readonly Token<any>[])
  /** Services to provide if no other plugin has them in `provides`. */
  readonly offers?: readonly Token<any>[] | ((options: any) => readonly Token<any>[])
  /** Names of plugins to set up earlier, if they are loaded. */
  readonly after?: readonly string[]
  /** Names this use of the plugin, so that it can be listed more than once. */
  readonly instance?: (options: any) => string
  /**
   * Upgrades the plugin's stored data, without a time limit. `turnpike migrate` calls it; `setup` must do the same. Returns the names of
   * its steps.
   */
  readonly migrate?: (gateway: MigrationContext, options: any) => Promise<readonly string[]>
  /** Set by `definePreset`: the plugins to set up instead. */
  readonly lists?: (options: any) => unknown
  /** Called once per start and use. A throw fails the start. Time limit: 10 s. */
  setup(gateway: Registrar, options: any, needs: any): void | Promise<void>
}

/** Passed to `migrate`. */
export type MigrationContext = Pick<Registrar, 'log' | 'resolvePath' | 'secret'>

/** The version of the contract between core and plugins. */
export const apiVersion = 1

/** A plugin with its options: an entry of `plugins` in the config. */
export interface PluginUse {
  /** Of the copy of this package that made it. */
  readonly apiVersion: typeof apiVersion
  /** The same for all uses of the plugin. */
  readonly plugin: PluginDefinition
  /** As the config has them, without defaults. */
  readonly options: object
  /** Set for the entries of `defaults()`: they provide only services that no plugin of the config itself provides. */
  readonly isDefault?: boolean
  /** The preset that lists it. */
  readonly from?: string
  /** Where the config lists it. `lines`: of its options, as far as they are known. */
  readonly origin?: {
    /** As messages name it, such as `gateway.config.yaml`. */
    readonly file: string
    /** From 1. */
    readonly line?: number | undefined
    /** By the name of the option. */
    readonly lines?: Readonly<Record<string, number | undefined>>
  }
}

/** A plugin as its module exports it: call it with the options in `plugins: [...]`. */
export type Plugin<S> = (options: OptionsInput<S> & object) => PluginUse

/** Makes the function that a config calls with the plugin's options. The definition is checked when the gateway starts. */
export function definePlugin<const S extends OptionsSchema, N extends Needs = {}, W extends Needs = {}>(
  plugin: Omit<PluginDefinition, 'options' | 'needs' | 'wants' | 'provides' | 'offers' | 'instance' | 'migrate' | 'setup'> & {
    readonly options: S
    readonly needs?: N
    readonly wants?: W
    readonly provides?: readonly Token<any>[] | ((options: Options<S>) => readonly Token<any>[])
    readonly offers?: readonly Token<any>[] | ((options: Options<S>) => readonly Token<any>[])
    readonly instance?: (options: Options<S>) => string
    readonly migrate?: (gateway: MigrationContext, options: Options<S>) => Promise<readonly string[]>
    setup(gateway: Registrar, options: Options<S>, needs: Resolved<N> & Partial<Resolved<W>>): void | Promise<void>
  },
  /** The function that defines plugins for others, if there is one: errors then find the plugin in the file that calls it. */
  maker: PluginMaker = definePlugin,
): Plugin<S> {
  const use: Plugin<S> = (options = {} as never) => ({ apiVersion, plugin, options })
  rememberOrigin(plugin, maker)
  // Names the plugin in the error for one that was listed without a call.
  return Object.defineProperties(use, { name: { value: camelCase(String(plugin?.name)) }, [mark]: { value: plugin } })
}

/** Known to every copy of this package in the process. */
const mark = Symbol.for('turnpike/plugin')

/** The argument of `definePlugin`, for the function that it returned. */
export function definitionOf(value: unknown): PluginDefinition | undefined {
  return typeof value === 'function' ? (value as { readonly [mark]?: PluginDefinition })[mark] : undefined
}

/** The name of a plugin, called or not. Undefined for anything else. */
export function pluginName(value: unknown): string | undefined {
  const definition = definitionOf(value) ?? (isObject(value) && 'apiVersion' in value ? (value as Partial<PluginUse>).plugin : undefined)
  return typeof definition?.name === 'string' ? definition.name : undefined
}

function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
