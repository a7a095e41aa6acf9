const leastBytes = 1_024
const two32 = 2 ** 32
/** Copying so few bytes one by one takes less time than a call of the runtime does. */
const few = 64
const two28 = 2 ** 28
const digitValues = Uint8Array.from({ length: 103 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0)

/** Writes a message in the encoding of Protocol Buffers: https://protobuf.dev/programming-guides/encoding/. */
export class Writer {
  #bytes = Buffer.allocUnsafeSlow(leastBytes)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Copies what was written, and begins anew. */
  take(): Buffer<ArrayBuffer> {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length))
    this.#length = 0
    return taken
  }

  /** Forgets what was written after this length. */
  cutTo(length: number): void {
    this.#length = length
  }

  raw(given: Uint8Array): void {
    const { length } = given
    this.#reserve(length)
    const bytes = this.#bytes
    const start = this.#length
    if (length > few) bytes.set(given, start)
    else for (let index = 0; index < length; index++) bytes[start + index] = given[index]!
    this.#length = start + length
  }

  /** A whole number from 0. */
  varint(value: number): void {
    this.#reserve(10)
    const bytes = this.#bytes
    let length = this.#length
    let left = value
    for (; left >= two32; left = Math.floor(left / 128)) bytes[length++] = (left % 128) | 128
    // In 32 bits, which is faster.
    let small = left >>> 0
    for (; small >= 128; small >>>= 7) bytes[length++] = (small & 127) | 128
    bytes[length++] = small
    this.#length = length
  }

  number(field: number, value: number): void {
    this.varint(field * 8)
    this.varint(value)
  }

  fixed32(field: number, value: number): void {
    this.varint(field * 8 + 5)
    this.#reserve(4)
    this.#view.setUint32(this.#length, value, true)
    this.#length += 4
  }

  /** A whole number from 0. */
  fixed64(field: number, value: number): void {
    this.varint(field * 8 + 1)
    this.rawFixed64(value)
  }

  rawFixed64(value: number): void {
    this.#reserve(8)
    const high = Math.floor(value / two32)
    this.#view.setUint32(this.#length, value - high * two32, true)
    this.#view.setUint32(this.#length + 4, high, true)
    this.#length += 8
  }

  /** Milliseconds since the epoch, as nanoseconds. */
  time(field: number, ms: number): void {
    this.fixed64(field, Math.round(ms * 1e6))
  }

  double(field: number, value: number): void {
    this.varint(field * 8 + 1)
    this.rawDouble(value)
  }

  rawDouble(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.#length, value, true)
    this.#length += 8
  }

  text(field: number, value: string): void {
    this.varint(field * 8 + 2)
    const bytes = bytesOf(value)
    this.varint(bytes)
    this.utf8(value, bytes)
  }

  /** `length`: that of the text in UTF-8, by `bytesOf`. */
  utf8(value: string, length: number): void {
    this.#reserve(length)
    const start = this.#length
    const bytes = this.#bytes
    if (length > few || length !== value.length) bytes.write(value, start, length, 'utf8')
    else for (let index = 0; index < length; index++) bytes[start + index] = value.charCodeAt(index)
    this.#length = start + length
  }

  /**
   * A pair of these bytes and a short text in ASCII, with all lengths around them: most attributes are such, so this is their fast way. Writes
   * nothing and returns false for any other.
   */
  shortPair(field: number, first: Uint8Array, between: number, text: string, textTag: number): boolean {
    const size = text.length
    const pair = first.length + size + 4
    if (pair > 127 || field > 15) return false
    this.#reserve(pair + 2)
    const bytes = this.#bytes
    let at = this.#length
    bytes[at++] = field * 8 + 2
    bytes[at++] = pair
    for (let index = 0; index < first.length; index++) bytes[at++] = first[index]!
    bytes[at++] = between
    bytes[at++] = size + 2
    bytes[at++] = textTag
    bytes[at++] = size
    for (let index = 0; index < size; index++) {
      const code = text.charCodeAt(index)
      if (code > 127) return false
      bytes[at++] = code
    }
    this.#length = at
    return true
  }

  /** A pair of these bytes and a number that is small enough, as `shortPair` writes a text. */
  numberPair(field: number, first: Uint8Array, between: number, value: number, numberTag: number): boolean {
    if (first.length > 110 || field > 15 || value >= two28) return false
    const bytesOfValue = value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : 4
    this.#reserve(first.length + bytesOfValue + 5)
    const bytes = this.#bytes
    let at = this.#length
    bytes[at++] = field * 8 + 2
    bytes[at++] = first.length + bytesOfValue + 3
    for (let index = 0; index < first.length; index++) bytes[at++] = first[index]!
    bytes[at++] = between
    bytes[at++] = bytesOfValue + 1
    bytes[at++] = numberTag
    let left = value
    for (; left >= 128; left >>>= 7) bytes[at++] = (left & 127) | 128
    bytes[at++] = left
    this.#length = at
    return true
  }

  /** The same for a floating-point number. */
  doublePair(field: number, first: Uint8Array, between: number, value: number, doubleTag: number): boolean {
    if (first.length > 110 || field > 15) return false
    this.#reserve(first.length + 13)
    const bytes = this.#bytes
    let at = this.#length
    bytes[at++] = field * 8 + 2
    bytes[at++] = first.length + 11
    for (let index = 0; index < first.length; index++) bytes[at++] = first[index]!
    bytes[at++] = between
    bytes[at++] = 9
    bytes[at++] = doubleTag
    this.#view.setFloat64(at, value, true)
    this.#length = at + 8
    return true
  }

  /** Bytes that are given in hexadecimal digits, in lower case. */
  hex(field: number, digits: string): void {
    const length = digits.length / 2
    this.varint(field * 8 + 2)
    this.varint(length)
    this.#reserve(length)
    writeDigits(this.#bytes, this.#length, digits)
    this.#length += length
  }

  /** Begins a message within this one. Returns where, for `close`. */
  open(field: number): number {
    this.varint(field * 8 + 2)
    // Most messages take two bytes for their length.
    this.#reserve(2)
    this.#length += 2
    return this.#length
  }

  close(start: number): void {
    const size = this.#length - start
    const bytes = sizeOf(size)
    if (bytes !== 2) {
      this.#reserve(bytes)
      this.#bytes.copyWithin(start + bytes - 2, start, this.#length)
    }
    this.#length = start - 2
    this.varint(size)
    this.#length += size
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}

/** Writes the bytes that are given in hexadecimal digits, in lower case. */
export function writeDigits(bytes: Uint8Array, start: number, digits: string): void {
  const count = digits.length / 2
  for (let index = 0; index < count; index++)
    bytes[start + index] = (digitValues[digits.charCodeAt(index * 2)]! << 4) | digitValues[digits.charCodeAt(index * 2 + 1)]!
}

/** The length of a text in UTF-8. */
export function bytesOf(text: string): number {
  const { length } = text
  if (length > few) return Buffer.byteLength(text)
  for (let index = 0; index < length; index++) if (text.charCodeAt(index) > 127) return Buffer.byteLength(text)
  return length
}

/** The number of bytes that `Writer.varint` takes for it. */
export function sizeOf(value: number): number {
  if (value < 128) return 1
  if (value < 16_384) return 2
  let size = 3
  for (let left = Math.floor(value / 2_097_152); left > 0; left = Math.floor(left / 128)) size++
  return size
}
