import { branded } from '../foundation/brand.ts'

/** The characters that a header can carry. Anything else is a copying mistake: a line break, an ellipsis, a typographic quote. Throws a `TypeError`. */
export function checkKeyText(apiKey: string): void {
  const place = apiKey.search(/[^\x20-\x7e]|^ | $/)
  if (place < 0) return
  throw new KeyTextError(apiKey, place)
}

/** Does not show the key, but knows where it comes from. */
export class KeyTextError extends TypeError {
  static {
    branded(this, 'key-text-error')
  }

  override readonly name = 'KeyTextError'
  readonly #text: string

  constructor(text: string, place: number) {
    const found = /[\r\n]/.test(text[place]!) ? ', a line break,' : ''
    super(
      `character ${place + 1} of ${text.length} in the option apiKey${found} cannot be part of a key. Copy the key again, as a whole and without white space around it`,
    )
    this.#text = text
  }

  /** The names of the variables that it is in. */
  namesIn(variables: ReadonlyMap<string, string>): readonly string[] {
    return [...variables].filter(([, value]) => value.includes(this.#text)).map(([name]) => name)
  }
}
