declare const implementation: unique symbol

/** Identifies a service or an extension point of type `T`. Equal across copies of this package, because add-ons may bring their own. */
export type Token<T> = symbol & { readonly [implementation]?: T }

export function token<T>(name: string): Token<T> {
  return Symbol.for(`turnpike/${name}`) as Token<T>
}

export function nameOf(token: Token<unknown>): string {
  return (token.description ?? '').replace('turnpike/', '')
}

/** `stable`: a change that breaks plugins raises the version. `experimental`: any release may change the contract. */
export type Stability = 'stable' | 'experimental'

/** States what plugins have to implement under a token. */
export interface Contract {
  /** As it is imported, such as `KeyStore`. */
  readonly name: string
  readonly version: number
  /** Plugins that were written for this version or a later one load. Without it, only those for `version`. */
  readonly oldest?: number
  readonly stability: Stability
}

declare const stated: unique symbol

/** A token whose contract is stated. */
export type ContractToken<T> = Token<T> & { readonly [stated]: true }

const contracts = new Map<Token<any>, Contract>()

/** A token for what plugins implement: an extension point, or a service of theirs. */
export function contract<T>(name: string, terms: Omit<Contract, 'name'>): ContractToken<T> {
  const made = token<T>(name) as ContractToken<T>
  contracts.set(made, { name: name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()), ...terms })
  return made
}

/** Returns undefined for services that plugins define among themselves, and for those of core. */
export function contractOf(token: ContractToken<any>): Contract
export function contractOf(token: Token<any>): Contract | undefined
export function contractOf(token: Token<any>): Contract | undefined {
  return contracts.get(token)
}
