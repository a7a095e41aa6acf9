import { invalidRequest, type GatewayError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { pathText } from '../validation/path.ts'

/** The maximum nesting of objects and arrays. */
export const maxDepth = 128
/** Per object, and per array. */
export const maxMembers = 10_000
export const maxElements = 50_000
/** Members and elements in the whole body. */
export const maxValues = 250_000
/**
 * Object shapes in a body. A shape is the sequence of an object's names so far. A new shape costs the engine fifty times as much as
 * another object of a known shape. The engine keeps no shape for an object with many members, so each such object counts.
 */
export const maxShapes = 20_000
const manyMembers = 1_000

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

// The open list or object at each depth. All scans share these arrays, because scans are synchronous.
const isList = new Uint8Array(maxDepth + 1)
/** The number of commas or names at each depth. */
const counts = new Uint32Array(maxDepth + 1)
/** Where the last string began. When a value opens inside an object, that string was its name. */
const lastString = new Int32Array(maxDepth + 1)
const shapes = new Int32Array(maxDepth + 1)

/**
 * Throws a 400 for JSON that would block the event loop, before it is parsed. The error names the object or array by its path.
 * One pass over the text that skips strings. Invalid JSON is left to the parser. `most`: members and elements in the whole body.
 */
export function checkJsonLimits(text: string, most = maxValues): void {
  let depth = 0
  let values = 0
  /** In objects, which is at least as many as there are names. */
  let members = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    // Spaces, and what numbers consist of.
    if (code < quote || (code > comma && code < openList)) continue
    if (code === quote) {
      lastString[depth] = index
      index = endOfString(text, index)
      if (index < 0) return
    } else if (code === comma) {
      if (++values > most) throw tooManyValues(most)
      const inList = isList[depth]
      if (!inList) members++
      const limit = inList ? maxElements : maxMembers
      const count = counts[depth]! + 1
      if (count >= limit && depth > 0) throw tooMany(text, depth)
      counts[depth] = count
    } else if (code === openObject || code === openList) {
      if (depth === maxDepth) throw invalidRequest(wording`The body nests deeper than ${own(maxDepth)} levels.`, undefined, 'invalid_json')
      // The first member or element has no comma before it.
      values++
      depth++
      if (code === openObject) members++
      isList[depth] = code === openList ? 1 : 0
      counts[depth] = 0
    } else if (code === closeObject || code === closeList) {
      if (--depth < 0) return
    }
  }
  if (values > most) throw tooManyValues(most)
  if (members > maxShapes) checkShapes(text)
}

/** The index of the closing quote, or -1. A quote after an odd number of backslashes belongs to the string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0) {
    let slash = end
    while (text.charCodeAt(slash - 1) === backslash) slash--
    if ((end - slash) % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return -1
}

/** Compares shapes by a hash of their names. A collision does no harm. */
function checkShapes(text: string): void {
  const seen = new Set<number>()
  let beyond = 0
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < quote) continue
    if (code === quote) {
      const end = endOfString(text, index)
      if (end < 0) return
      if (isName(text, end)) {
        if (++counts[depth]! > manyMembers) beyond++
        seen.add((shapes[depth] = hashed(text, index, end, shapes[depth]!)))
        if (seen.size + beyond > maxShapes) throw tooManyShapes()
      }
      index = end
    } else if (code === openObject || code === openList) {
      depth++
      counts[depth] = 0
      shapes[depth] = 0
    } else if (code === closeObject || code === closeList) depth--
  }
}

function isName(text: string, end: number): boolean {
  let next = end + 1
  while (text.charCodeAt(next) <= 0x20) next++
  return text.charCodeAt(next) === colon
}

function hashed(text: string, start: number, end: number, seed: number): number {
  let hash = seed
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}

function tooManyValues(most: number): GatewayError {
  return invalidRequest(wording`The body must not have more than ${own(most)} members and elements.`)
}

function tooManyShapes(): GatewayError {
  return invalidRequest(
    wording`The objects of the body have too many different member names, or the same names in too many orders: more than ${own(maxShapes)}.`,
  )
}

function tooMany(text: string, depth: number): GatewayError {
  const path = pathText(Array.from({ length: depth - 1 }, (_, above) => stepFrom(text, above + 1)))
  const limit = isList[depth] ? `${maxElements} elements` : `${maxMembers} members`
  return path === ''
    ? invalidRequest(wording`The body must not have more than ${own(limit)}.`)
    : invalidRequest(wording`Invalid value for '${path}': it must not have more than ${own(limit)}.`, path)
}

/** The step of the path from this depth to the next. */
function stepFrom(text: string, depth: number): string | number {
  if (isList[depth]) return counts[depth]!
  const start = lastString[depth]!
  return text.slice(start + 1, endOfString(text, start))
}
