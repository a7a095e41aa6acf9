type Member = PropertyKey

/**
 * An object that stands in the place of another: it reads every member from it anew, runs functions on it, and has some members of its own. A
 * proxy could not do that for frozen objects, nor for those with private members.
 */
export function shadow<T extends object>(original: T, own: Partial<T>): T {
  const made: Record<Member, unknown> = {}
  const bound = new Map<Member, { readonly from: unknown; readonly to: unknown }>()
  const read = (name: Member): unknown => {
    const value: unknown = Reflect.get(original, name)
    if (typeof value !== 'function') return value
    const known = bound.get(name)
    if (known?.from === value) return known.to
    const to: unknown = value.bind(original)
    bound.set(name, { from: value, to })
    return to
  }
  for (const name of membersOf(original))
    Object.defineProperty(made, name, {
      enumerable: true,
      configurable: true,
      get: () => read(name),
      set(value) {
        Reflect.set(original, name, value)
      },
    })
  for (const name of Reflect.ownKeys(own)) {
    const value: unknown = Reflect.get(own, name)
    if (value !== undefined) Object.defineProperty(made, name, { enumerable: true, configurable: true, writable: true, value })
  }
  return made as T
}

/** Those of its classes, too. */
function membersOf(original: object): ReadonlySet<Member> {
  const names = new Set<Member>()
  for (let from: object | null = original; from && from !== Object.prototype; from = Object.getPrototypeOf(from))
    for (const name of Reflect.ownKeys(from)) if (name !== 'constructor') names.add(name)
  return names
}
