import { dirname, resolve } from 'node:path'
import type { PluginUse } from '../core/index.ts'
import { lazyValidator, type SchemaRules } from '../core/kit.ts'
import { isObject } from '../core/foundation/json.ts'
import { knownPlugins, placeOf, type KnownPlugin } from '../core/framework/option-places.ts'
import { optionProblems } from '../core/validation/option-problems.ts'
import { MissingVariables } from './env.ts'
import { ConfigError } from './errors.ts'
import { blamePlugins } from './faults.ts'
import { openConfig, searchConfig } from './find-config.ts'
import { readLayers } from './layers.ts'
import { forgetLocalFiles } from './fresh-modules.ts'
import { explain } from './load-failure.ts'
import { packagePlugins } from './package-plugins.ts'
import { processMasks } from './process-output.ts'
import { serverSchema, type ServerInput, type ServerOptions } from './schema.ts'
import { serverFormats } from './server-formats.ts'

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
  /** The settings of the command line. */
  readonly override: ServerInput
  /** By the path of each setting in `server`, such as `timeouts.connectMs`, the file that sets it. */
  readonly settingFiles: ReadonlyMap<string, string>
  readonly path: string
  /** Problems of the `server` section. If there are any, `server` holds the defaults. */
  readonly problems: readonly string[]
}

/**
 * Reads the config at `path`, or the one in the current folder, after the `.env` file next to it. `override` wins over its `server`
 * section. `isFresh`: reads it anew, although it was read before. Throws a `ConfigError`.
 */
export async function loadConfig(path?: string, override: ServerInput = {}, { isFresh = false } = {}): Promise<LoadedConfig> {
  using missing = new MissingVariables()
  if (isFresh) forgetLocalFiles()
  const found = path === undefined ? await searchConfig(isFresh) : await openConfig(path, isFresh)
  const { file } = found
  const [settled] = await Promise.allSettled([readLayers(found, isFresh)])
  // Report these first: an empty variable may have caused the other problems.
  if (missing.errors.length > 0) throw new ConfigError(file, await Promise.all(missing.errors.map(error => explain(error, found.path))))
  if (settled.status === 'rejected') throw settled.reason
  const { plugins, server: given, settingFiles } = settled.value
  blamePlugins(plugins)
  const folder = dirname(found.path)
  const known = knownPlugins(plugins)
  const first = readServer(given, override, known)
  const isLost = first.problems.some(problem => problem.includes('unknown option'))
  const { server, problems } = isLost ? readServer(given, override, [...known, ...(await packagePlugins())]) : first
  return {
    file,
    folder,
    plugins,
    problems,
    given: Object.keys({ ...given, ...override }),
    overridden: Object.keys(override),
    override,
    settingFiles,
    path: found.path,
    server: withPathsFrom(folder, server),
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

function readServer(
  input: unknown,
  override: ServerInput,
  plugins: readonly KnownPlugin[],
): { readonly server: ServerOptions; readonly problems: readonly string[] } {
  const validate = serverValidator()
  const server: unknown = typeof input === 'object' ? overridden(input ?? {}, override) : (input ?? overridden({}, override))
  processMasks.addSecrets(serverSchema, server)
  const vain = vainOverrides(input, override)
  if (validate(server) && vain.length === 0) return { server, problems: [] }
  const problems = [
    ...optionProblems(validate.errors ?? [], serverSchema, {
      root: 'server',
      formats: expectedFormats,
      elsewhere: name =>
        name === 'plugins' || name === 'extends' ? `set ${name} beside server instead` : placeOf(name, 'server', { plugins }),
    }),
    ...vain,
  ]
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
