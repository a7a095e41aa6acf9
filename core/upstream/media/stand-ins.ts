import { randomBytes } from 'node:crypto'

/** A piece of a body: text, or the place of a content. */
export type Piece = { readonly text: string; readonly url?: undefined } | { readonly text?: undefined; readonly url: string }

// Multiples of three bytes, so that base64 needs no padding and pieces can be concatenated.
const secretBytes = 24
const numberBytes = 6
const numberLength = (numberBytes / 3) * 4

/** Short base64 placeholders for contents, until the body is complete. Nobody outside can guess them. */
export class StandIns {
  readonly #urls: readonly string[]
  readonly #places: ReadonlyMap<string, number>
  /** Decodes to ASCII, so that an adapter that decodes it finds text. */
  readonly #mark = base64(randomBytes(secretBytes / 2).toString('hex'))

  constructor(urls: readonly string[]) {
    this.#urls = urls
    this.#places = new Map(urls.map((url, index) => [url, index]))
  }

  of(url: string): string {
    return this.#mark + base64(String(this.#places.get(url)).padStart(numberBytes, '0'))
  }

  /** The body, cut at its stand-ins. */
  pieces(body: string): readonly Piece[] {
    const pieces: Piece[] = []
    let from = 0
    for (let at = body.indexOf(this.#mark); at >= 0; at = body.indexOf(this.#mark, from)) {
      const end = at + this.#mark.length + numberLength
      const number = Number(Buffer.from(body.slice(end - numberLength, end), 'base64').toString())
      const url = this.#urls[number]
      if (url === undefined) break
      pieces.push({ text: body.slice(from, at) }, { url })
      from = end
    }
    pieces.push({ text: body.slice(from) })
    return pieces
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
