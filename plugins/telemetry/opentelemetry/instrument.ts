import { names } from './names.ts'
import { encoded, type Attribute, type AttributeValue } from './wire/attribute.ts'
import { itemField } from './wire/envelope.ts'
import type { Writer } from './wire/writer.ts'

// opentelemetry/proto/metrics/v1/metrics.proto
const nameField = 1
const descriptionField = 2
const unitField = 3
const sumField = 7
const histogramField = 9
const pointField = 1
const temporalityField = 2
const monotonicField = 3
const cumulative = 2
const startField = 2
const timeField = 3
const numberAttributes = 7
const asDouble = 4
const histogramAttributes = 9
const countField = 4
const totalField = 5
const bucketsField = 6
const boundsField = 7
const minField = 11
const maxField = 12

/** The limit that OpenTelemetry recommends. Beyond it, all others are one series. */
const maxSeries = 2_000

export type Labels = readonly (readonly [Attribute, AttributeValue | null | undefined])[]

interface Description {
  readonly name: string
  readonly unit: string
  readonly about: string
}

abstract class Instrument<Series> {
  protected readonly description: Description
  readonly #series = new Map<string, { readonly attributes: Uint8Array; readonly values: Series }>()
  readonly #attributesField: number

  constructor(description: Description, attributesField: number) {
    this.description = description
    this.#attributesField = attributesField
  }

  /** The series with these labels. Those without a value are left out. */
  with(labels: Labels): Series {
    const id = labels.map(([, value]) => String(value ?? '')).join('\0')
    const known = this.#series.get(id)
    if (known) return known.values
    if (this.#series.size >= maxSeries && id !== overflowing) return this.#overflow()
    return this.#added(id, labels)
  }

  /** Nothing if nothing was measured. */
  write(writer: Writer, startedAt: number, now: number): void {
    const filled = [...this.#series.values()].filter(({ values }) => !this.isEmpty(values))
    if (filled.length === 0) return
    const { name, about, unit } = this.description
    const start = writer.open(itemField)
    writer.text(nameField, name)
    writer.text(descriptionField, about)
    writer.text(unitField, unit)
    const data = writer.open(this.dataField)
    writer.number(temporalityField, cumulative)
    this.writeKind(writer)
    for (const { attributes, values } of filled) {
      const point = writer.open(pointField)
      writer.raw(attributes)
      writer.time(startField, startedAt)
      writer.time(timeField, now)
      this.writeValues(writer, values)
      writer.close(point)
    }
    writer.close(data)
    writer.close(start)
  }

  protected abstract readonly dataField: number
  protected abstract made(): Series
  protected abstract isEmpty(values: Series): boolean
  protected writeKind(_writer: Writer): void {}
  protected abstract writeValues(writer: Writer, values: Series): void

  #overflow(): Series {
    return this.#series.get(overflowing)?.values ?? this.#added(overflowing, [[names.overflow, true]])
  }

  #added(id: string, labels: Labels): Series {
    const given = labels.filter((label): label is readonly [Attribute, AttributeValue] => label[1] !== null && label[1] !== undefined)
    const values = this.made()
    this.#series.set(id, { attributes: encoded(this.#attributesField, given), values })
    return values
  }
}

/** The id of the series that stands for all that are too many. No label is empty but for this mark. */
const overflowing = '\0overflow'

export class Count {
  value = 0

  add(more: number): void {
    this.value += more
  }
}

export class Counter extends Instrument<Count> {
  protected override readonly dataField = sumField

  constructor(description: Description) {
    super(description, numberAttributes)
  }

  protected override made(): Count {
    return new Count()
  }

  protected override isEmpty(): boolean {
    return false
  }

  protected override writeKind(writer: Writer): void {
    writer.number(monotonicField, 1)
  }

  protected override writeValues(writer: Writer, { value }: Count): void {
    writer.double(asDouble, value)
  }
}

export class Distribution {
  readonly bounds: readonly number[]
  readonly buckets: number[]
  count = 0
  total = 0
  min = Infinity
  max = -Infinity

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.buckets = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  record(value: number): void {
    let index = 0
    while (index < this.bounds.length && value > this.bounds[index]!) index++
    this.buckets[index]!++
    this.count++
    this.total += value
    if (value < this.min) this.min = value
    if (value > this.max) this.max = value
  }
}

export class Histogram extends Instrument<Distribution> {
  protected override readonly dataField = histogramField
  readonly #bounds: readonly number[]

  constructor(description: Description, bounds: readonly number[]) {
    super(description, histogramAttributes)
    this.#bounds = bounds
  }

  protected override made(): Distribution {
    return new Distribution(this.#bounds)
  }

  /** A series may be there before anything was measured. */
  protected override isEmpty({ count }: Distribution): boolean {
    return count === 0
  }

  protected override writeValues(writer: Writer, { count, total, buckets, bounds, min, max }: Distribution): void {
    writer.fixed64(countField, count)
    writer.double(totalField, total)
    const counts = writer.open(bucketsField)
    for (const each of buckets) writer.rawFixed64(each)
    writer.close(counts)
    const limits = writer.open(boundsField)
    for (const each of bounds) writer.rawDouble(each)
    writer.close(limits)
    writer.double(minField, min)
    writer.double(maxField, max)
  }
}
