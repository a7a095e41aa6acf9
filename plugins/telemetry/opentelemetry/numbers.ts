import type { Labels } from './instrument.ts'
import { encoded, type Attribute, type AttributeValue } from './wire/attribute.ts'
import { itemField } from './wire/envelope.ts'
import type { Writer } from './wire/writer.ts'

// opentelemetry/proto/metrics/v1/metrics.proto
const nameField = 1
const descriptionField = 2
const unitField = 3
const gaugeField = 5
const sumField = 7
const pointField = 1
const temporalityField = 2
const cumulative = 2
const monotonicField = 3
const startField = 2
const timeField = 3
const asDouble = 4
const attributesField = 7

/** A metric of the moment: numbers that somebody else keeps. */
export interface Numbers {
  readonly name: string
  readonly unit: string
  readonly about: string
  /** It only grows, from the start of the process on. */
  readonly isTotal?: boolean
  readonly points: readonly (readonly [Labels, number])[]
}

/** Nothing if there are no points. */
export function writeNumbers(writer: Writer, { name, unit, about, isTotal, points }: Numbers, startedAt: number, now: number): void {
  if (points.length === 0) return
  const start = writer.open(itemField)
  writer.text(nameField, name)
  writer.text(descriptionField, about)
  writer.text(unitField, unit)
  const data = writer.open(isTotal ? sumField : gaugeField)
  if (isTotal) {
    writer.number(temporalityField, cumulative)
    writer.number(monotonicField, 1)
  }
  for (const [labels, value] of points) {
    const point = writer.open(pointField)
    writer.raw(
      encoded(
        attributesField,
        labels.filter((label): label is readonly [Attribute, AttributeValue] => label[1] != null),
      ),
    )
    if (isTotal) writer.time(startField, startedAt)
    writer.time(timeField, now)
    writer.double(asDouble, value)
    writer.close(point)
  }
  writer.close(data)
  writer.close(start)
}
