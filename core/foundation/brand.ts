/**
 * Makes `instanceof` recognize what another copy of this package made, also one of another version: plugins may bring their own. Call
 * it in a static block of the class. Its subclasses have the usual `instanceof`, or a brand of their own.
 */
export function branded(target: abstract new (...args: never[]) => unknown, name: string): void {
  const brand = Symbol.for(`turnpike/${name}`)
  Object.defineProperty(target.prototype, brand, { value: true })
  Object.defineProperty(target, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this !== target) return Function.prototype[Symbol.hasInstance].call(this as () => void, value)
      return typeof value === 'object' && value !== null && brand in value
    },
  })
}
