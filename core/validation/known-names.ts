/** Names of parameters that no schema of a body has. */
const names = new Set('after after_id before_id id interval item key limit order sort stream'.split(' '))
/** Schemas whose names are not read yet: that takes time, and only refusals need it. */
let unread: object[] = []
const leftOut = '…'

/** Makes the names of a schema's members known: whoever wrote the schema chose them, not a caller. */
export function nameMembers(schema: object): void {
  unread.push(schema)
}

/** A path such as `metadata.name` without the names that a caller may have made up: `metadata.…`. */
export function knownPath(path: string): string {
  for (const schema of unread) read(schema, new Set())
  unread = []
  return path.replaceAll(/\[\d{1,5}\]|[^.[\]]+|[[\]]/g, step =>
    (step.startsWith('[') && step.length > 2) || names.has(step) ? step : leftOut,
  )
}

function read(schema: object, seen: Set<object>): void {
  if (seen.has(schema)) return
  seen.add(schema)
  for (const [keyword, value] of Object.entries(schema) as readonly (readonly [string, unknown])[]) {
    if (typeof value !== 'object' || value === null) continue
    if (keyword === 'properties' && !Array.isArray(value)) for (const name of Object.keys(value)) names.add(name)
    read(value, seen)
  }
}
