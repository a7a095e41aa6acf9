/**
 * Freezes a value with all plain objects and arrays in it, and returns it: writing to them throws. What is frozen already counts as frozen
 * deeply. Objects of classes within it, such as `Map`, stay as they are.
 */
export function freezeDeeply<T>(value: T): T {
  if (isObjectOrArray(value)) freeze(value)
  return value
}

/** A deeply frozen copy. Objects of classes are not copied. */
export function frozenCopy<T>(value: T): T {
  return copyOf(value) as T
}

function freeze(value: object): void {
  // First, for a value that contains itself.
  Object.freeze(value)
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) freezeMember(value[index])
  else for (const name in value) freezeMember(value[name as keyof typeof value])
}

function freezeMember(member: unknown): void {
  if (isObjectOrArray(member) && !Object.isFrozen(member) && isPlain(member)) freeze(member)
}

function copyOf(value: unknown): unknown {
  if (!isObjectOrArray(value) || !isPlain(value)) return value
  if (Array.isArray(value)) return Object.freeze((value as readonly unknown[]).map(copyOf))
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)])))
}

function isObjectOrArray(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}
