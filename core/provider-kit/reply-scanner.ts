const quote = 0x22
const backslash = 0x5c
const openList = 0x5b
const closeList = 0x5d
const minus = 0x2d

/** Shorter strings and lists stay in the skeleton. */
const shortest = 256
/** In the skeleton, the string that stands for a long value begins with this. */
const mark = '\u0000turnpike '
const numbers = /^[\d\s,.eE+-]+$/
const anySpace = /\s/

/**
 * Parses a JSON reply while it arrives. Lists of numbers are left as text, `{ json }`, and long strings are cut out before the rest is
 * parsed, so that a reply of many megabytes takes no long turn of the event loop.
 */
export class ReplyScanner {
  /** Received so far. */
  bytes = 0
  readonly #skeleton: Uint8Array[] = []
  readonly #long: (string | { readonly json: string })[] = []
  readonly #lists = new Set<unknown>()
  #state: 'outside' | 'opened' | 'list' | 'string' = 'outside'
  /** The bytes of the open string or list. */
  #open: Uint8Array[] = []
  /** Backslashes at the end of the last chunk, inside a string. */
  #slashes = 0

  add(chunk: Uint8Array): void {
    this.bytes += chunk.byteLength
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let at = 0
    while (at < bytes.length) {
      if (this.#state === 'string') at = this.#inString(bytes, at)
      else if (this.#state === 'list') at = this.#inList(bytes, at)
      else at = this.#outside(bytes, at)
    }
  }

  /** The parsed reply. Throws a `SyntaxError` for anything but JSON. */
  end(): unknown {
    if (this.#state === 'string' || this.#state === 'list') throw new SyntaxError('the reply ends within a string or a list')
    const text = Buffer.concat(this.#skeleton).toString('utf8')
    return this.#whole(JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text))
  }

  /** The first characters of what was received, for errors. */
  get opening(): string {
    return Buffer.concat(this.#skeleton).toString('utf8').slice(0, 65_536)
  }

  #outside(bytes: Buffer, start: number): number {
    for (let at = start; at < bytes.length; at++) {
      const code = bytes[at]!
      if (this.#state === 'opened') {
        if (code === minus || (code >= 0x30 && code <= 0x39)) {
          this.#skeleton.push(bytes.subarray(start, at))
          this.#state = 'list'
          return at
        }
        if (code > 0x20) this.#state = 'outside'
      }
      if (code === openList) this.#state = 'opened'
      else if (code === quote) {
        this.#skeleton.push(bytes.subarray(start, at))
        this.#state = 'string'
        this.#slashes = 0
        return at + 1
      }
    }
    this.#skeleton.push(bytes.subarray(start))
    return bytes.length
  }

  #inString(bytes: Buffer, start: number): number {
    for (let from = start; ;) {
      const end = bytes.indexOf(quote, from)
      if (end < 0) {
        this.#slashes = this.#slashesBefore(bytes, start, bytes.length)
        this.#open.push(bytes.subarray(start))
        return bytes.length
      }
      if (this.#slashesBefore(bytes, start, end) % 2 === 1) {
        from = end + 1
        continue
      }
      this.#open.push(bytes.subarray(start, end))
      this.#closeString()
      return end + 1
    }
  }

  #slashesBefore(bytes: Buffer, start: number, end: number): number {
    let at = end
    while (at > start && bytes[at - 1] === backslash) at--
    return at === start ? end - at + this.#slashes : end - at
  }

  #closeString(): void {
    const raw = this.#taken()
    if (raw.length <= shortest) return this.#keep(`"${raw.toString('latin1')}"`)
    const text = raw.includes(backslash) ? (JSON.parse(`"${raw.toString('utf8')}"`) as string) : raw.toString('utf8')
    this.#cut(text)
  }

  #inList(bytes: Buffer, start: number): number {
    const end = bytes.indexOf(closeList, start)
    this.#open.push(bytes.subarray(start, end < 0 ? bytes.length : end))
    if (end < 0) return bytes.length
    const text = this.#taken().toString('latin1')
    // The opening bracket is in the skeleton. A list of other things goes on outside.
    if (text.length <= shortest || !numbers.test(text)) this.#keep(text)
    else {
      const list = { json: `[${anySpace.test(text) ? text.replace(/\s+/g, '') : text}]` }
      this.#lists.add(list)
      this.#cut(list)
    }
    this.#keep(']')
    return end + 1
  }

  #cut(value: string | { readonly json: string }): void {
    this.#keep(JSON.stringify(`${mark}${this.#long.length}`))
    this.#long.push(value)
  }

  #keep(text: string): void {
    this.#skeleton.push(Buffer.from(text, 'latin1'))
    this.#state = 'outside'
  }

  #taken(): Buffer {
    const raw = this.#open.length === 1 ? this.#open[0]! : Buffer.concat(this.#open)
    this.#open = []
    return raw as Buffer
  }

  /** Puts the long values back. A list of numbers is the only element of the list that opened it. */
  #whole(value: unknown): unknown {
    if (typeof value === 'string') return value.startsWith(mark) ? (this.#long[Number(value.slice(mark.length))] ?? value) : value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      if (value.length === 1 && typeof value[0] === 'string') {
        const only = this.#whole(value[0])
        return this.#lists.has(only) ? only : [only]
      }
      return value.map(each => this.#whole(each))
    }
    for (const name of Object.keys(value)) (value as Record<string, unknown>)[name] = this.#whole((value as Record<string, unknown>)[name])
    return value
  }
}
