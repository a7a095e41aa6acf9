import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  invalidRequest,
  type GatewayError,
  type GenerationRequest,
  type GuardSession,
  type GuardVerdict,
  type OutputChannel,
  type OutputFilter,
} from '../../../core/index.ts'
import { decisionTexts, requestTexts, type DecisionRequest, type RequestText, own, wording } from '../../../core/kit.ts'
import { JsonWordFilter, WordFilter } from './filter.ts'
import { MaskedText } from './masked-text.ts'
import { Scanner } from './scanner.ts'
import type { WordList } from './word-list.ts'

export interface Words {
  readonly list: WordList
  readonly action: 'refuse' | 'mask'
  readonly message: string
}

/** Longer texts are searched over several turns of the event loop. */
const charactersPerTurn = 4_096

/** Serves all requests, because it keeps nothing of them. */
export class WordsSession implements Required<Pick<GuardSession, 'input' | 'decision' | 'output'>> {
  readonly #words: Words
  readonly #refusal: GatewayError

  constructor(words: Words) {
    this.#words = words
    this.#refusal = this.#refusalAt(undefined)
  }

  async input(request: GenerationRequest): Promise<GuardVerdict> {
    const texts = requestTexts(request)
    const found = await this.#search(texts.slots)
    if (found !== true) return found === false ? { pass: true } : { refuse: found }
    texts.finish()
    return { replace: texts.request }
  }

  async decision(request: DecisionRequest): Promise<GuardVerdict<DecisionRequest>> {
    const texts = decisionTexts(request)
    const found = await this.#search(texts.slots)
    if (found !== true) return found === false ? { pass: true } : { refuse: found }
    return { replace: texts.request }
  }

  output({ json }: OutputChannel): OutputFilter {
    const { list, action } = this.#words
    const options = { list, refusal: action === 'refuse' ? this.#refusal : undefined }
    return json ? new JsonWordFilter(options) : new WordFilter(options)
  }

  /** Masks matches. Returns true if there were any, or the refusal. */
  async #search(slots: readonly RequestText[]): Promise<boolean | GatewayError> {
    const { list, action } = this.#words
    let left = charactersPerTurn
    let isFound = false
    for (const { text, path, kind, replace } of slots) {
      const scanner = new Scanner(list)
      const masked = new MaskedText()
      let matches = 0
      for (let from = 0; from <= text.length; from += charactersPerTurn) {
        const piece = text.slice(from, from + charactersPerTurn)
        const isLast = from + charactersPerTurn > text.length
        const found = isLast ? [...scanner.read(piece), ...scanner.finish()] : scanner.read(piece)
        masked.add(piece, found)
        matches += found.length
        if (matches > 0 && (action === 'refuse' || kind === 'fixed')) return this.#refusalAt(path)
        left -= piece.length
        if (left <= 0) await nextTurn((left = charactersPerTurn))
      }
      if (matches === 0) continue
      replace(masked.take(text.length))
      isFound = true
    }
    return isFound
  }

  #refusalAt(path: string | undefined): GatewayError {
    return invalidRequest(wording`${own(this.#words.message)}`, path, 'invalid_prompt')
  }
}
