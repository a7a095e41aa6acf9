import { isObject } from '../../../core/foundation/json.ts'

/** A member that differs between two values. One that is missing is undefined. */
export interface Change {
  /** Such as `input[0].content[1].text`. Empty: the value itself. */
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

const maxChanges = 50

/** The members that a plugin changed, the first ones of many. Those of unchanged objects, which keep their identity, are not looked at. */
export function changesBetween(before: unknown, after: unknown): readonly Change[] {
  const changes: Change[] = []
  compare('', before, after, changes)
  return changes
}

function compare(path: string, before: unknown, after: unknown, changes: Change[]): void {
  if (Object.is(before, after) || changes.length >= maxChanges) return
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++)
      compare(`${path}[${index}]`, before[index], after[index], changes)
  } else if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(path === '' ? name : `${path}.${name}`, before[name], after[name], changes)
  } else changes.push({ path, before, after })
}
