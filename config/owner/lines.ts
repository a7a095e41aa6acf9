import type { Socket } from 'node:net'

/** Takes lines out of what a socket brings, each up to `maxLength` characters. */
export class LineReader {
  readonly #maxLength: number
  #parts: string[] = []
  #length = 0

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** Calls `take` with each complete line. Returns false once a line is too long: then the rest of the connection has no meaning. */
  read(text: string, take: (line: string) => void): boolean {
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      if (!this.#keep(text.slice(from, end))) return false
      const line = this.#parts.length === 1 ? this.#parts[0]! : this.#parts.join('')
      this.#parts = []
      this.#length = 0
      from = end + 1
      take(line)
    }
    return from === text.length || this.#keep(text.slice(from))
  }

  #keep(part: string): boolean {
    this.#length += part.length
    this.#parts.push(part)
    return this.#length <= this.#maxLength
  }
}

/** Sends messages as lines of JSON. Those that come before `soon` calls back go together. */
export class LineWriter {
  readonly #socket: Socket
  readonly #maxQueuedBytes: number
  readonly #soon: (flush: () => void) => void
  #lines = ''

  /** Destroys the socket if more than `maxQueuedBytes` wait for the peer to read. */
  constructor(socket: Socket, maxQueuedBytes: number, soon: (flush: () => void) => void) {
    this.#socket = socket
    this.#soon = soon
    this.#maxQueuedBytes = maxQueuedBytes
  }

  write(message: unknown): void {
    this.writeLine(lineOf(message))
  }

  /** For a line that several get. */
  writeLine(line: string): void {
    if (this.#lines === '') this.#soon(() => this.#flush())
    this.#lines += line
    if (this.#lines.length > this.#maxQueuedBytes) this.#flush()
  }

  #flush(): void {
    const lines = this.#lines
    this.#lines = ''
    if (this.#socket.destroyed || lines === '') return
    this.#socket.write(lines)
    if (this.#socket.writableLength > this.#maxQueuedBytes)
      this.#socket.destroy(new Error(`the other side left more than ${this.#maxQueuedBytes} bytes unread`))
  }
}

export function lineOf(message: unknown): string {
  return `${JSON.stringify(message)}\n`
}
