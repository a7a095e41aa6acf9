declare const contract: unique symbol

/** Identifies a service or an extension point of type `T`. Equal across copies of this package, because add-ons may bring their own. */
export type Token<T> = symbol & { readonly [contract]?: T }

export function token<T>(name: string): Token<T> {
  return Symbol.for(`turnpike/${name}`) as Token<T>
}

export function nameOf(token: Token<unknown>): string {
  return (token.description ?? '').replace('turnpike/', '')
}
