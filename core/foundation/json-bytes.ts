/** For a member's name, a number and the like. */
const smallBytes = 16

/** About how large a value is as JSON. Stops counting when it is more than `enough`. */
export function jsonBytes(value: unknown, enough = Infinity): number {
  let bytes = 0
  const open = [value]
  while (open.length > 0 && bytes <= enough) {
    const next = open.pop()
    bytes += smallBytes
    if (typeof next === 'string') bytes += next.length
    else if (Array.isArray(next)) for (const each of next) open.push(each)
    else if (typeof next === 'object' && next !== null) for (const each of Object.values(next)) open.push(each)
  }
  return bytes
}
