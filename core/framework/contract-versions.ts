import type { Logger } from '../foundation/logger.ts'
import { nearest } from '../foundation/nearest.ts'
import { isObject } from '../foundation/json.ts'
import { contractOf, type Contract, type Token } from '../foundation/token.ts'
import { extensionPoints } from './extension-points.ts'
import type { PluginDefinition } from './plugin.ts'
import { checkedServices } from './service-shapes.ts'
import { show } from './shape.ts'

/** Every contract that plugins implement, extension points first. */
export const contracts: readonly Contract[] = [...extensionPoints.map(({ token }) => token), ...checkedServices].map(token =>
  contractOf(token),
)

/** The reason why the plugin does not fit the contracts of this gateway, if there is one. */
export function contractProblem({ contracts: stated = {} }: PluginDefinition): string | undefined {
  if (!isObject(stated))
    return `has a bad \`contracts\`: expected versions by the names of contracts, such as { Providers: 1 }, got ${show(stated)}`
  for (const [name, version] of Object.entries(stated)) {
    if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1)
      return `has a bad \`contracts.${name}\`: expected the version that the plugin was written for, such as 1, got ${show(version)}`
    const served = contracts.find(contract => contract.name === name)
    if (!served) return `was written for version ${version} of the contract ${name}, which this turnpike does not have. ${remedyFor(name)}`
    const { version: newest, oldest = newest } = served
    if (version >= oldest && version <= newest) continue
    const remedy = version > newest ? 'Update turnpike' : 'Update the plugin'
    const has = oldest === newest ? `has version ${newest}` : `takes versions ${oldest} to ${newest}`
    return `was written for version ${version} of the contract ${name}, and this turnpike ${has}. ${remedy}`
  }
  return undefined
}

function remedyFor(name: string): string {
  const [similar] = nearest(
    name,
    contracts.map(contract => contract.name),
  )
  return similar === undefined ? 'Update turnpike' : `Update turnpike, or write ${similar} if that was meant`
}

/** Warns once about all plugins that were written for an earlier version of a contract, which still loads. */
export function warnOfEarlierVersions(plugins: readonly { readonly name: string; readonly plugin: PluginDefinition }[], log: Logger): void {
  const uses = plugins.flatMap(({ name, plugin: { contracts: stated = {} } }) =>
    contracts
      .filter(contract => (stated[contract.name] ?? contract.version) < contract.version)
      .map(contract => `${name}: ${contract.name} ${stated[contract.name]}, now ${contract.version}`),
  )
  if (uses.length === 0) return
  log.warn('plugins use earlier versions of contracts: they load until the next major version of turnpike. Update the plugins', { uses })
}

/** Collects which plugins use an experimental contract that they do not name in their `contracts`. */
export class ExperimentalUses {
  readonly #uses = new Set<string>()

  add(plugin: string, { contracts: stated }: PluginDefinition, token: Token<any>): void {
    const contract = contractOf(token)
    if (contract?.stability === 'experimental' && !(stated && contract.name in stated)) this.#uses.add(`${plugin}: ${contract.name}`)
  }

  /** Warns once, for all plugins. */
  warn(log: Logger): void {
    if (this.#uses.size === 0) return
    const advice = 'any release may change them. Plugins that name the version in `contracts` are not listed here'
    log.warn(`plugins use experimental contracts: ${advice}`, { uses: [...this.#uses] })
  }
}
