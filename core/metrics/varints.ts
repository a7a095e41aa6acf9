/** Writes whole numbers from 0 to 2^53 - 1, small ones in fewer bytes: seven bits in each, the lowest first. */
export class ByteWriter {
  #bytes = new Uint8Array(512)
  #length = 0

  /** The bytes added since the last `clear`, valid until the next change. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Begins anew, with the same memory. */
  clear(): void {
    this.#length = 0
  }

  /** Writes a whole number, at least 0. */
  add(value: number): void {
    if (this.#length + maxLength > this.#bytes.length) this.#grow()
    let left = Math.min(value, Number.MAX_SAFE_INTEGER)
    while (left >= 0x80) {
      this.#bytes[this.#length++] = (left % 0x80) + 0x80
      left = Math.floor(left / 0x80)
    }
    this.#bytes[this.#length++] = left
  }

  #grow(): void {
    const bytes = new Uint8Array(this.#bytes.length * 2)
    bytes.set(this.#bytes)
    this.#bytes = bytes
  }
}

/** Reads them back. */
export class ByteReader {
  #bytes: Uint8Array = new Uint8Array(0)
  #at = 0
  #end = 0

  /** Reads other bytes from now on. */
  reset(bytes: Uint8Array, start = 0, end = bytes.length): this {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
    return this
  }

  /** True if nothing is left to read. */
  get isAtEnd(): boolean {
    return this.#at === this.#end
  }

  /** Throws at the end, and for a number that is too large. */
  next(): number {
    let value = 0
    let factor = 1
    for (;;) {
      if (this.#at >= this.#end) throw new RangeError('a number is missing')
      const byte = this.#bytes[this.#at++]!
      if (byte < 0x80) value += byte * factor
      else value += (byte - 0x80) * factor
      if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('a number is too large')
      if (byte < 0x80) return value
      factor *= 0x80
    }
  }
}

/** 53 bits. */
const maxLength = 8
