import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { CheckedPlugin } from '../../core/framework/checked-plugins.ts'
import { isObject } from '../../core/foundation/json.ts'
import { optionFacts, originIn, type OptionOrigin } from '../../core/server/admin/facts.ts'
import { readVariables } from '../env.ts'
import type { LoadedConfig } from '../load.ts'
import { serverSchema } from '../schema.ts'

/** A setting or an option: what counts, and where it comes from. */
export interface ExplainedValue {
  /** Such as `server.port`, `prometheus.open` or `openai-chat(acme).timeouts.connectMs`. */
  readonly name: string
  /** Secrets are `***`. */
  readonly value: unknown
  readonly source: 'default' | 'config' | 'extends' | 'preset' | 'environment' | 'flag' | 'defaults()'
  /** The file that sets it or lists its plugin. */
  readonly file?: string
  readonly line?: number
  /** The environment variables whose values it is or contains. */
  readonly variables?: readonly string[]
  readonly preset?: string
}

type Origin = Omit<ExplainedValue, 'name' | 'value'>

/** Every setting of `server`, then every option of every plugin. */
export function explainConfig(config: LoadedConfig, plugins: readonly CheckedPlugin[]): readonly ExplainedValue[] {
  return [...explainServer(config), ...plugins.flatMap(plugin => explainPlugin(plugin, config))]
}

function explainServer({ server, settingFiles, override, file, path: configPath }: LoadedConfig): readonly ExplainedValue[] {
  const variables = readVariables()
  const originOf = (steps: readonly string[], value: unknown): Origin => {
    const path = steps.join('.')
    if (memberAt(override, steps) !== undefined) return { source: 'flag' }
    const setIn = settingFiles.get(path)
    if (setIn === undefined) return { source: 'default' }
    const found = originIn(variables, value)
    const place = { file: setIn, ...lineIn(setIn === file ? configPath : setIn, steps.at(-1)!) }
    return found.source === 'environment' ? { ...sourceOf(found), ...place } : { source: setIn === file ? 'config' : 'extends', ...place }
  }
  return explainAll('server', server, serverSchema, originOf)
}

/** Of an object, each member: one may be a default while another is set. */
function explainAll(
  owner: string,
  options: object,
  schema: object,
  originOf: (steps: readonly string[], value: unknown) => Origin,
): readonly ExplainedValue[] {
  const leaves = (steps: readonly string[], shown: unknown, value: unknown): readonly ExplainedValue[] =>
    isObject(shown) && isObject(value) && Object.keys(shown).length > 0
      ? Object.keys(shown).flatMap(name => leaves([...steps, name], shown[name], value[name]))
      : [{ name: [owner, ...steps].join('.'), value: shown, ...originOf(steps, value) }]
  return optionFacts(options, schema, () => ({ source: 'config' })).flatMap(fact =>
    leaves([fact.name], fact.value, memberAt(options, [fact.name])),
  )
}

function memberAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((inner, step) => (isObject(inner) ? inner[step] : undefined), value)
}

function sourceOf({ variables = [] }: OptionOrigin): Origin {
  return { source: 'environment', variables }
}

function explainPlugin(
  { name, plugin, options, given, from, isDefault, origin }: CheckedPlugin,
  config: LoadedConfig,
): readonly ExplainedValue[] {
  const variables = readVariables()
  const originOf = (steps: readonly string[], value: unknown): Origin => {
    const [option = ''] = steps
    if (memberAt(given, steps) === undefined) return { source: 'default' }
    const line = origin?.lines?.[option] ?? origin?.line
    const place = { ...(origin && { file: origin.file }), ...(line !== undefined && { line }) }
    const found = originIn(variables, value)
    if (found.source === 'environment') return { ...sourceOf(found), ...(!isDefault && place), ...(from !== undefined && { preset: from }) }
    if (from !== undefined) return { source: 'preset', preset: from, ...place }
    if (isDefault) return { source: 'defaults()', ...place }
    return { source: origin !== undefined && origin.file !== config.file ? 'extends' : 'config', ...place }
  }
  return explainAll(name, options, plugin.options, originOf)
}

/** The line of a file that sets a member of that name, if there is only one. A config is a program, so no more can be told. */
function lineIn(path: string, name: string): { readonly line?: number } {
  try {
    const lines = readFileSync(path, 'utf8').split('\n')
    const found = lines.flatMap((line, index) => (new RegExp(`(^|[\\s{,'"])${name}['"]?\\s*[:,}]`).test(line) ? [index + 1] : []))
    return found.length === 1 ? { line: found[0]! } : {}
  } catch {
    return {}
  }
}

/** For people: a line for each value. */
export function explanationLines(values: readonly ExplainedValue[]): readonly string[] {
  const width = Math.min(48, Math.max(...values.map(({ name }) => name.length)))
  return values.map(({ name, value, ...origin }) => {
    const shown = isObject(value) || Array.isArray(value) || typeof value === 'string' ? JSON.stringify(value) : String(value)
    return `${name.padEnd(width)}  ${shown}  (${originText(origin)})`
  })
}

function originText({ source, file, line, variables = [], preset }: Origin): string {
  const place = file === undefined ? '' : `${relative('.', file) || file}${line === undefined ? '' : `:${line}`}`
  if (source === 'environment')
    return [`environment: ${variables.join(', ')}`, place, preset && `preset ${preset}`].filter(Boolean).join('; ')
  if (source === 'preset') return [`preset ${preset}`, place].filter(Boolean).join('; ')
  if (source === 'config') return place === '' ? 'config' : place
  return source === 'extends' ? `extends: ${place}` : source
}
