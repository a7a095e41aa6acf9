import { isObject } from '../../../core/foundation/json.ts'
import type { Masks } from '../../../core/foundation/masks.ts'
import { hidden, isSecretMember, withoutCredentials, withoutSecrets } from './hidden.ts'

/** A value as it was at a moment: JSON without secrets, and of a long one only the beginning. */
export interface Snapshot {
  readonly text: string
  /** The text is not all of it, so it may not be JSON. */
  readonly isCut: boolean
}

const maxString = 8_000
const maxMembers = 300
/** Of a vector. */
const maxNumbers = 8
export const maxSnapshot = 64_000

export function snapshotOf(value: unknown, masks: Masks): Snapshot {
  let isCut = false
  const shown = function (this: unknown, name: string, given: unknown): unknown {
    // Before `toJSON`, as of a buffer.
    const own: unknown = name === '' ? given : Reflect.get(Object(this), name)
    if (isSecretMember(name) && own !== undefined && own !== null) return hidden
    if (own instanceof Uint8Array) return `(${own.byteLength} bytes)`
    if (own instanceof Error) return { name: own.name, message: own.message }
    if (own instanceof Map) return Object.fromEntries(own)
    if (own instanceof Set) return [...own]
    if (typeof own === 'function') return '(a function)'
    if (typeof own === 'bigint' || typeof own === 'symbol') return String(own)
    if (name === 'headers' && isObject(own)) return withoutCredentials(own)
    if (typeof given === 'string') {
      const safe = withoutSecrets(given, masks)
      if (safe.length <= maxString) return safe
      isCut = true
      return `${safe.slice(0, maxString)}… (${safe.length} characters)`
    }
    if (!Array.isArray(given)) return given
    const most = typeof given[0] === 'number' ? maxNumbers : maxMembers
    return given.length <= most ? given : [...given.slice(0, most), `… (${given.length} in all)`]
  }
  try {
    // Also in the names of members.
    const text = masks.apply(JSON.stringify(value, shown) ?? 'null')
    return text.length <= maxSnapshot ? { text, isCut } : { text: text.slice(0, maxSnapshot), isCut: true }
  } catch {
    // A circle, or a getter that throws.
    return { text: '"(cannot be written as JSON)"', isCut: true }
  }
}
