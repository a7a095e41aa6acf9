const stepPieces = 512

/** The strings, names of members included, and the numbers of four digits or more of a JSON document. */
export class JsonDocument {
  /** Strings without their escapes; numbers without exponents and empty fractions. */
  readonly texts: readonly string[]
  readonly #source: string
  readonly #starts: readonly number[]
  readonly #ends: readonly number[]
  readonly #replaced: (string | undefined)[] = []

  constructor(source: string, texts: readonly string[], starts: readonly number[], ends: readonly number[]) {
    this.#source = source
    this.texts = texts
    this.#starts = starts
    this.#ends = ends
  }

  get isChanged(): boolean {
    return this.#replaced.length > 0
  }

  /** Replaces a text with a string. */
  replace(index: number, text: string): void {
    this.#replaced[index] = JSON.stringify(text)
  }

  /** The document with its replacements. Everything else stays as written: spaces, repeated members, long numbers. */
  *written(): Generator<void, string> {
    let document = ''
    let pieces: string[] = []
    let from = 0
    for (const [index, text] of this.#replaced.entries()) {
      if (text === undefined) continue
      pieces.push(this.#source.slice(from, this.#starts[index]), text)
      from = this.#ends[index]!
      if (pieces.length < stepPieces) continue
      document += pieces.join('')
      pieces = []
      yield
    }
    return document + pieces.join('') + this.#source.slice(from)
  }
}
