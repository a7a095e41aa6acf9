import { isObject } from '../../core/index.ts'

/** A dotted path, split once. */
export type MemberPath = readonly string[]

export function memberPath(dotted: string | undefined): MemberPath {
  return dotted === undefined || dotted === '' ? [] : dotted.split('.')
}

/** The value at a path. Undefined if a step is missing. A number is a place in a list. */
export function valueAt(body: unknown, path: MemberPath): unknown {
  let value = body
  for (const step of path) {
    if (Array.isArray(value)) value = (value as readonly unknown[])[Number(step)]
    else if (isObject(value)) value = value[step]
    else return undefined
  }
  return value
}
