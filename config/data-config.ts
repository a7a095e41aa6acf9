import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import { isObject } from '../core/foundation/json.ts'
import { kindOf } from '../core/foundation/kind-of.ts'
import { nearest } from '../core/foundation/nearest.ts'
import { thrownMessage } from '../core/foundation/thrown-message.ts'
import { definitionOf, type Plugin } from '../core/framework/plugin.ts'
import { builtIn, builtInPath } from './built-in.ts'
import { ConfigError } from './errors.ts'
import { importFrom } from './import-from.ts'
import { withVariables } from './references.ts'
import { serverSchema } from './schema.ts'

type Path = readonly (string | number)[]

/** A config in JSON or YAML, with the line of each of its values. */
export interface DataConfig {
  readonly value: unknown
  /** Returns undefined if the file does not have it. */
  readonly lineOf: (path: Path) => number | undefined
}

/** Reads the text of a config. For package.json: its member `gateway`, undefined if it has none. */
export function parseData(path: string, file: string): DataConfig {
  const text = readFileSync(path, 'utf8').replace(/^\ufeff/, '')
  const lines = new LineCounter()
  if (path.endsWith('.json')) checkJson(text, file)
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true })
  const [error] = document.errors
  if (error) throw new ConfigError(file, [`It cannot be read: ${error.message.trim()}`])
  const root: Path = basename(path) === 'package.json' ? ['gateway'] : []
  const all: unknown = document.toJS({ maxAliasCount: 100 })
  const value = root.length === 0 ? all : isObject(all) ? all['gateway'] : undefined
  const lineOf = (steps: Path): number | undefined => {
    const node = document.getIn([...root, ...steps], true) as { readonly range?: readonly number[] } | undefined
    return node?.range ? lines.linePos(node.range[0]!).line : undefined
  }
  return { value, lineOf }
}

function checkJson(text: string, file: string): void {
  try {
    JSON.parse(text)
  } catch (error) {
    // Node.js quotes a piece of the text, which may be a key.
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(thrownMessage(error)) ?? []
    throw new ConfigError(file, [
      `It is not valid JSON${line === undefined ? '' : `: see line ${line}, column ${column}`}. Comments need YAML.`,
    ])
  }
}

/** The config with its variables and plugins in place, as a module would export it. */
export async function fromData({ value, lineOf }: DataConfig, path: string, file: string, isFresh: boolean): Promise<unknown> {
  if (!isObject(value)) return value
  const placeOf = (steps: Path): string => `${file}${lineOf(steps) === undefined ? '' : `:${lineOf(steps)}`}`
  const problems: string[] = []
  const plugins: unknown[] = []
  for (const [index, entry] of (Array.isArray(value['plugins']) ? value['plugins'] : []).entries()) {
    const steps = ['plugins', index]
    try {
      plugins.push(await pluginOf(entry, steps))
    } catch (error) {
      if (error instanceof ConfigError) problems.push(...error.problems)
      else problems.push(`${placeOf(steps)}: ${thrownMessage(error)}`)
    }
  }
  if (problems.length > 0) throw new ConfigError(file, problems)
  const server = 'server' in value ? { server: withVariables(value['server'], serverSchema, steps => placeOf(['server', ...steps])) } : {}
  return { ...value, ...server, ...(Array.isArray(value['plugins']) && { plugins }) }

  async function pluginOf(entry: unknown, steps: Path): Promise<unknown> {
    const [name, options = {}, ...others] = Array.isArray(entry) ? (entry as readonly unknown[]) : [entry]
    if (typeof name !== 'string' || others.length > 0 || !isObject(options)) throw new Error(entryAdvice(entry))
    const given = (schema: unknown): any =>
      withVariables(options, schema, inner => placeOf([...steps, ...(Array.isArray(entry) ? [1, ...inner] : [])]))
    if (name === 'defaults') return (await import('./defaults.ts')).defaults(given({}))
    const plugin = await named(name, path, isFresh)
    const definition = definitionOf(plugin)!
    // Without options where some are needed, the check of the plugins says which.
    const line = lineOf(steps)
    const optionLines = Object.keys(options).map(option => [option, lineOf([...steps, 1, option])] as const)
    return { ...plugin(given(definition.options)), origin: { file, line, lines: Object.fromEntries(optionLines) } }
  }
}

async function named(name: string, path: string, isFresh: boolean): Promise<Plugin<any>> {
  const own = builtInPath(name)
  if (own === undefined && !/[./@]/.test(name)) {
    const near = nearest(name, ['defaults', ...Object.keys(builtIn)])
    // A package may be called as it likes.
    if (near.length > 0 && (await isMissing(name, path, isFresh)))
      throw new Error(`There is no plugin "${name}". Did you mean ${near.join(', ')}?`)
  }
  const { exports } = await imported(own ?? name, name, path, isFresh)
  const { default: found } = exports
  if (definitionOf(found)) return found as Plugin<any>
  const inside = isObject(found) ? found['default'] : undefined
  if (definitionOf(inside)) return inside as Plugin<any>
  throw new Error(`"${name}" ${noPlugin(exports)}`)
}

/** Describes the export of a module that has no plugin. */
function noPlugin(exports: Readonly<Record<string, unknown>>): string {
  const others = Object.keys(exports).filter(each => definitionOf(exports[each]))
  if (others.length > 0) return `exports its plugin as ${others.join(', ')}, and not as its default: a config in TypeScript can import it`
  const { default: found } = exports
  if (found === undefined) return 'has no default export. A plugin module ends in: export default definePlugin({ … })'
  if (isObject(found) && 'apiVersion' in found) return 'exports a plugin that was called already: export what definePlugin returned'
  return `has a default export that is not a plugin, but ${kindOf(found)}. A plugin module ends in: export default definePlugin({ … })`
}

async function imported(specifier: string, name: string, path: string, isFresh: boolean): ReturnType<typeof importFrom> {
  try {
    return await importFrom(specifier, path, isFresh)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_MODULE_NOT_FOUND' && thrownMessage(error).includes(specifier))
      throw new Error(
        `There is no plugin or package "${name}". Install it here with npm, or write a built-in name: turnpike config plugins lists them`,
        {
          cause: error,
        },
      )
    throw error
  }
}

async function isMissing(name: string, path: string, isFresh: boolean): Promise<boolean> {
  try {
    await importFrom(name, path, isFresh)
    return false
  } catch {
    return true
  }
}

/** Quotes no values: they may be keys. */
function entryAdvice(entry: unknown): string {
  const form = 'write "name" or ["name", { options }]'
  if (isObject(entry)) return `A plugin is not an object in a data config (members: ${Object.keys(entry).join(', ')}): ${form}`
  if (Array.isArray(entry) && typeof entry[0] === 'string' && entry.length === 2)
    return `The options of "${entry[0]}" must be an object, got ${kindOf(entry[1])}: ${form}`
  return `An entry of plugins must be a name, or a name and its options, got ${kindOf(entry)}: ${form}`
}
