import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cosmiconfig } from 'cosmiconfig'
import type { PluginUse } from '../core/index.ts'
import { lazyValidator, type SchemaRules } from '../core/kit.ts'
import { AssemblyError } from '../core/foundation/errors.ts'
import { isObject } from '../core/foundation/json.ts'
import { isPending } from '../core/runtime/pending.ts'
import { thrownMessage } from '../core/foundation/thrown-message.ts'
import { addOptionSecrets } from '../core/framework/option-secrets.ts'
import { optionProblems } from '../core/validation/option-problems.ts'
import type { GatewayConfig } from './config.ts'
import { readEnvFile } from './env-file.ts'
import { MissingVariables } from './env.ts'
import { ConfigError, problemsOf } from './errors.ts'
import { blamePlugins } from './faults.ts'
import { freshAddress } from './fresh-modules.ts'
import { explain } from './load-failure.ts'
import { processMasks } from './process-output.ts'
import { serverSchema, type ServerInput, type ServerOptions } from './schema.ts'
import { serverFormats } from './server-formats.ts'
import './typescript-modules.ts'

export interface LoadedConfig {
  /** The path for messages. */
  readonly file: string
  /** The folder of the file: relative paths in options start here. */
  readonly folder: string
  readonly server: ServerOptions
  readonly plugins: readonly PluginUse[]
  /** The members that the `server` section or the command line sets. */
  readonly given: readonly string[]
  /** Those of them that the command line set. */
  readonly overridden: readonly string[]
  /** Problems of the `server` section. If there are any, `server` holds the defaults. */
  readonly problems: readonly string[]
}

const searchPlaces = ['gateway.config.ts', 'gateway.config.mts', 'gateway.config.js', 'gateway.config.mjs']

/**
 * Reads the config at `path`, or the one in the current folder, after the `.env` file next to it. `override` wins over its `server`
 * section. `isFresh`: reads it anew, although it was read before. Throws a `ConfigError`.
 */
export async function loadConfig(path?: string, override: ServerInput = {}, { isFresh = false } = {}): Promise<LoadedConfig> {
  using missing = new MissingVariables()
  const found = path === undefined ? await search(isFresh) : await open(path, isFresh)
  const file = relative(process.cwd(), found.path) || found.path
  const [settled] = await Promise.allSettled([read(file, found.module)])
  // Report these first: an empty variable may have caused the other problems.
  if (missing.errors.length > 0) throw new ConfigError(file, await Promise.all(missing.errors.map(error => explain(error, found.path))))
  if (settled.status === 'rejected') throw settled.reason
  const { config, plugins } = settled.value
  blamePlugins(plugins)
  const folder = dirname(found.path)
  const { server, problems } = readServer(config.server, override)
  const given = Object.keys({ ...config.server, ...override })
  return { file, folder, plugins, problems, given, overridden: Object.keys(override), server: withPathsFrom(folder, server) }
}

/** The module, or the error that it threw. It is not rethrown at once because cosmiconfig takes some errors for a missing file. */
interface ConfigModule {
  readonly path: string
  readonly exports?: { readonly default?: unknown }
  readonly error?: unknown
}

const makeConfig = 'npx turnpike init'

interface Found {
  readonly path: string
  readonly module: ConfigModule | undefined
}

async function search(isFresh: boolean): Promise<Found> {
  const result = await explorer(isFresh).search()
  if (!result) {
    throw new ConfigError(undefined, [
      `There is no ${searchPlaces.join(', ')} in ${process.cwd()}. Name a file with --config, or make one:\n\n  ${makeConfig}\n`,
    ])
  }
  return { path: result.filepath, module: result.config }
}

async function open(path: string, isFresh: boolean): Promise<Found> {
  const absolute = resolve(path)
  if (!existsSync(absolute)) throw new ConfigError(path, ['There is no such file. --config takes the path of a config file.'])
  if (!/\.m?[jt]s$/.test(path)) throw new ConfigError(path, ['It cannot be a config. Expected a .ts, .mts, .js or .mjs file.'])
  const result = await explorer(isFresh).load(absolute)
  return { path: absolute, module: result?.config }
}

function explorer(isFresh: boolean): ReturnType<typeof cosmiconfig> {
  // Node strips types itself. The loaders of cosmiconfig would fall back to require(), which hides the real error.
  const load = async (path: string): Promise<ConfigModule> => {
    readEnvFile(join(dirname(path), '.env'))
    try {
      return { path, exports: await import(isFresh ? freshAddress(path) : pathToFileURL(path).href) }
    } catch (error) {
      return { path, error }
    }
  }
  return cosmiconfig('gateway', {
    searchPlaces,
    searchStrategy: 'none',
    ignoreEmptySearchPlaces: false,
    loaders: { '.ts': load, '.mts': load, '.js': load, '.mjs': load },
  })
}

async function read(
  file: string,
  module: ConfigModule | undefined,
): Promise<{ readonly config: GatewayConfig; readonly plugins: readonly PluginUse[] }> {
  const config = await evaluate(file, module)
  return { config, plugins: await flatten(file, config.plugins) }
}

async function evaluate(file: string, module: ConfigModule | undefined): Promise<GatewayConfig> {
  if (module && 'error' in module) throw new ConfigError(file, [await explain(module.error, module.path)])
  const config: unknown = await module?.exports?.default
  if (typeof config !== 'object' || config === null) {
    const found =
      config === undefined ? 'It has no default export' : `Its default export is ${config === null ? 'null' : `a ${typeof config}`}`
    throw new ConfigError(file, [`${found}. Expected: export default defineConfig({ plugins: [...] }).`])
  }
  const unknown = Object.keys(config).find(key => key !== 'server' && key !== 'plugins')
  if (unknown !== undefined) throw new ConfigError(file, [`It has an unknown section "${unknown}". Expected only server and plugins.`])
  const { plugins, server = {} } = config as { readonly plugins?: unknown; readonly server?: unknown }
  if (typeof server !== 'object' || server === null || Array.isArray(server))
    throw new ConfigError(file, ['"server" must be an object. Expected: server: { port: 8080 }, or leave it out.'])
  if (!Array.isArray(plugins)) {
    const advice = typeof plugins === 'function' ? `Call it: plugins: [...${plugins.name || 'defaults'}()].` : 'Expected: plugins: [...].'
    throw new ConfigError(file, [`"plugins" must be an array. ${advice}`])
  }
  return config as GatewayConfig
}

async function flatten(file: string, entries: readonly unknown[]): Promise<readonly PluginUse[]> {
  try {
    const plugins: PluginUse[] = []
    // At once: one may be rejected while another is awaited.
    const settling = entries.map((entry, index) => (isPending(entry) ? named(entry, index) : entry))
    void Promise.allSettled(settling)
    for (const entry of settling) {
      const settled = await entry
      if (Array.isArray(settled)) plugins.push(...(await flatten(file, settled)))
      // Anything that is not a plugin is reported by the gateway when it checks the list.
      else if (settled) {
        plugins.push(settled as PluginUse)
        // At once, because the next entry may fail and quote them.
        addOptionSecrets(processMasks, [settled as PluginUse])
      }
    }
    return plugins
  } catch (error) {
    throw error instanceof ConfigError ? error : new ConfigError(file, problemsOf(error))
  }
}

async function named(entry: PromiseLike<unknown>, index: number): Promise<unknown> {
  try {
    return await entry
  } catch (cause) {
    if (cause instanceof AssemblyError || cause instanceof ConfigError || cause instanceof AggregateError) throw cause
    throw new Error(`#${index + 1} in \`plugins\` is a promise that was rejected: ${thrownMessage(cause)}`, { cause })
  }
}

const serverRules: SchemaRules = {
  name: 'server',
  // The schema is part of the product, so checking it would only slow down every start.
  options: { allErrors: true, verbose: true, useDefaults: true, meta: false, validateSchema: false },
  formats: Object.fromEntries(Object.entries(serverFormats).map(([name, { accepts }]) => [name, accepts])),
}
const expectedFormats = Object.fromEntries(Object.entries(serverFormats).map(([name, { expected }]) => [name, expected]))
const serverValidator = lazyValidator<ServerOptions>(serverSchema, serverRules)

function readServer(input: unknown, override: ServerInput): { readonly server: ServerOptions; readonly problems: readonly string[] } {
  const validate = serverValidator()
  const server: unknown = typeof input === 'object' ? overridden(input ?? {}, override) : (input ?? overridden({}, override))
  processMasks.addSecrets(serverSchema, server)
  const vain = vainOverrides(input, override)
  if (validate(server) && vain.length === 0) return { server, problems: [] }
  const problems = [...optionProblems(validate.errors ?? [], serverSchema, { root: 'server', formats: expectedFormats }), ...vain]
  const fallback: unknown = {}
  validate(fallback)
  return { server: fallback as ServerOptions, problems }
}

/** The command line may set a part of `admin`. A value that is not an object stays, so that it is reported. */
function overridden(input: object, override: ServerInput): object {
  const { admin } = input as { readonly admin?: unknown }
  const joined = admin === undefined || isObject(admin) ? { ...admin, ...override.admin } : admin
  return { ...input, ...override, ...(override.admin && { admin: joined }) }
}

function vainOverrides(input: unknown, { admin }: ServerInput): readonly string[] {
  if (!admin || !isObject(input) || input['admin'] !== false) return []
  return [
    'server.admin is false, so there is no address that --admin-host and --admin-port could change. Leave them out, or remove admin: false',
  ]
}

/** Paths are relative to the config, not to where the command runs. */
function withPathsFrom(folder: string, server: ServerOptions): ServerOptions {
  const { tls, extraCaFile } = server
  if (!tls && extraCaFile === undefined) return server
  return {
    ...server,
    ...(tls && { tls: { ...tls, cert: resolve(folder, tls.cert), key: resolve(folder, tls.key) } }),
    ...(extraCaFile !== undefined && { extraCaFile: resolve(folder, extraCaFile) }),
  }
}
