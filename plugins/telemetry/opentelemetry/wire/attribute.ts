import { bytesOf, sizeOf, Writer } from './writer.ts'

export type AttributeValue = string | number | boolean

// Fields of KeyValue and AnyValue in opentelemetry/proto/common/v1/common.proto.
const key = 1
const value = 2
const anyText = 1
const anyFlag = 2
const anyInteger = 3
const anyDouble = 4
const anyList = 5
const anyMembers = 6
const values = 1

/** An attribute of spans, log records and metrics, by its name. `field`: the number of `attributes` in the message that gets it. */
export class Attribute {
  readonly name: string
  readonly #key: Uint8Array

  constructor(name: string) {
    this.name = name
    const writer = new Writer()
    writer.text(key, name)
    this.#key = writer.take()
  }

  text(writer: Writer, field: number, text: string): void {
    if (writer.shortPair(field, this.#key, value * 8 + 2, text, anyText * 8 + 2)) return
    const bytes = bytesOf(text)
    this.#begin(writer, field, 1 + sizeOf(bytes) + bytes)
    writer.varint(anyText * 8 + 2)
    writer.varint(bytes)
    writer.utf8(text, bytes)
  }

  /** A whole number from 0. Anything else, which only a broken plugin can have given, becomes 0. */
  integer(writer: Writer, field: number, number: number): void {
    const whole = Number.isSafeInteger(number) && number >= 0 ? number : 0
    if (writer.numberPair(field, this.#key, value * 8 + 2, whole, anyInteger * 8)) return
    this.#begin(writer, field, 1 + sizeOf(whole))
    writer.number(anyInteger, whole)
  }

  double(writer: Writer, field: number, number: number): void {
    if (writer.doublePair(field, this.#key, value * 8 + 2, number, anyDouble * 8 + 1)) return
    this.#begin(writer, field, 9)
    writer.double(anyDouble, number)
  }

  flag(writer: Writer, field: number, flag: boolean): void {
    this.#begin(writer, field, 2)
    writer.number(anyFlag, flag ? 1 : 0)
  }

  /** A value as JSON has it. */
  json(writer: Writer, field: number, json: unknown): void {
    const start = writer.open(field)
    writer.raw(this.#key)
    writeAny(writer, value, json)
    writer.close(start)
  }

  #begin(writer: Writer, field: number, anySize: number): void {
    writer.varint(field * 8 + 2)
    writer.varint(this.#key.length + 1 + sizeOf(anySize) + anySize)
    writer.raw(this.#key)
    writer.varint(value * 8 + 2)
    writer.varint(anySize)
  }
}

/** Attributes that come again and again, encoded. */
export function encoded(field: number, attributes: readonly (readonly [Attribute, AttributeValue])[]): Uint8Array {
  const writer = new Writer()
  for (const [attribute, given] of attributes) {
    if (typeof given === 'string') attribute.text(writer, field, given)
    else if (typeof given === 'boolean') attribute.flag(writer, field, given)
    else if (Number.isSafeInteger(given) && given >= 0) attribute.integer(writer, field, given)
    else attribute.double(writer, field, given)
  }
  return writer.take()
}

export function writeAny(writer: Writer, field: number, json: unknown): void {
  const start = writer.open(field)
  if (typeof json === 'string') writer.text(anyText, json)
  else if (typeof json === 'boolean') writer.number(anyFlag, json ? 1 : 0)
  else if (typeof json === 'number' && Number.isSafeInteger(json) && json >= 0) writer.number(anyInteger, json)
  else if (typeof json === 'number') writer.double(anyDouble, json)
  else if (Array.isArray(json)) {
    const list = writer.open(anyList)
    for (const each of json) writeAny(writer, values, each)
    writer.close(list)
  } else if (typeof json === 'object' && json !== null) {
    const members = writer.open(anyMembers)
    for (const [name, member] of Object.entries(json)) {
      if (member === undefined) continue
      const pair = writer.open(values)
      writer.text(key, name)
      writeAny(writer, value, member)
      writer.close(pair)
    }
    writer.close(members)
  }
  writer.close(start)
}
