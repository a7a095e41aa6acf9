import { isObject } from '../../../core/index.ts'

/** Members by their path, such as `choices[].message.content`. */
export interface Changes {
  /** The gateway says these in its own way. */
  readonly changed: RegExp
  /** The gateway adds these. */
  readonly added: RegExp
}

/** What of a vendor's finished object is not in the gateway's, or is there and is not the vendor's. Members that are null or empty say nothing. */
export function lost(vendors: unknown, served: unknown, { changed, added }: Changes, path = ''): readonly string[] {
  if (path !== '' && changed.test(path)) return []
  if (saysNothing(vendors)) return saysNothing(served) || added.test(path) ? [] : [`${path} was added: ${short(served)}`]
  if (Array.isArray(vendors) && Array.isArray(served)) {
    if (vendors.length !== served.length) return [`${path} had ${vendors.length} entries, and has ${served.length}: ${short(served)}`]
    return vendors.flatMap((each, index) => lost(each, served[index], { changed, added }, `${path}[]`))
  }
  if (isObject(vendors) && isObject(served))
    return Object.keys({ ...vendors, ...served }).flatMap(name =>
      lost(vendors[name], served[name], { changed, added }, path === '' ? name : `${path}.${name}`),
    )
  return vendors === served ? [] : [`${path} was ${short(vendors)}, and is ${short(served)}`]
}

function saysNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 200)
}
