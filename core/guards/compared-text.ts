/** A text that a filter gets and returns in pieces of different lengths. */
export class ComparedText {
  /** The text that it has not returned yet. */
  #held = ''
  isChanged = false

  gave(text: string): void {
    if (!this.isChanged) this.#held += text
  }

  returned(text: string): void {
    if (this.isChanged) return
    this.isChanged = !this.#held.startsWith(text)
    this.#held = this.isChanged ? '' : this.#held.slice(text.length)
  }

  /** The filter has returned all that it will. */
  end(): void {
    this.isChanged ||= this.#held !== ''
  }
}
