import type { StreamBody } from '../contracts/route.ts'
import type { Listed } from '../runtime/roster.ts'
import type { Heartbeat } from './heartbeat.ts'
import { LongFrames } from './long-frames.ts'

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
  /** A long frame that is not sent yet, and everything behind it. */
  #long: LongFrames | undefined
  #scheduled = false
  #closed = false
  /** Closes when the long frames are sent. */
  #isEnding = false
  #hasBegun = false
  #opening = comment
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

  /** Breaks the connection off. */
  protected abstract breakOff(): void

  get full(): boolean {
    return !this.#closed && (this.#pending.length >= this.#room || this.#long !== undefined)
  }

  /** Called once the response is on its way. Node.js holds back the headers until the first frame. */
  begin(): void {
    if (!this.#hasBegun && this.#opening !== '') this.write(this.#opening)
  }

  openWith(text: string): void {
    this.#opening = text
  }

  write(frame: string): void {
    if (this.#closed) return
    if (this.#long) return this.#isEnding ? undefined : this.#long.add(frame)
    this.#hasBegun = true
    this.#pending += frame
    this.silentVisits = 0
    this.#schedule()
  }

  writeLong(pieces: Iterator<string, void>): void {
    if (this.#closed || this.#isEnding) return
    this.#hasBegun = true
    this.#long ??= new LongFrames()
    this.#long.addLong(pieces)
    this.#schedule()
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
    if (this.#long) {
      this.#isEnding = true
      return
    }
    const rest = this.#pending
    this.leave()
    this.finish(rest)
  }

  /** The client has gone, or needs nothing more. */
  leave(): void {
    if (this.#closed) return
    this.#closed = true
    this.#pending = ''
    this.#long = undefined
    // It references the whole answer.
    this.#beat = undefined
    this.#heartbeat.remove(this)
    this.#release()
  }

  abandon(): void {
    if (this.#closed) return
    this.leave()
    this.breakOff()
  }

  /** The client has read. */
  protected makeRoom(room: number): void {
    this.#room = room
    if (room <= 0) return
    if (this.#long) this.#schedule()
    else this.#release()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#flushLater)
  }

  #flush(): void {
    if (this.#closed) return
    if (this.#pending !== '') {
      const text = this.#pending
      this.#pending = ''
      this.#room = this.send(text)
    }
    if (this.#long && this.#room > 0) this.#sendPiece(this.#long)
  }

  #sendPiece(long: LongFrames): void {
    const piece = nextPiece(long)
    if (piece instanceof Error) return this.abandon()
    if (piece !== undefined) {
      this.silentVisits = 0
      this.#room = this.send(piece)
      if (this.#room > 0) this.#schedule()
      return
    }
    this.#long = undefined
    if (this.#isEnding) this.end()
    else this.#release()
  }

  #release(): void {
    this.#drained?.()
    this.#drained = undefined
  }
}

/** Nobody could catch what is thrown in a later turn. */
function nextPiece(long: LongFrames): string | undefined | Error {
  try {
    return long.next()
  } catch (error) {
    return new Error('a frame cannot be encoded', { cause: error })
  }
}
