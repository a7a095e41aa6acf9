import type { OutputFilter } from '../../../core/index.ts'
import { maxPlaceholderLength, placeholderPattern, type Placeholders } from './placeholders.ts'

const beginning = /^\[(?:[A-Z][A-Z0-9_]{0,49})?$/

/** Puts the originals back where an answer has placeholders, over any chunking. */
export class Restorer implements OutputFilter {
  readonly #placeholders: Placeholders
  readonly #isJson: boolean
  #held = ''

  constructor(placeholders: Placeholders, isJson: boolean) {
    this.#placeholders = placeholders
    this.#isJson = isJson
  }

  push(text: string): string {
    if (this.#held === '' && !text.includes('[')) return text
    const whole = this.#held + text
    const cut = this.#cut(whole)
    this.#held = whole.slice(cut)
    return this.#restored(whole.slice(0, cut))
  }

  flush(): string {
    const rest = this.#held
    this.#held = ''
    return this.#restored(rest)
  }

  /** The position of a placeholder that may have begun but has not ended. */
  #cut(text: string): number {
    const bracket = text.lastIndexOf('[')
    const isOpen = bracket >= 0 && text.length - bracket < maxPlaceholderLength && beginning.test(text.slice(bracket))
    return isOpen ? bracket : text.length
  }

  #restored(text: string): string {
    return text.replaceAll(placeholderPattern, placeholder => {
      const original = this.#placeholders.original(placeholder)
      if (original === undefined) return placeholder
      return this.#isJson ? JSON.stringify(original).slice(1, -1) : original
    })
  }
}
