import type { OptionFacts, PluginFacts } from '../../contracts/admin-route.ts'
import { isObject } from '../../foundation/json.ts'
import { SecretSchema } from '../../foundation/secret-schema.ts'
import { contractOf, nameOf, token } from '../../foundation/token.ts'
import { contracts } from '../../framework/contract-versions.ts'
import type { Contribution } from '../../framework/contributions.ts'
import type { CheckedPlugin } from '../../framework/checked-plugins.ts'
import type { PluginUse } from '../../framework/plugin.ts'

/** The facts about the config that the admin API shows. */
export interface AdminFacts {
  readonly plugins: readonly PluginFacts[]
  readonly settings: readonly OptionFacts[]
}
export const AdminFacts = token<AdminFacts>('admin-facts')

export function pluginFacts(
  plugins: readonly CheckedPlugin[],
  uses: readonly PluginUse[],
  contributions: readonly Contribution[],
  variables: ReadonlyMap<string, string>,
): readonly PluginFacts[] {
  return plugins.map(({ name, plugin, isDefault, options, provides }) => {
    // A plugin may be used more than once. What matters is whether any of its uses sets an option.
    const given = uses.filter(use => use.plugin === plugin && (use.isDefault ?? false) === isDefault)
    const originOf = (option: string, value: unknown): OptionOrigin => {
      const origin: OptionOrigin = given.some(use => option in use.options) ? originIn(variables, value) : { source: 'default' }
      return isDefault && origin.source === 'config' ? { source: 'default' } : origin
    }
    const added = contributions.filter(each => each.plugin === name)
    const implemented = new Set([...added.map(({ contract }) => contract), ...provides.map(service => contractOf(service)?.name)])
    return {
      name,
      options: optionFacts(options, plugin.options, originOf),
      provides: provides.map(nameOf),
      contracts: contracts.filter(contract => implemented.has(contract.name)),
      contributions: added.map(({ point, name: contribution }) => ({ point, name: contribution })),
    }
  })
}

export type OptionOrigin = Pick<OptionFacts, 'source' | 'variables'>

/** The options by name, with secrets masked. */
export function optionFacts(
  options: object,
  schema: object,
  originOf: (option: string, value: unknown) => OptionOrigin,
): readonly OptionFacts[] {
  const secrets = new SecretSchema([schema])
  return Object.entries(options).map(([name, value]) => ({
    name,
    value: masked(value, secrets.member(name)),
    ...originOf(name, value),
  }))
}

/** A shorter value would be in several options by chance. */
const shortestValue = 3

/** Where a value of the config comes from: the variables that the config read, and whose value it is or contains. */
export function originIn(variables: ReadonlyMap<string, string>, value: unknown): OptionOrigin {
  const given = new Set(textsIn(value).filter(text => text.length >= shortestValue))
  // A variable may hold a list.
  const isFrom = (text: string): boolean => given.has(text) || text.split(',').some(part => given.has(part.trim()))
  const names = [...variables].filter(([, text]) => isFrom(text)).map(([name]) => name)
  return names.length > 0 ? { source: 'environment', variables: names } : { source: 'config' }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  // An instance of a class may contain itself.
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype ? Object.values(value).flatMap(textsIn) : []
}

/** Functions become null. What is in a `writeOnly` member is `***`. */
function masked(value: unknown, secrets: SecretSchema): unknown {
  if (typeof value === 'string') return secrets.isSecret ? '***' : withoutCredentials(value)
  if (Array.isArray(value)) return value.map((each, index) => masked(each, secrets.entry(index)))
  if (typeof value === 'number') return secrets.isSecret ? '***' : value
  if (!isObject(value)) return typeof value === 'boolean' ? value : null
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, masked(each, secrets.member(name))]))
}

/** A URL may hold a user name and a password, and its query a token. */
function withoutCredentials(text: string): string {
  if (!/^\w[\w+.-]*:\/\//.test(text)) return text
  return text.replace(/^([^:]+:\/\/)[^/@\s]+@/, '$1***@').replaceAll(/([?&][^=&#]*=)[^&#]*/g, '$1***')
}
