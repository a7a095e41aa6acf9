import type { Heartbeat } from './heartbeat.ts'
import { CoalescedBody, highWaterBytes } from './stream-body.ts'

const maxPooledLength = 4096
const encoder = new TextEncoder()

/** A streamed body as a `ReadableStream`, for a reply through h3. */
export class WebBody extends CoalescedBody {
  readonly readable: ReadableStream<Uint8Array>
  #controller!: ReadableStreamDefaultController<Uint8Array>

  /** `onGone` is called if the reader disconnects before the end. */
  constructor(heartbeat: Heartbeat, onGone: () => void) {
    super(heartbeat)
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: controller => {
          this.#controller = controller
        },
        pull: () => this.makeRoom(this.#controller.desiredSize!),
        cancel: () => {
          this.leave()
          onGone()
        },
      },
      { highWaterMark: highWaterBytes, size: chunk => chunk.byteLength },
    )
  }

  protected send(text: string): number {
    // A chunk that has to wait for its reader must not keep a whole block of the shared pool alive meanwhile.
    const waits = text.length > maxPooledLength || this.#controller.desiredSize! < highWaterBytes
    this.#controller.enqueue(waits ? encoder.encode(text) : Buffer.from(text))
    return this.#controller.desiredSize!
  }

  protected breakOff(): void {
    this.#controller.error(new Error('the answer was broken off'))
  }

  protected finish(rest: string): void {
    if (rest !== '') this.send(rest)
    this.#controller.close()
  }
}
