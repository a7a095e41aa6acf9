import { inspect } from 'node:util'
import type { Masks } from './masks.ts'

/**
 * Masks secrets in a thrown value, so that nothing that prints it shows them: in an error's message and stack, in its other members, and
 * in the errors behind it. Errors are changed in place, so that they keep their identity. What else holds a secret is replaced by its text.
 */
export function maskThrown(thrown: unknown, masks: Masks): unknown {
  return masked(thrown, masks, new Set())
}

function masked(value: unknown, masks: Masks, seen: Set<object>): unknown {
  if (typeof value === 'string') return masks.apply(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Error) return maskedError(value, masks, seen)
  // An array that holds errors keeps them, such as that of an AggregateError.
  if (Array.isArray(value) && value.some(each => each instanceof Error)) return value.map(each => masked(each, masks, seen))
  const shown = textOf(value)
  const text = masks.apply(shown)
  return text === shown ? value : text
}

function maskedError(error: Error, masks: Masks, seen: Set<object>): Error {
  if (seen.has(error)) return error
  seen.add(error)
  // A stack is made when it is first read, with the message of that time.
  for (const key of new Set(['stack', 'message', ...Reflect.ownKeys(error)])) {
    const value = read(error, key)
    const safe = masked(value, masks, seen)
    if (safe === value || same(safe, value)) continue
    const enumerable = Object.prototype.propertyIsEnumerable.call(error, key)
    const isChanged = Reflect.defineProperty(error, key, { value: safe, enumerable, configurable: true, writable: true })
    if (!isChanged) return copyOf(error, masks, seen)
  }
  return error
}

/** Of an error that cannot be changed. */
function copyOf({ name, message, stack, cause }: Error, masks: Masks, seen: Set<object>): Error {
  const copy = new Error(masks.apply(String(message)), { cause: masked(cause, masks, seen) })
  return Object.assign(copy, { name, stack: masks.apply(String(stack)) })
}

function same(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, index) => each === b[index])
}

function read(error: Error, key: PropertyKey): unknown {
  try {
    return error[key as keyof Error]
  } catch {
    return undefined
  }
}

function textOf(value: object): string {
  try {
    return inspect(value, { depth: 4, maxStringLength: Infinity, maxArrayLength: Infinity, breakLength: Infinity })
  } catch {
    return ''
  }
}
