import type { Logger } from '../foundation/logger.ts'
import { nearest } from '../foundation/nearest.ts'
import { isObject } from '../foundation/json.ts'
import { contractOf, foreignContractOf, type Contract, type Token } from '../foundation/token.ts'
import { extensionPoints } from './extension-points.ts'
import type { PluginDefinition } from './plugin.ts'
import { checkedServices } from './service-shapes.ts'
import { show } from './shape.ts'

/** Every contract that plugins implement, extension points first. */
export const contracts: readonly Contract[] = [...extensionPoints.map(({ token }) => token), ...checkedServices].map(token =>
  contractOf(token),
)

/** The reason why the plugin does not fit the contracts of this gateway, if there is one. */
export function contractProblem({ contracts: stated = {}, needs = {}, wants = {} }: PluginDefinition): string | undefined {
  if (!isObject(stated))
    return `has a bad \`contracts\`: expected versions by the names of contracts, such as { Providers: 1 }, got ${show(stated)}`
  for (const [name, version] of Object.entries(stated)) {
    if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1)
      return `has a bad \`contracts.${name}\`: expected the version that the plugin was written for, such as 1, got ${show(version)}`
    const problem = versionProblem(name, version)
    if (problem !== undefined) return problem
  }
  for (const token of [...Object.values({ ...needs }), ...Object.values({ ...wants })]) {
    const problem = tokenProblem(token)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** The reason why the plugin cannot use a token, if it is from a copy of turnpike-sdk with another version of the contract. */
export function tokenProblem(token: Token<any>): string | undefined {
  const contract = typeof token === 'symbol' ? foreignContractOf(token) : undefined
  return contract && versionProblem(contract.name, contract.version)
}

function versionProblem(name: string, version: number): string | undefined {
  const served = contracts.find(contract => contract.name === name)
  if (!served) return `was written for version ${version} of the contract ${name}, which this turnpike does not have. ${remedyFor(name)}`
  const { version: newest, oldest = newest } = served
  if (version >= oldest && version <= newest) return undefined
  const remedy = version > newest ? 'Update turnpike' : 'Update the plugin'
  const has = oldest === newest ? `has version ${newest}` : `takes versions ${oldest} to ${newest}`
  return `was written for version ${version} of the contract ${name}, and this turnpike ${has}. ${remedy}`
}

function remedyFor(name: string): string {
  const [similar] = nearest(
    name,
    contracts.map(contract => contract.name),
  )
  return similar === undefined ? 'Update turnpike' : `Update turnpike, or write ${similar} if that was meant`
}

/** Collects which plugins were written for an earlier version of a contract, which still loads. */
export class EarlierVersions {
  readonly #uses = new Set<string>()

  /** Adds the versions that the plugin states. */
  addStated(plugin: string, { contracts: stated = {} }: PluginDefinition): void {
    for (const { name, version } of contracts) this.#add(plugin, name, stated[name] ?? version, version)
  }

  /** Adds a token that the plugin took from its own copy of turnpike-sdk. */
  addUsed(plugin: string, token: Token<any>): void {
    const used = typeof token === 'symbol' ? foreignContractOf(token) : undefined
    const served = used && contracts.find(({ name }) => name === used.name)
    if (served) this.#add(plugin, served.name, used.version, served.version)
  }

  #add(plugin: string, name: string, version: number, newest: number): void {
    if (version < newest) this.#uses.add(`${plugin}: ${name} ${version}, now ${newest}`)
  }

  /** Warns once, for all plugins. */
  warn(log: Logger): void {
    if (this.#uses.size === 0) return
    const advice = 'they load until the next major version of turnpike. Update the plugins'
    log.warn(`plugins use earlier versions of contracts: ${advice}`, { uses: [...this.#uses] })
  }
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
