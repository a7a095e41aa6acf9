import type { JsonObject } from '../../../../core/index.ts'

/** Members of vendors' bodies that grow with a conversation. */
const growing = new Set(['messages', 'input', 'contents', 'documents'])

/** In what the beginning of a longer body differs from a shorter one: nothing, if a vendor's cache may serve it. */
export function changes(shorter: string, longer: string): readonly string[] {
  const [before, after] = [read(shorter), read(longer)]
  return Object.keys({ ...before, ...after }).flatMap(member => {
    const [one, other] = [before[member], after[member]]
    if (!growing.has(member)) return JSON.stringify(one) === JSON.stringify(other) ? [] : [said(member, one, other)]
    return changesOfList(member, (one ?? []) as readonly unknown[], (other ?? []) as readonly unknown[])
  })
}

/** The bytes are those of `JSON.stringify`, so that its pieces are pieces of them. */
function read(text: string): JsonObject {
  const body = JSON.parse(text) as JsonObject
  if (JSON.stringify(body) !== text) throw new Error(`another form of JSON than JSON.stringify writes: ${text}`)
  return JSON.parse(text, withoutMark) as JsonObject
}

/** Marks of what to cache are no content, and callers move them to the end with every request. */
function withoutMark(name: string, value: unknown): unknown {
  if (name === 'cache_control') return undefined
  return Array.isArray(value) ? value.filter(each => !(typeof each === 'object' && each !== null && 'cachePoint' in each)) : value
}

function changesOfList(member: string, before: readonly unknown[], after: readonly unknown[]): readonly string[] {
  return before.flatMap((element, index) => {
    const [one, other] = [JSON.stringify(element), JSON.stringify(after[index]) ?? '']
    const isSame = index === before.length - 1 ? other.startsWith(unclosed(one)) : one === other
    return isSame ? [] : [said(`${member}[${index}]`, element, after[index])]
  })
}

/** What follows may still belong to the last message: it goes on where its brackets were closed. */
function unclosed(message: string): string {
  return message.replace(continuedMark, '}').replace(/["}\]]+$/, '')
}

/** Mistral demands it of an answer at the end, and nowhere else. */
const continuedMark = /,"prefix":true}$/

function said(place: string, before: unknown, after: unknown): string {
  return `${place} was ${JSON.stringify(before)}, and is ${JSON.stringify(after)}`
}
