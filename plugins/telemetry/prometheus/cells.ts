/** A number that is added to. Whoever counts keeps the cell, so that counting is one addition. */
export class Cell {
  value = 0
}

/** How many values there were up to each bound. */
export class HistogramCell {
  readonly bounds: readonly number[]
  /** By the lowest bound that is not below the value. The last one counts what is above all bounds. */
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    const { bounds } = this
    let index = 0
    while (index < bounds.length && value > bounds[index]!) index++
    this.counts[index]!++
    this.sum += value
  }
}
