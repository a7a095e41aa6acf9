import type { GatewayError, OutputFilter } from '../../../core/index.ts'
import { jsonTexts } from '../../../core/kit.ts'
import { MaskedText } from './masked-text.ts'
import { Scanner } from './scanner.ts'
import type { WordList } from './word-list.ts'

export interface FilterOptions {
  readonly list: WordList
  /** Absent if matches are masked. */
  readonly refusal: GatewayError | undefined
}

/** Holds back the end of a text while it may be the beginning of an entry. */
export class WordFilter implements OutputFilter {
  readonly #scanner: Scanner
  readonly #refusal: GatewayError | undefined
  readonly #text = new MaskedText()

  constructor({ list, refusal }: FilterOptions) {
    this.#scanner = new Scanner(list)
    this.#refusal = refusal
  }

  push(piece: string): ReturnType<OutputFilter['push']> {
    const matches = this.#scanner.read(piece)
    if (this.#refusal && matches.length > 0) return { refuse: this.#refusal }
    this.#text.add(piece, matches)
    return this.#text.take(this.#scanner.settled)
  }

  flush(): ReturnType<OutputFilter['flush']> {
    const matches = this.#scanner.finish()
    if (this.#refusal && matches.length > 0) return { refuse: this.#refusal }
    this.#text.add('', matches)
    return this.#text.take(Infinity)
  }
}

/** Holds back a whole JSON document, because its strings without escapes are not known earlier. */
export class JsonWordFilter implements OutputFilter {
  readonly #options: FilterOptions
  readonly #pieces: string[] = []

  constructor(options: FilterOptions) {
    this.#options = options
  }

  push(piece: string): string {
    this.#pieces.push(piece)
    return ''
  }

  flush(): ReturnType<OutputFilter['flush']> {
    const document = this.#pieces.join('')
    const json = jsonTexts(document)
    if (!json) return filtered(document, this.#options)
    for (const { text, replace } of json.texts) {
      const masked = filtered(text, this.#options)
      if (typeof masked !== 'string') return masked
      if (masked !== text) replace(masked)
    }
    return json.written()
  }
}

function filtered(text: string, options: FilterOptions): ReturnType<OutputFilter['push']> {
  const filter = new WordFilter(options)
  const begun = filter.push(text)
  if (typeof begun !== 'string') return begun
  const rest = filter.flush()
  return typeof rest === 'string' ? begun + rest : rest
}
