/** Stands for all values that have no series of their own. */
export const other = 'other'

/** The values of one label that have series of their own: the first ones that come, so that neither memory nor scrapes grow without end. */
export class LabelValues {
  readonly #known = new Set<string>()
  readonly #max: number
  readonly #full: () => void

  /** `full` is called when a value finds no room. */
  constructor(max: number, full: () => void = () => {}) {
    this.#max = max
    this.#full = full
  }

  /** The value or, if it finds no room, `other`. */
  of(value: string): string {
    if (this.#known.has(value)) return value
    if (this.#known.size >= this.#max) {
      this.#full()
      return other
    }
    this.#known.add(value)
    return value
  }
}
