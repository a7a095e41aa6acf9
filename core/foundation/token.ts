/**
 * Identifies a service or an extension point of type `T`. Equal across copies of this package, because add-ons may bring their own. The
 * member exists for the compiler only, and has a plain name because a unique symbol would differ from copy to copy.
 */
export type Token<T> = symbol & {
  /** Never set. */
  readonly __identifies?: T
}

/** The token for a service that plugins share among themselves, such as `token<Prices>('acme-prices')`. Equal names are one token. */
export function token<T>(name: string): Token<T> {
  return Symbol.for(`${prefix}${name}`) as Token<T>
}

const prefix = 'turnpike/'

/** Without the version of a contract. */
export function nameOf(token: Token<unknown>): string {
  return (token.description ?? '').replace(prefix, '').replace(/@\d+$/, '')
}

/** `stable`: a change that breaks plugins raises the version. `experimental`: any release may change the contract. */
export type Stability = 'stable' | 'experimental'

/** States what plugins have to implement under a token. */
export interface Contract {
  /** As it is imported, such as `KeyStore`. */
  readonly name: string
  /** Raised by changes that break plugins. */
  readonly version: number
  /** Plugins that were written for this version or a later one load. Without it, only those for `version`. */
  readonly oldest?: number
  /** `experimental`: any release may change it. */
  readonly stability: Stability
}

declare const stated: unique symbol

/** A token whose contract is stated. */
export type ContractToken<T> = Token<T> & { readonly [stated]: true }

const contracts = new Map<Token<any>, Contract>()

/**
 * A token for what plugins implement: an extension point, or a service of theirs. It names the version too, so copies of this package with
 * other versions of a contract do not take one for the other.
 */
export function contract<T>(name: string, terms: Omit<Contract, 'name'>): ContractToken<T> {
  const made = token<T>(`${name}@${terms.version}`) as ContractToken<T>
  contracts.set(made, { name: importedName(name), ...terms })
  return made
}

function importedName(name: string): string {
  return name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns undefined for services that plugins define among themselves, and for those of core. */
export function contractOf(token: ContractToken<any>): Contract
export function contractOf(token: Token<any>): Contract | undefined
export function contractOf(token: Token<any>): Contract | undefined {
  return contracts.get(token)
}

/** The contract of a token that another copy of this package made, if this one has no contract of that name and version. */
export function foreignContractOf(token: Token<any>): Pick<Contract, 'name' | 'version'> | undefined {
  const [, name, version] = /^turnpike\/(.+)@(\d+)$/.exec(token.description ?? '') ?? []
  if (name === undefined || contracts.has(token)) return undefined
  return { name: importedName(name), version: Number(version) }
}

/** The token of this copy for one that another copy made with an earlier version of the contract, if that version still loads. */
export function currentToken<T>(token: Token<T>): Token<T> {
  const foreign = typeof token === 'symbol' ? foreignContractOf(token) : undefined
  if (!foreign) return token
  const fits = ({ name, version, oldest = version }: Contract): boolean =>
    name === foreign.name && foreign.version >= oldest && foreign.version <= version
  const [current] = [...contracts].find(([, contract]) => fits(contract)) ?? [token]
  return current as Token<T>
}
