/** What looks like a placeholder. */
export const placeholderPattern = /\[([A-Z][A-Z0-9_]{0,39})_(\d{1,9})\]/g

/** The longest text that `placeholderPattern` matches. */
export const longestPlaceholder = 52

/** The placeholders of one request: each value has one, wherever it appears. */
export class Placeholders {
  readonly #byValue = new Map<string, string>()
  readonly #originals = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  readonly #taken = new Set<string>()

  /** Texts that look like placeholders, and were not handed out. They never will be, so they are never restored. */
  avoid(lookalikes: ReadonlySet<string>): void {
    for (const lookalike of lookalikes) if (!this.#originals.has(lookalike)) this.#taken.add(lookalike)
  }

  of(label: string, value: string): string {
    const key = `${label}\n${value}`
    let placeholder = this.#byValue.get(key)
    if (placeholder !== undefined) return placeholder
    do {
      const count = (this.#counts.get(label) ?? 0) + 1
      this.#counts.set(label, count)
      placeholder = `[${label}_${count}]`
    } while (this.#taken.has(placeholder))
    this.#byValue.set(key, placeholder)
    this.#originals.set(placeholder, value)
    return placeholder
  }

  original(placeholder: string): string | undefined {
    return this.#originals.get(placeholder)
  }

  get isEmpty(): boolean {
    return this.#originals.size === 0
  }

  /** The original of each placeholder. */
  mapping(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#originals)
  }
}
