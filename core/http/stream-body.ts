import type { StreamBody } from '../contracts/route.ts'
import type { Listed } from '../foundation/roster.ts'
import type { Heartbeat } from './heartbeat.ts'

/** How much is buffered for a client that does not read. */
export const highWaterBytes = 16 * 1024

/** A comment, which readers of server-sent events skip. */
const comment = ':\n\n'

/** Collects frames and writes them once per turn of the event loop, because each write is expensive. Each way out has its subclass. */
export abstract class CoalescedBody implements StreamBody, Listed {
  place = -1
  readonly #heartbeat: Heartbeat
  /** How much more the client's side takes. Kept here because asking it for every event is slow. */
  #room = highWaterBytes
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

  constructor(heartbeat: Heartbeat) {
    this.#heartbeat = heartbeat
    heartbeat.add(this)
  }

  /** Takes the frames of one turn. Returns how much more there is room for: 0 or less if the client reads too slowly. */
  protected abstract send(text: string): number

  /** Called once, with the last frames or an empty string. */
  protected abstract finish(rest: string): void

  get full(): boolean {
    return !this.#closed && this.#pending.length >= this.#room
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
    if (this.full) this.#flush()
    // A reader was waiting and has taken the chunk.
    if (!this.full) return Promise.resolve()
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
    const rest = this.#pending
    this.leave()
    this.finish(rest)
  }

  /** The client has gone, or needs nothing more. */
  leave(): void {
    if (this.#closed) return
    this.#closed = true
    this.#pending = ''
    // It references the whole answer.
    this.#beat = undefined
    this.#heartbeat.remove(this)
    this.#release()
  }

  /** The client has read. */
  protected makeRoom(room: number): void {
    this.#room = room
    if (room > 0) this.#release()
  }

  #flush(): void {
    if (this.#closed || this.#pending === '') return
    const text = this.#pending
    this.#pending = ''
    this.#room = this.send(text)
  }

  #release(): void {
    this.#drained?.()
    this.#drained = undefined
  }
}
