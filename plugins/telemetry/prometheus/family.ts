import { Cell, HistogramCell } from './cells.ts'
import type { Labels, Metric, Sample } from './metric.ts'

interface Node<C> {
  readonly children: Map<string, Node<C>>
  cell: C | undefined
}

/** A metric whose series are there once they are counted. */
export abstract class Family<C> {
  readonly name: string
  readonly #help: string
  readonly #labels: readonly string[]
  readonly #root: Node<C> = { children: new Map(), cell: undefined }
  readonly #series: { readonly labels: Labels; readonly cell: C }[] = []

  constructor(name: string, help: string, labels: readonly string[]) {
    this.name = name
    this.#help = help
    this.#labels = labels
  }

  abstract readonly type: Metric['type']
  protected abstract make(): C
  protected abstract samples(labels: Labels, cell: C): readonly Sample[]

  /** The cell of these label values, in the order of the labels. Callers bound the number of values. */
  cell(...values: readonly string[]): C {
    let node = this.#root
    for (const value of values) {
      let next = node.children.get(value)
      if (!next) node.children.set(value, (next = { children: new Map(), cell: undefined }))
      node = next
    }
    return (node.cell ??= this.#add(values))
  }

  read(): Metric {
    const values = this.#series.flatMap(({ labels, cell }) => this.samples(labels, cell))
    return { name: this.name, help: this.#help, type: this.type, values }
  }

  #add(values: readonly string[]): C {
    const cell = this.make()
    this.#series.push({ labels: Object.fromEntries(this.#labels.map((label, index) => [label, values[index]!])), cell })
    return cell
  }
}

export class Counter extends Family<Cell> {
  readonly type = 'counter'

  protected make(): Cell {
    return new Cell()
  }

  protected samples(labels: Labels, { value }: Cell): readonly Sample[] {
    return [{ labels, value }]
  }
}

export class Histogram extends Family<HistogramCell> {
  readonly type = 'histogram'
  readonly #bounds: readonly number[]

  constructor(name: string, help: string, labels: readonly string[], bounds: readonly number[]) {
    super(name, help, labels)
    this.#bounds = bounds
  }

  protected make(): HistogramCell {
    return new HistogramCell(this.#bounds)
  }

  protected samples(labels: Labels, { bounds, counts, sum }: HistogramCell): readonly Sample[] {
    const metricName = `${this.name}_bucket`
    let value = 0
    const buckets = counts.map((count, index): Sample => {
      value += count
      return { metricName, labels: { ...labels, le: index < bounds.length ? String(bounds[index]) : '+Inf' }, value }
    })
    return [...buckets, { metricName: `${this.name}_sum`, labels, value: sum }, { metricName: `${this.name}_count`, labels, value }]
  }
}
