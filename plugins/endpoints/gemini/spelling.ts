import { invalidRequest, isObject, type JsonObject } from '../../../core/index.ts'
import { wording } from '../../../core/kit.ts'

/** The members of a message of this API whose names it knows. `true`: the value is taken as it is. Lists have the shape of their elements. */
export type Shape = { readonly [member: string]: Shape | true }

/**
 * The same value with the names of known members in camel case, because this API takes both spellings, and without nulls, which mean the
 * same as nothing. Throws a 400 if a member is there in both spellings.
 */
export function camelCased(value: unknown, shape: Shape, path = ''): unknown {
  if (Array.isArray(value)) {
    const list = value as readonly unknown[]
    const changed = list.map((each, index) => camelCased(each, shape, `${path}[${index}]`))
    return changed.every((each, index) => each === list[index]) ? list : changed
  }
  if (!isObject(value)) return value
  let isChanged = false
  const result: Record<string, unknown> = {}
  for (const name in value) {
    const member = value[name]
    if (member === null) {
      isChanged = true
      continue
    }
    const known = Object.hasOwn(shape, name) ? name : name.includes('_') ? camelCase(name, shape) : name
    if (known !== name) {
      isChanged = true
      if (known in value) throw invalidRequest(wording`${at(path, known)} is there twice: also as ${name}. Send it once.`, at(path, known))
    }
    const inner = Object.hasOwn(shape, known) ? shape[known]! : true
    const read = inner === true ? member : camelCased(member, inner, at(path, known))
    if (read !== member) isChanged = true
    // `__proto__` is a member like any other.
    Object.defineProperty(result, known, { value: read, enumerable: true, writable: true, configurable: true })
  }
  return isChanged ? (result as JsonObject) : value
}

/** Of an unknown member, the name as it is. */
function camelCase(name: string, shape: Shape): string {
  const camel = name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return Object.hasOwn(shape, camel) ? camel : name
}

function at(path: string, member: string): string {
  return path === '' ? member : `${path}.${member}`
}
