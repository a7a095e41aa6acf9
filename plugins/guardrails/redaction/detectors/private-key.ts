import type { Span } from './detector.ts'

const beginning = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const ending = /[^A-Za-z0-9]{0,16}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
/** Such as `DEK-Info: AES-128-CBC,…`. */
const header = /(?:[\s>|\0]|\\n){0,8}[A-Z][A-Za-z-]{2,30}: [^\n\\]{0,200}/y
/** A line of the key, with the characters that quotes, lists and escapes put around it. */
const line = /(?:[\s>|"',+\0]|\\[nr]|\\){0,24}([A-Za-z0-9+/=]{1,20000})/y
const shortestLine = 16
const maxKeyLength = 65_536

/** Whole blocks, or the available part of one. */
export function* privateKeys(text: string): Generator<Span> {
  for (let from = text.indexOf('-----BEGIN '); from >= 0; from = text.indexOf('-----BEGIN ', from + 1)) {
    beginning.lastIndex = from
    const match = beginning.exec(text)
    if (!match) break
    const begin = match.index + match[0].length
    const end = endOfKey(text, begin)
    if (end > begin) yield { start: match.index, end }
    from = end - 1
  }
}

function endOfKey(text: string, from: number): number {
  let end = from
  for (let next = after(header, text, end); next !== undefined; next = after(header, text, end)) end = next
  while (end - from < maxKeyLength) {
    const last = after(ending, text, end)
    if (last !== undefined) return last
    const next = after(line, text, end)
    if (next === undefined) break
    // A short line is the last one.
    if (next - end < shortestLine && after(ending, text, next) === undefined) break
    end = next
  }
  return end
}

/** The end of a match that begins here. */
function after(expression: RegExp, text: string, from: number): number | undefined {
  expression.lastIndex = from
  return expression.test(text) ? expression.lastIndex : undefined
}
