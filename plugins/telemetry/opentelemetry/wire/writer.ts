const leastBytes = 1_024
const two32 = 2 ** 32

/** Writes a message in the encoding of Protocol Buffers: https://protobuf.dev/programming-guides/encoding/. Fields have numbers up to 2,047. */
export class Writer {
  #bytes = Buffer.allocUnsafeSlow(leastBytes)
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

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** A whole number from 0. */
  varint(value: number): void {
    this.#reserve(10)
    let left = value
    while (left >= 128) {
      this.#bytes[this.#length++] = (left % 128) | 128
      left = Math.floor(left / 128)
    }
    this.#bytes[this.#length++] = left
  }

  number(field: number, value: number): void {
    this.varint(field * 8)
    this.varint(value)
  }

  fixed32(field: number, value: number): void {
    this.varint(field * 8 + 5)
    this.#reserve(4)
    this.#length = this.#bytes.writeUInt32LE(value, this.#length)
  }

  /** A whole number from 0. */
  fixed64(field: number, value: number): void {
    this.varint(field * 8 + 1)
    this.rawFixed64(value)
  }

  rawFixed64(value: number): void {
    this.#reserve(8)
    const high = Math.floor(value / two32)
    this.#length = this.#bytes.writeUInt32LE(value - high * two32, this.#length)
    this.#length = this.#bytes.writeUInt32LE(high, this.#length)
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
    this.#length = this.#bytes.writeDoubleLE(value, this.#length)
  }

  text(field: number, value: string): void {
    this.varint(field * 8 + 2)
    const bytes = Buffer.byteLength(value)
    this.varint(bytes)
    this.utf8(value, bytes)
  }

  /** `bytes`: the length of the text in UTF-8. */
  utf8(value: string, bytes: number): void {
    this.#reserve(bytes)
    this.#length += this.#bytes.write(value, this.#length, bytes, 'utf8')
  }

  /** Bytes that are given in hexadecimal digits. */
  hex(field: number, digits: string): void {
    this.varint(field * 8 + 2)
    const bytes = digits.length / 2
    this.varint(bytes)
    this.#reserve(bytes)
    this.#length += this.#bytes.write(digits, this.#length, bytes, 'hex')
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
  }
}

/** The number of bytes that `Writer.varint` takes for it. */
export function sizeOf(value: number): number {
  let size = 1
  for (let left = value; left >= 128; left = Math.floor(left / 128)) size++
  return size
}
