import { jsonBytes } from './json-bytes.ts'

/** Encoding and encrypting so many characters takes about 2 ms. */
export const pieceCharacters = 256 * 1024

/**
 * The text of `JSON.stringify(value)` in pieces of about `length` characters, so that a value of many megabytes need not be encoded in one
 * turn of the event loop. `value` is plain data and must not change meanwhile.
 */
export function* jsonPieces(value: unknown, length = pieceCharacters): Generator<string, void> {
  let piece = ''
  for (const part of partsOf(value, length)) {
    piece += part
    if (piece.length < length) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

function* partsOf(value: unknown, length: number): Generator<string, void> {
  if (typeof value === 'string') yield* partsOfText(value, length)
  else if (typeof value !== 'object' || value === null || jsonBytes(value, length) <= length) yield JSON.stringify(value) ?? 'null'
  else if (Array.isArray(value)) {
    yield '['
    for (let index = 0; index < value.length; index++) {
      if (index > 0) yield ','
      yield* partsOf(value[index], length)
    }
    yield ']'
  } else {
    let head = '{'
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${head}${JSON.stringify(name)}:`
      yield* partsOf(member, length)
      head = ','
    }
    yield head === '{' ? '{}' : '}'
  }
}

function* partsOfText(text: string, length: number): Generator<string, void> {
  if (text.length <= length) return yield JSON.stringify(text)
  yield '"'
  for (let start = 0; start < text.length;) {
    const end = endOf(text, Math.min(text.length, start + length))
    yield JSON.stringify(text.slice(start, end)).slice(1, -1)
    start = end
  }
  yield '"'
}

/** Half of a surrogate pair would be escaped. */
function endOf(text: string, end: number): number {
  return isBetween(text.charCodeAt(end - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(end), 0xdc00, 0xdfff) ? end + 1 : end
}

function isBetween(code: number, first: number, last: number): boolean {
  return code >= first && code <= last
}
