import type { ServerResponse } from 'node:http'
import type { Heartbeat } from './heartbeat.ts'
import { CoalescedBody, highWaterBytes } from './stream-body.ts'

const encoder = new TextEncoder()

/** A streamed body that is written to the response of Node.js. */
export class NodeBody extends CoalescedBody {
  readonly #response: ServerResponse
  /** Frames that wait for the head. Undefined once it is written. */
  #early: string | undefined = ''
  #isOver = false

  constructor(heartbeat: Heartbeat, response: ServerResponse) {
    super(heartbeat)
    this.#response = response
    response.on('drain', () => this.makeRoom(highWaterBytes))
  }

  override begin(): void {
    super.begin()
    const early = this.#early!
    this.#early = undefined
    if (this.#isOver) this.#response.end(early)
    else if (early !== '') this.makeRoom(this.send(early))
  }

  protected send(text: string): number {
    if (this.#early !== undefined) {
      this.#early += text
      return highWaterBytes - this.#early.length
    }
    // A string that has to wait consists of all its pieces until it is written, and takes many times its length.
    const waits = this.#response.writableLength > 0
    // The connection buffers as much again, see `streamBytes` in config/listen.ts.
    return this.#response.write(waits ? encoder.encode(text) : text) ? highWaterBytes : 0
  }

  protected breakOff(): void {
    this.#response.destroy()
  }

  protected finish(rest: string): void {
    if (this.#early === undefined) this.#response.end(rest)
    else {
      this.#early += rest
      this.#isOver = true
    }
  }
}
