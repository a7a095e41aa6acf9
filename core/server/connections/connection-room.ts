import { GatewayError } from '../../foundation/errors.ts'

/** How many connections there are, for each key. One key gets at most half of the room. */
export class ConnectionRoom {
  readonly #limit: number
  readonly #byKey = new Map<string, number>()
  #count = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Throws a 503 if there is no room. Returns what gives the place back, once. */
  take(keyId: string): () => void {
    const own = this.#byKey.get(keyId) ?? 0
    if (this.#count >= this.#limit || (own > 0 && own >= this.#limit / 2)) throw noRoom(this.#limit)
    this.#count++
    this.#byKey.set(keyId, own + 1)
    return () => {
      this.#count--
      const left = this.#byKey.get(keyId)! - 1
      if (left > 0) this.#byKey.set(keyId, left)
      else this.#byKey.delete(keyId)
    }
  }
}

function noRoom(limit: number): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: `The gateway has too many open connections: it keeps ${limit} (server.maxConnections), and half of them for one API key. Close one, or use HTTP.`,
    retryAfterMs: 1_000,
    transient: true,
  })
}
