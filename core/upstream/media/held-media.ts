import { GatewayError } from '../../foundation/errors.ts'

/** What one request holds. */
export interface MediaShare {
  /** How many bytes were taken. */
  readonly bytes: number
  /** How many it may take. */
  readonly maximumBytes: number
  /** Called before bytes are kept. Undefined when they may be at once; else rejects with a 503 after a while, or with the signal's reason. */
  take(bytes: number, signal: AbortSignal): Promise<void> | undefined
  /** Nothing more will be taken: room that was not needed is free again. */
  settle(): void
  release(): void
}

interface Waiter {
  readonly share: Share
  readonly bytes: number
  go(): void
}

/**
 * Counts the bytes of images and files that all requests hold together. A request enters with room for its likely size, and waits
 * while there is none; so few are under way at once, and they finish. One that needs more waits for others to let go, save the oldest,
 * or all could wait for one another: by what one request may hold the limit may be passed, and by no more.
 */
export class HeldMedia {
  readonly #limit: number
  readonly #maximumWaitMs: number
  /** The oldest first. */
  readonly #shares = new Set<Share>()
  /** Those inside go before those who wait to enter. */
  readonly #growing = new Set<Waiter>()
  readonly #entering = new Set<Waiter>()
  #room = 0

  constructor(limit: number, maximumWaitMs = 10_000) {
    this.#limit = limit
    this.#maximumWaitMs = maximumWaitMs
  }

  /** Bytes that are held, or that there must be room for. */
  get bytes(): number {
    return this.#room
  }

  async enter(likelyBytes: number, maximumBytes: number, signal: AbortSignal): Promise<MediaShare> {
    const share = new Share(this, maximumBytes)
    const bytes = Math.min(likelyBytes, maximumBytes)
    const mayEnter = this.#growing.size === 0 && this.#entering.size === 0 && this.#fits(bytes)
    if (!mayEnter) await this.#wait(this.#entering, share, bytes, signal)
    else this.#admit(share, bytes)
    return share
  }

  /** For shares. */
  grow(share: Share, bytes: number, signal: AbortSignal): Promise<void> | undefined {
    // A request that failed counts for nothing, although one of its downloads may not have heard of it yet.
    if (!this.#shares.has(share)) return undefined
    const isOldest = this.#shares.values().next().value === share
    if (!isOldest && !this.#fits(bytes)) return this.#wait(this.#growing, share, bytes, signal)
    this.#add(share, bytes)
    return undefined
  }

  /** For shares. */
  shrink(share: Share, bytes: number): void {
    if (!this.#shares.has(share)) return
    this.#add(share, -bytes)
    this.#wake()
  }

  /** For shares. */
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

  /** Whoever is alone always fits. */
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
    const timer = setTimeout(() => fail(busy()), this.#maximumWaitMs)
    queue.add(waiter)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    return promise
  }
}

class Share implements MediaShare {
  readonly maximumBytes: number
  bytes = 0
  room = 0
  readonly #held: HeldMedia

  constructor(held: HeldMedia, maximumBytes: number) {
    this.#held = held
    this.maximumBytes = maximumBytes
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
    message: 'The gateway holds as many images and files of other requests as it may. Try again.',
    retryAfterMs: 1_000,
  })
}
