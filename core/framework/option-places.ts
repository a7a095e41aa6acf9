import { accountFields } from '../contracts/account-fields.ts'
import { snakeCase, type Field } from '../contracts/fields.ts'
import { keyFields } from '../contracts/key-fields.ts'
import { policyFields } from '../contracts/policy.ts'
import { isObject } from '../foundation/json.ts'
import { pathsTo } from '../validation/paths-to.ts'
import type { PluginUse } from './plugin.ts'

/** A plugin and the schema of its options. */
export interface KnownPlugin {
  readonly name: string
  readonly options: object
}

/** Where else options can be set: what finds the right place of one that is in a wrong place. */
export interface OptionPlaces {
  /** The schema of the section `server`. Only configs have one. */
  readonly server?: object
  readonly plugins: readonly KnownPlugin[]
}

/** The plugins of a config, so far as they are plugins. */
export function knownPlugins(uses: readonly PluginUse[]): readonly KnownPlugin[] {
  const plugins = uses.map((use): unknown => use?.plugin).filter(isObject)
  return plugins.flatMap(({ name, options }) => (typeof name === 'string' && isObject(options) ? [{ name, options }] : []))
}

/** Where to set an option that `owner` does not have, as the end of a sentence. `owner`: the name of a plugin, or `server`. */
export function placeOf(option: string, owner: string, { server = {}, plugins }: OptionPlaces): string | undefined {
  if (owner !== 'server') {
    const paths = pathsTo(option, server)
    const own = paths.find(path => path === `${owner}.${option}`) ?? paths.find(path => !path.includes('.'))
    if (own !== undefined) return `set server.${own} in the config instead`
  }
  if (keySettings.includes(option)) return `${option} is set for API keys, teams and organizations: see turnpike keys update --help`
  // A member deep in another plugin has the same name by chance.
  const owners = [
    ...new Set(plugins.filter(each => each.name !== owner && pathsTo(option, each.options).includes(option)).map(({ name }) => name)),
  ]
  if (owners.length === 0) return undefined
  if (owners.length > maxOwners) return `it is an option of ${owners.length} plugins, such as ${owners.slice(0, maxOwners).join(', ')}`
  return `it is an option of ${owners.length === 1 ? 'the plugin' : 'the plugins'} ${owners.join(', ')}`
}

/** As many as are named. */
const maxOwners = 4

const keySettings = [
  ...policyFields,
  ...Object.entries<Field>({ ...accountFields, ...keyFields }).flatMap(([name, { set }]) =>
    set === undefined || name === 'name' ? [] : [name],
  ),
].flatMap(name => [name, snakeCase(name)])
