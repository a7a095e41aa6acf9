import { GatewayError } from '../../foundation/errors.ts'
import { wording } from '../../foundation/wording.ts'

/** The media that one request holds in memory. */
export interface MediaShare {
  /** The number of bytes taken. */
  readonly bytes: number
  /** The most bytes that it may take. */
  readonly maxBytes: number
  /** Call before keeping bytes. Returns undefined if there is room now; else waits, and rejects with a 503 after a while or with the signal's reason. */
  take(bytes: number, signal: AbortSignal): Promise<void> | undefined
  /** Frees reserved room that was not needed. Nothing more will be taken. */
  settle(): void
  release(): void
}

interface Waiter {
  readonly share: Share
  readonly bytes: number
  go(): void
}

/**
 * Limits the bytes of images and files that all requests hold together. A request enters once there is room for its likely size, so only
 * a few run at a time, and they finish. One that needs more waits for others to release theirs, except the oldest, so that requests
 * never deadlock. The total may therefore exceed the limit, by at most what one request may hold.
 */
export class HeldMedia {
  readonly #limit: number
  readonly #maxWaitMs: number
  /** Oldest first. */
  readonly #shares = new Set<Share>()
  /** Served before requests that wait to enter. */
  readonly #growing = new Set<Waiter>()
  readonly #entering = new Set<Waiter>()
  #room = 0

  constructor(limit: number, maxWaitMs = 10_000) {
    this.#limit = limit
    this.#maxWaitMs = maxWaitMs
  }

  /** Bytes held or reserved. */
  get bytes(): number {
    return this.#room
  }

  async enter(likelyBytes: number, maxBytes: number, signal: AbortSignal): Promise<MediaShare> {
    const share = new Share(this, maxBytes)
    const bytes = Math.min(likelyBytes, maxBytes)
    const mayEnter = this.#growing.size === 0 && this.#entering.size === 0 && this.#fits(bytes)
    if (!mayEnter) await this.#wait(this.#entering, share, bytes, signal)
    else this.#admit(share, bytes)
    return share
  }

  /** Called by shares. */
  grow(share: Share, bytes: number, signal: AbortSignal): Promise<void> | undefined {
    // A failed request no longer counts, although one of its downloads may still be running.
    if (!this.#shares.has(share)) return undefined
    const isOldest = this.#shares.values().next().value === share
    if (!isOldest && !this.#fits(bytes)) return this.#wait(this.#growing, share, bytes, signal)
    this.#add(share, bytes)
    return undefined
  }

  /** Called by shares. */
  shrink(share: Share, bytes: number): void {
    if (!this.#shares.has(share)) return
    this.#add(share, -bytes)
    this.#wake()
  }

  /** Called by shares. */
  leave(share: Share): void {
    if (!this.#shares.delete(share)) return
    this.#room -= share.room
    this.#wake()
  }

  #wake(): void {
    const [oldest] = this.#shares
    for (const waiter of this.#growing) if (waiter.share === oldest || this.#fits(waiter.bytes)) waiter.go()
    if (this.#growing.size > 0) return
    for (const waiter of this.#entering) {
      if (!this.#fits(waiter.bytes)) return
      waiter.go()
    }
  }

  /** A request always fits if it is the only one. */
  #fits(bytes: number): boolean {
    return this.#shares.size === 0 || this.#room + bytes <= this.#limit
  }

  #admit(share: Share, bytes: number): void {
    this.#shares.add(share)
    this.#add(share, bytes)
  }

  #add(share: Share, bytes: number): void {
    share.room += bytes
    this.#room += bytes
  }

  #wait(queue: Set<Waiter>, share: Share, bytes: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (): void => {
      queue.delete(waiter)
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    const go = (): void => {
      leave()
      this.#admit(share, bytes)
      resolve()
    }
    const fail = (reason: unknown): void => {
      leave()
      reject(reason)
      this.#wake()
    }
    const waiter: Waiter = { share, bytes, go }
    const onAbort = (): void => fail(signal.reason)
    const timer = setTimeout(() => fail(busy()), this.#maxWaitMs)
    queue.add(waiter)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    return promise
  }
}

class Share implements MediaShare {
  readonly maxBytes: number
  bytes = 0
  room = 0
  readonly #held: HeldMedia

  constructor(held: HeldMedia, maxBytes: number) {
    this.#held = held
    this.maxBytes = maxBytes
  }

  take(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    this.bytes += bytes
    const lacking = Math.min(bytes, this.bytes - this.room)
    return lacking > 0 ? this.#held.grow(this, lacking, signal) : undefined
  }

  settle(): void {
    if (this.room > this.bytes) this.#held.shrink(this, this.room - this.bytes)
  }

  release(): void {
    this.#held.leave(this)
  }
}

function busy(): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: wording`The gateway is at its memory limit for images and files of other requests. Try again.`,
    reason: { kind: 'overload' },
    transient: true,
    retryAfterMs: 1_000,
  })
}
