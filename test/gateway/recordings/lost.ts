import { isObject } from '../../../core/index.ts'

/** Members by their path, such as `choices[].message.content`. */
export interface Changes {
  /** The gateway says these in its own way. */
  readonly changed: RegExp
  /** The gateway adds these. */
  readonly added: RegExp
  /** Of these lists, the gateway has the beginning. */
  readonly cut?: RegExp
}

/** What of a vendor's finished object is not in the gateway's, or is there and is not the vendor's. Members that are null or empty say nothing. */
export function lost(vendors: unknown, served: unknown, changes: Changes, path = ''): readonly string[] {
  if (path !== '' && changes.changed.test(path)) return []
  if (saysNothing(vendors)) return saysNothing(served) || changes.added.test(path) ? [] : [`${path} was added: ${short(served)}`]
  if (Array.isArray(vendors) && Array.isArray(served)) {
    const kept = changes.cut?.test(path) ? vendors.slice(0, served.length) : vendors
    if (kept.length !== served.length || served.length === 0)
      return [`${path} had ${vendors.length} entries, and has ${served.length}: ${short(served)}`]
    return kept.flatMap((each, index) => lost(each, served[index], changes, `${path}[]`))
  }
  if (isObject(vendors) && isObject(served))
    return Object.keys({ ...vendors, ...served }).flatMap(name =>
      lost(vendors[name], served[name], changes, path === '' ? name : `${path}.${name}`),
    )
  return vendors === served ? [] : [`${path} was ${short(vendors)}, and is ${short(served)}`]
}

function saysNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 200)
}
