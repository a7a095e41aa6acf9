/** Matches text that looks like a placeholder. */
export const placeholderPattern = /\[([A-Z][A-Z0-9_]{0,39})_(\d{1,9})\]/g

/** The longest text that `placeholderPattern` matches. */
export const maxPlaceholderLength = 52

const parts = new RegExp(`^${placeholderPattern.source}$`)

/** The values with one label, in the order of their numbers. */
interface Label {
  readonly numbers: Map<string, number>
  readonly values: (string | undefined)[]
}

/** The placeholders of one request: each value has one, wherever it appears. */
export class Placeholders {
  readonly #labels = new Map<string, Label>()
  readonly #taken = new Set<string>()

  /** Reserves a text that looks like a placeholder. It is never handed out, so it is never restored. */
  avoid(lookalike: string): void {
    if (this.original(lookalike) === undefined) this.#taken.add(lookalike)
  }

  /**
   * What to send for a text that looks like a placeholder: the text itself, unless a value that came before it has this placeholder. So
   * what comes later in a conversation never changes the numbers of what came before.
   */
  ofLookalike(lookalike: string): string {
    this.avoid(lookalike)
    return this.#taken.has(lookalike) ? lookalike : this.of(parts.exec(lookalike)![1]!, lookalike)
  }

  of(label: string, value: string): string {
    let known = this.#labels.get(label)
    if (!known) this.#labels.set(label, (known = { numbers: new Map(), values: [undefined] }))
    const { numbers, values } = known
    let number = numbers.get(value)
    if (number === undefined) {
      while (this.#taken.size > 0 && this.#taken.has(`[${label}_${values.length}]`)) values.push(undefined)
      number = values.push(value) - 1
      numbers.set(value, number)
    }
    return `[${label}_${number}]`
  }

  original(placeholder: string): string | undefined {
    const [, label, number] = parts.exec(placeholder) ?? []
    return number === undefined || number.startsWith('0') ? undefined : this.#labels.get(label!)?.values[Number(number)]
  }

  get isEmpty(): boolean {
    return this.#labels.size === 0
  }

  /** The original of each placeholder. Pauses after every few values. */
  *mapping(): Generator<void, Readonly<Record<string, string>>> {
    const mapping: Record<string, string> = {}
    for (const [label, { values }] of this.#labels)
      for (const [number, value] of values.entries()) {
        if (value !== undefined) mapping[`[${label}_${number}]`] = value
        if (number % stepValues === 0) yield
      }
    return mapping
  }
}

const stepValues = 256
