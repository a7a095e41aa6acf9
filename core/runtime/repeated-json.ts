import { isDeepStrictEqual } from 'node:util'

/** The object with the text, among its other members. */
type Holder = Record<string, unknown>

interface Pattern<T> {
  /** The JSON around the text. */
  readonly head: string
  readonly tail: string
  readonly value: T
  readonly holder: Holder
  readonly member: string
}

/** Takes the place of a text, to see which string of the JSON it is. */
const probe = 'turnpike-probe'
/** The same text may stand in several places. */
const maxPlaces = 4

/**
 * Parses JSON texts of which most differ from the one before in a single string, such as the deltas of a stream: those are not parsed
 * again. The values are those of `JSON.parse`, but one value may be returned again with another text in it: keep none. Parsing is a
 * quarter of what a stream costs, and this takes a fifth of it (`bench/runtime.ts`).
 */
export class RepeatedJson<T> {
  readonly #holderOf: (value: T) => object | null | undefined
  readonly #members: readonly string[]
  #pattern: Pattern<T> | undefined
  /** The latest JSON with a text that was parsed. */
  #latest = ''

  /** `holderOf`: the object with the text that differs. `members`: where that text may be. */
  constructor(holderOf: (value: T) => object | null | undefined, members: readonly string[]) {
    this.#holderOf = holderOf
    this.#members = members
  }

  /** Throws a `SyntaxError` if it is not JSON. */
  parse(json: string): T {
    const pattern = this.#pattern
    if (pattern) {
      const { head, tail } = pattern
      const start = head.length
      const end = json.length - tail.length
      // Comparing slices is twice as fast as `startsWith` and `endsWith`.
      if (start < end && json.slice(0, start) === head && json.slice(end) === tail && isPlain(json, start, end)) {
        pattern.holder[pattern.member] = json.slice(start, end)
        return pattern.value
      }
    }
    const value = JSON.parse(json) as T
    const holder = this.#holderOf(value) as Holder | null | undefined
    if (holder) this.#look(json, value, holder)
    return value
  }

  #look(json: string, value: T, holder: Holder): void {
    for (const member of this.#members) {
      const text = holder[member]
      if (typeof text !== 'string' || text === '' || !isPlain(text, 0, text.length)) continue
      this.#learn(json, text, { value, holder, member })
      this.#latest = json
      return
    }
  }

  /** Finds the text in the JSON, if the JSON before it was the same around that place. */
  #learn(json: string, text: string, known: Pick<Pattern<T>, 'value' | 'holder' | 'member'>): void {
    const latest = this.#latest
    const quoted = `"${text}"`
    let at = json.indexOf(quoted) + 1
    for (let places = 0; at > 0 && places < maxPlaces; places++) {
      const pattern = { head: json.slice(0, at), tail: json.slice(at + text.length), ...known }
      if (latest.startsWith(pattern.head) && latest.endsWith(pattern.tail) && this.#holds(pattern, text)) {
        this.#pattern = pattern
        return
      }
      at = json.indexOf(quoted, at) + 1
    }
  }

  /** True if another text in this place changes that member of the value, and nothing else. */
  #holds({ head, tail, value, member }: Pattern<T>, text: string): boolean {
    const changed = JSON.parse(head + probe + tail) as T
    const holder = this.#holderOf(changed) as Holder | null | undefined
    if (holder?.[member] !== probe) return false
    holder[member] = text
    return isDeepStrictEqual(changed, value)
  }
}

/** True if JSON has this part of the text as it is, without escapes. */
function isPlain(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index)
    if (code === quote || code === backslash || code < space) return false
  }
  return true
}

const quote = 0x22
const backslash = 0x5c
const space = 0x20
