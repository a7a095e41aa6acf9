import type { StreamBody } from '../contracts/route.ts'
import type { Listed } from '../foundation/roster.ts'
import type { Heartbeat } from './heartbeat.ts'

/** How much is buffered for a client that does not read, both as frames and as chunks for the socket. */
const highWaterBytes = 16 * 1024

const longestPooled = 4096
const encoder = new TextEncoder()

/** A comment, which readers of server-sent events skip. */
const comment = ':\n\n'

/** Collects frames and gives the socket one chunk per turn of the event loop, because each write is expensive. */
export class CoalescedBody implements StreamBody, Listed {
  place = -1
  readonly readable: ReadableStream<Uint8Array>
  readonly #heartbeat: Heartbeat
  #controller!: ReadableStreamDefaultController<Uint8Array>
  #pending = ''
  #scheduled = false
  #closed = false
  #hasBegun = false
  #drained: (() => void) | undefined
  #beat: (() => void) | undefined
  /** Set by each heartbeat, cleared by each write. */
  silentVisits = 0
  readonly #flushLater = (): void => {
    this.#scheduled = false
    this.#flush()
  }

  /** `onGone` is called if the reader disconnects before the end. */
  constructor(heartbeat: Heartbeat, onGone: () => void) {
    this.#heartbeat = heartbeat
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: controller => {
          this.#controller = controller
        },
        pull: () => this.#release(),
        cancel: () => {
          this.#close()
          onGone()
        },
      },
      { highWaterMark: highWaterBytes, size: chunk => chunk.byteLength },
    )
    heartbeat.add(this)
  }

  get full(): boolean {
    return !this.#closed && (this.#pending.length > highWaterBytes || this.#controller.desiredSize! <= 0)
  }

  /** Called once the response is on its way. Node.js holds back the headers until the first frame. */
  begin(): void {
    if (!this.#hasBegun) this.write(comment)
  }

  write(frame: string): void {
    if (this.#closed) return
    this.#hasBegun = true
    this.#pending += frame
    this.silentVisits = 0
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#flushLater)
  }

  drained(): Promise<void> {
    if (!this.full) return Promise.resolve()
    this.#flush()
    return new Promise(resolve => {
      this.#drained = resolve
    })
  }

  onSilence(beat: () => void): void {
    this.#beat = beat
  }

  /** Called by the heartbeat. */
  beat(): void {
    this.silentVisits = 0
    // For a client that does not read, heartbeats would only pile up.
    if (!this.full) this.#beat?.()
  }

  end(): void {
    if (this.#closed) return
    this.#flush()
    this.#close()
    this.#controller.close()
  }

  #flush(): void {
    if (this.#closed || this.#pending === '') return
    // A long chunk may wait for its reader. It must not keep a whole block of the shared pool alive meanwhile.
    const chunk = this.#pending.length > longestPooled ? encoder.encode(this.#pending) : Buffer.from(this.#pending)
    this.#pending = ''
    this.#controller.enqueue(chunk)
  }

  #close(): void {
    this.#closed = true
    this.#pending = ''
    // It references the whole answer.
    this.#beat = undefined
    this.#heartbeat.remove(this)
    this.#release()
  }

  #release(): void {
    this.#drained?.()
    this.#drained = undefined
  }
}
