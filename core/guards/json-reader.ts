import { JsonDocument } from './json-document.ts'

// Reads the same documents as `JSON.parse`, but in steps, because a document of some megabytes would block everything else.

const stepCharacters = 8_192
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /true|false|null/y
const shortestNumber = 4

/** The tokens that may come next. */
type Next = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end'

/** Pauses after every few characters. Returns undefined if the text is not a JSON object, array or string. */
export function* readJson(source: string): Generator<void, JsonDocument | undefined> {
  if (!/^\s*[[{"]/.test(source)) return undefined
  const texts: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  const open: number[] = []
  let next: Next = 'value'
  let pause = stepCharacters
  for (let at = 0; at < source.length;) {
    if (at >= pause) {
      pause = at + stepCharacters
      yield
    }
    const code = source.charCodeAt(at)
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      at++
      continue
    }
    const isName: boolean = next === 'name' || next === 'name or end'
    const isValue: boolean = next === 'value' || next === 'value or end'
    if (code === quote && (isName || isValue)) {
      let end = at + 1
      let isEscaped = false
      for (;;) {
        end = endOfRun(source, end, pause)
        const special = source.charCodeAt(end)
        if (special === quote) break
        if (special === backslash) {
          isEscaped = true
          end += 2
        } else if (special < 0x20 || end >= source.length) return undefined
        if (end < pause) continue
        pause = end + stepCharacters
        yield
      }
      const text = isEscaped ? unescaped(source.slice(at, end + 1)) : source.slice(at + 1, end)
      if (text === undefined) return undefined
      texts.push(text)
      starts.push(at)
      at = end + 1
      ends.push(at)
      next = isName ? 'colon' : 'comma or end'
    } else if (code === colon && next === 'colon') {
      at++
      next = 'value'
    } else if (code === comma && next === 'comma or end' && open.length > 0) {
      at++
      next = open.at(-1) === openBrace ? 'name' : 'value'
    } else if ((code === openBrace || code === openBracket) && isValue) {
      at++
      open.push(code)
      next = code === openBrace ? 'name or end' : 'value or end'
    } else if (code === closeBrace || code === closeBracket) {
      const isEmpty = next === (code === closeBrace ? 'name or end' : 'value or end')
      if ((!isEmpty && next !== 'comma or end') || open.pop() !== code - 2) return undefined
      at++
      next = 'comma or end'
    } else if (isValue) {
      const end = endOfWord(source, at)
      if (end === undefined) return undefined
      if (end - at >= shortestNumber + (code === 0x2d ? 1 : 0) && code < 0x61) {
        texts.push(plainNumber(source.slice(at, end)))
        starts.push(at)
        ends.push(end)
      }
      at = end
      next = 'comma or end'
    } else return undefined
  }
  return next === 'comma or end' && open.length === 0 ? new JsonDocument(source, texts, starts, ends) : undefined
}

/** The position of a string's end, an escape or a forbidden character. At most `limit`. */
function endOfRun(source: string, from: number, limit: number): number {
  const last = Math.min(limit, source.length)
  for (let at = from; at < last; at++) {
    const code = source.charCodeAt(at)
    if (code === quote || code === backslash || code < 0x20) return at
  }
  return Math.max(from, last)
}

function unescaped(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string
  } catch {
    return undefined
  }
}

function endOfWord(source: string, at: number): number | undefined {
  for (const form of [number, word]) {
    form.lastIndex = at
    if (form.test(source)) return form.lastIndex
  }
  return undefined
}

/** `4111111111111111.0` and `4.111111111111111e15` are card numbers, too. */
function plainNumber(written: string): string {
  if (/[eE]/.test(written)) return String(Number(written))
  return written.includes('.') ? written.replace(/\.0+$/, '') : written
}
