/** Encodes bytes as they arrive, so that no large piece blocks the event loop. */
export class Base64Pieces {
  /** ASCII. */
  readonly pieces: Buffer[] = []
  #rest: Buffer = Buffer.alloc(0)

  add(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const whole = bytes.length - (bytes.length % 3)
    this.#rest = bytes.subarray(whole)
    if (whole > 0) this.pieces.push(encoded(bytes.subarray(0, whole)))
  }

  end(): void {
    if (this.#rest.length > 0) this.pieces.push(encoded(this.#rest))
  }
}

function encoded(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('base64'), 'latin1')
}
