import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cosmiconfig } from 'cosmiconfig'
import { ConfigError } from './errors.ts'
import { readEnvFile } from './env-file.ts'
import { addLocalFile, freshAddress } from './fresh-modules.ts'
import { explain } from './load-failure.ts'
import './typescript-modules.ts'

/** A config as its file has it. */
export interface FoundConfig {
  readonly path: string
  /** The path for messages. */
  readonly file: string
  /** Throws a `ConfigError`. */
  readonly value: () => Promise<unknown>
}

const endings = ['ts', 'mts', 'js', 'mjs', 'json', 'yaml', 'yml']
const searchPlaces = [...endings.map(ending => `gateway.config.${ending}`), 'package.json']

const makeConfig = 'npx turnpike init'

/** The config of the current folder. Its `.env` file is read first. */
export async function searchConfig(isFresh: boolean): Promise<FoundConfig> {
  const result = await explorer(isFresh).search()
  const found: FoundConfig | null | undefined = result?.config
  if (found) return found
  if (result && basename(result.filepath) !== 'package.json') return await openConfig(result.filepath, isFresh)
  throw new ConfigError(undefined, [
    `There is no ${searchPlaces.slice(0, -1).join(', ')} in ${process.cwd()}, and no member "gateway" in a package.json. Name a file with --config, or make one:\n\n  ${makeConfig}\n`,
  ])
}

/** The config at a path. `isBase`: another config extends it, so the `.env` file beside it does not count. */
export async function openConfig(path: string, isFresh: boolean, isBase = false): Promise<FoundConfig> {
  const absolute = resolve(path)
  if (!existsSync(absolute)) throw new ConfigError(path, ['There is no such file. --config takes the path of a config file.'])
  if (!/\.(m?[jt]s|json|ya?ml)$/.test(path))
    throw new ConfigError(path, ['It cannot be a config. Expected a .ts, .mts, .js, .mjs, .json, .yaml or .yml file.'])
  const result = await explorer(isFresh, isBase).load(absolute)
  const found: FoundConfig | null | undefined = result?.config
  if (found) return found
  if (basename(path) === 'package.json') throw new ConfigError(path, ['It has no member "gateway", which would be the config.'])
  // Cosmiconfig does not load an empty file.
  return configAt(absolute, async () => undefined)
}

function explorer(isFresh: boolean, isBase = false): ReturnType<typeof cosmiconfig> {
  // Node strips types itself. The loaders of cosmiconfig would fall back to require(), which hides the real error.
  const module = async (path: string): Promise<FoundConfig> => {
    if (!isBase) readEnvFile(join(dirname(path), '.env'))
    // Not thrown at once, because cosmiconfig takes some errors for a missing file.
    const [imported] = await Promise.allSettled([import(isFresh ? freshAddress(path) : pathToFileURL(path).href)])
    return configAt(path, async file => {
      if (imported.status === 'rejected') throw new ConfigError(file, [await explain(imported.reason, path)])
      return await (imported.value as { readonly default?: unknown }).default
    })
  }
  const data = async (path: string): Promise<unknown> => {
    const found = configAt(path, async file => {
      const { fromData, parseData } = await import('./data-config.ts')
      return await fromData(parseData(path, file), path, file, isFresh)
    })
    // Cosmiconfig takes the member.
    if (basename(path) !== 'package.json') {
      if (!isBase) readEnvFile(join(dirname(path), '.env'))
    } else {
      const { parseData } = await import('./data-config.ts')
      if (parseData(path, found.file).value === undefined) return {}
      if (!isBase) readEnvFile(join(dirname(path), '.env'))
      return { gateway: found }
    }
    return found
  }
  return cosmiconfig('gateway', {
    searchPlaces,
    searchStrategy: 'none',
    ignoreEmptySearchPlaces: false,
    packageProp: 'gateway',
    loaders: { '.ts': module, '.mts': module, '.js': module, '.mjs': module, '.json': data, '.yaml': data, '.yml': data },
  })
}

function configAt(path: string, read: (file: string) => Promise<unknown>): FoundConfig {
  const file = relative(process.cwd(), path) || path
  addLocalFile(path)
  return { path, file, value: () => read(file) }
}
