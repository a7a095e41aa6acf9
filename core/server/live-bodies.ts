import { GatewayError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { wire } from '../framework/container.ts'
import { Settings } from '../framework/settings.ts'

/** Small bodies are not counted: they cost less than counting them. */
const countedFromBytes = 64 * 1024

/**
 * The bytes of all request bodies that are being read or answered. A request holds its body in several forms until it is answered, so a
 * few hundred large ones would exhaust the memory of the process. One key gets at most half of the room.
 */
export class LiveBodies {
  readonly #limit: number
  readonly #byKey = new Map<string, number>()
  #bytes = 0

  static {
    wire(this, [Settings])
  }

  constructor({ maxLiveBodyBytes }: Settings) {
    this.#limit = maxLiveBodyBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  open(keyId: string): LiveBody {
    return new LiveBody(keyId, this)
  }

  /** For bodies. Throws the 503. */
  take(keyId: string, bytes: number): void {
    const own = (this.#byKey.get(keyId) ?? 0) + bytes
    // One that is alone may be as large as `maxBodyBytes` allows.
    const isTooMuch = (this.#bytes > 0 && this.#bytes + bytes > this.#limit) || (own > bytes && own > this.#limit / 2)
    if (isTooMuch) throw noRoom(this.#limit)
    this.#bytes += bytes
    this.#byKey.set(keyId, own)
  }

  /** For bodies. */
  give(keyId: string, bytes: number): void {
    this.#bytes -= bytes
    const left = (this.#byKey.get(keyId) ?? 0) - bytes
    if (left > 0) this.#byKey.set(keyId, left)
    else this.#byKey.delete(keyId)
  }
}

/** One body. Whoever opens it releases it once. */
export class LiveBody {
  readonly #keyId: string
  readonly #all: LiveBodies
  #counted = 0

  constructor(keyId: string, all: LiveBodies) {
    this.#keyId = keyId
    this.#all = all
  }

  /** Called before so many bytes in all are kept. Throws a 503 when there is no room for them. */
  hold(bytes: number): void {
    if (bytes < countedFromBytes || bytes <= this.#counted) return
    this.#all.take(this.#keyId, bytes - this.#counted)
    this.#counted = bytes
  }

  release(): void {
    if (this.#counted === 0) return
    this.#all.give(this.#keyId, this.#counted)
    this.#counted = 0
  }
}

function noRoom(limit: number): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: wording`The gateway is answering too many large requests: their bodies together may have ${own(limit)} bytes (server.maxLiveBodyBytes), and those of one API key half of that. Try again in a moment.`,
    reason: { kind: 'overload' },
    retryAfterMs: 1_000,
    transient: true,
  })
}
