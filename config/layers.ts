import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PluginUse } from '../core/index.ts'
import { isObject, type JsonObject } from '../core/foundation/json.ts'
import { nearest } from '../core/foundation/nearest.ts'
import { addOptionSecrets } from '../core/framework/option-secrets.ts'
import { pluginUses } from '../core/framework/plugin-entries.ts'
import { pathsTo } from '../core/validation/paths-to.ts'
import { ConfigError, problemsOf } from './errors.ts'
import { openConfig, type FoundConfig } from './find-config.ts'
import { importFrom } from './import-from.ts'
import { processMasks } from './process-output.ts'
import { serverSchema } from './schema.ts'

/** A config with what it extends. */
export interface Layers {
  readonly server: JsonObject
  readonly plugins: readonly PluginUse[]
  /** By the path of each setting in `server`, such as `timeouts.connectMs`, the file that sets it. */
  readonly settingFiles: ReadonlyMap<string, string>
}

/** Reads a config and what it extends. `chain`: the files on the way here, for a cycle. */
export async function readLayers(found: FoundConfig, isFresh: boolean, chain: readonly FoundConfig[] = []): Promise<Layers> {
  const { file, path } = found
  if (chain.some(each => each.path === path)) {
    const loop = [...chain.slice(chain.findIndex(each => each.path === path)), found].map(each => each.file)
    throw new ConfigError(chain[0]!.file, [`It extends itself: ${loop.join(' → ')}. Remove one of these lines`])
  }
  const config = checked(await found.value(), file, chain.length > 0)
  const bases: Layers[] = []
  for (const name of namesIn(config['extends'], file))
    bases.push(await readLayers(await baseAt(name, found, isFresh), isFresh, [...chain, found]))
  const plugins = await flatten(file, (config['plugins'] ?? []) as readonly unknown[])
  const server = (config['server'] ?? {}) as JsonObject
  const own: Layers = {
    server,
    plugins: plugins.map(use => located(use, file)),
    settingFiles: new Map(pathsIn(server).map(name => [name, file])),
  }
  return [...bases, own].reduce(joined)
}

function located(use: PluginUse, file: string): PluginUse {
  return isObject(use) && use.plugin && !use.origin ? { ...use, origin: { file } } : use
}

/** Later layers win: member by member in `server`, plugin by plugin in `plugins`. */
function joined(base: Layers, over: Layers): Layers {
  const replaced = new Map(over.plugins.map(use => [identityOf(use), use]))
  const kept = base.plugins.map(use => replaced.get(identityOf(use)) ?? use)
  const added = over.plugins.filter(use => !kept.includes(use))
  return {
    server: merged(base.server, over.server),
    plugins: [...kept, ...added],
    settingFiles: new Map([...base.settingFiles, ...over.settingFiles]),
  }
}

/** The same plugin with the same instance. Anything else is itself alone. */
function identityOf(use: PluginUse): unknown {
  try {
    const { plugin, options } = use
    return `${plugin.name} ${plugin.instance?.(options) ?? ''}`
  } catch {
    return use
  }
}

function merged(base: JsonObject, over: JsonObject): JsonObject {
  const members = Object.entries(over).filter(([, value]) => value !== undefined)
  return {
    ...base,
    ...Object.fromEntries(
      members.map(([name, value]) => {
        const under = base[name]
        return [name, isObject(under) && isObject(value) ? merged(under, value) : value]
      }),
    ),
  }
}

/** An object and all members of it. */
function pathsIn(value: JsonObject, root = ''): readonly string[] {
  return Object.entries(value).flatMap(([name, each]) => [`${root}${name}`, ...(isObject(each) ? pathsIn(each, `${root}${name}.`) : [])])
}

function namesIn(given: unknown, file: string): readonly string[] {
  const names = given === undefined ? [] : ([given].flat() as readonly unknown[])
  if (names.every(name => typeof name === 'string' && name !== '')) return names as readonly string[]
  throw new ConfigError(file, [
    '"extends" must be the path of a config or the name of a package, or a list of them, such as "./base.yaml".',
  ])
}

async function baseAt(name: string, { path, file }: FoundConfig, isFresh: boolean): Promise<FoundConfig> {
  try {
    if (/^\.{0,2}\//.test(name)) return await openConfig(resolve(dirname(path), name), isFresh, true)
    const { exports, url } = await importFrom(name, path, isFresh)
    const module = fileURLToPath(url)
    return { path: module, file: `${name} (${relative(process.cwd(), module)})`, value: async () => await exports['default'] }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'ERR_MODULE_NOT_FOUND' ? 'there is no such package here. A file begins with ./' : problemsOf(error).join('; ')
    throw new ConfigError(file, [`It extends "${name}": ${reason}`])
  }
}

/** A base may set options of the server alone. */
function checked(config: unknown, file: string, isBase: boolean): JsonObject {
  const isModule = /\.m?[jt]s$|\)$/.test(file)
  const expected = isModule ? 'Expected: export default defineConfig({ plugins: [...] })' : 'Expected: { "plugins": ["defaults"] }'
  if (config === undefined || config === null || typeof config !== 'object') {
    if (!isModule) throw new ConfigError(file, [`It has no object. ${expected}.`])
    const found =
      config === undefined ? 'It has no default export' : `Its default export is ${config === null ? 'null' : `a ${typeof config}`}`
    throw new ConfigError(file, [`${found}. ${expected}.`])
  }
  if (Array.isArray(config)) throw new ConfigError(file, [`It is an array. ${expected}.`])
  const sections = ['server', 'plugins', 'extends']
  if ('apiVersion' in config && 'plugin' in config)
    throw new ConfigError(file, [`It is a plugin, not a config. ${expected}, with the plugin in the list.`])
  const unknown = Object.keys(config).find(key => !sections.includes(key))
  if (unknown !== undefined) throw new ConfigError(file, [unknownSection(unknown)])
  const {
    plugins,
    server = {},
    extends: base,
  } = config as { readonly plugins?: unknown; readonly server?: unknown; readonly extends?: unknown }
  if (typeof server !== 'object' || server === null || Array.isArray(server))
    throw new ConfigError(file, ['"server" must be an object. Expected: server: { port: 8080 }, or leave it out.'])
  if (!Array.isArray(plugins) && !(plugins === undefined && (isBase || base !== undefined))) {
    const advice = typeof plugins === 'function' ? `Call it: plugins: [...${plugins.name || 'defaults'}()].` : 'Expected: plugins: [...].'
    throw new ConfigError(file, [`"plugins" must be an array. ${advice}`])
  }
  return config as JsonObject
}

function unknownSection(name: string): string {
  const start = `It has an unknown section "${name}".`
  const [place] = pathsTo(name, serverSchema)
  if (place !== undefined) return `${start} Set server.${place} instead.`
  const near = nearest(name, ['server', 'plugins', 'extends'])
  return `${start} Expected only server and plugins${near[0] === 'extends' ? ', and perhaps extends' : ''}.`
}

async function flatten(file: string, entries: readonly unknown[]): Promise<readonly PluginUse[]> {
  try {
    // Secrets at once, because the next entry may fail and quote them.
    return await pluginUses(entries, use => addOptionSecrets(processMasks, [use]))
  } catch (error) {
    throw error instanceof ConfigError ? error : new ConfigError(file, problemsOf(error))
  }
}
