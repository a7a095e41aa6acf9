import type { ConnectionProtocol } from '../../contracts/connection.ts'
import type { Together } from '../../coordination/together.ts'
import { GatewayError } from '../../foundation/errors.ts'
import { own, wording } from '../../foundation/wording.ts'
import type { Maybe } from '../../runtime/pending.ts'

export interface ConnectionOwner {
  readonly keyId: string
  readonly org: string
}

/**
 * How many connections there are, for each key. One key gets at most half of the room of this process, and of a protocol what its plugin
 * allows, in all processes that count together.
 */
export class ConnectionRoom {
  readonly #limit: number
  readonly #byKey = new Map<string, number>()
  readonly #ofProtocols = new Map<ConnectionProtocol, Map<string, number>>()
  readonly #together: () => Together | undefined
  #count = 0

  /** `together`: where processes count together, if they do. */
  constructor(limit: number, together: () => Together | undefined) {
    this.#limit = limit
    this.#together = together
  }

  /** Throws a 429 or 503 if there is no room. Returns what gives the place back, once. */
  take(owner: ConnectionOwner, protocol: ConnectionProtocol): Maybe<() => void> {
    const leave = this.#takeHere(owner.keyId, protocol)
    const together = protocol.maxPerKey === undefined ? undefined : this.#together()
    return together ? shared(together, owner, protocol, leave) : leave
  }

  #takeHere(keyId: string, protocol: ConnectionProtocol): () => void {
    const own = this.#byKey.get(keyId) ?? 0
    if (this.#count >= this.#limit || (own > 0 && own >= this.#limit / 2)) throw noRoom(this.#limit)
    const counts = this.#countsOf(protocol)
    if (counts && (counts.get(keyId) ?? 0) >= protocol.maxPerKey!) throw tooMany(protocol.maxPerKey!)
    this.#count++
    add(this.#byKey, keyId, 1)
    if (counts) add(counts, keyId, 1)
    return () => {
      this.#count--
      add(this.#byKey, keyId, -1)
      if (counts) add(counts, keyId, -1)
    }
  }

  /** Undefined if the protocol has no limit of its own. */
  #countsOf(protocol: ConnectionProtocol): Map<string, number> | undefined {
    if (protocol.maxPerKey === undefined) return undefined
    let counts = this.#ofProtocols.get(protocol)
    if (!counts) this.#ofProtocols.set(protocol, (counts = new Map()))
    return counts
  }
}

async function shared(
  together: Together,
  { keyId, org }: ConnectionOwner,
  protocol: ConnectionProtocol,
  leaveHere: () => void,
): Promise<() => void> {
  const limit = protocol.maxPerKey!
  const place = { bucket: `connections:${protocol.protocol}:${keyId}`, limit }
  const { leave } = await together.take({ group: org, place, windows: [] })
  if (!leave) {
    leaveHere()
    throw tooMany(limit)
  }
  return () => {
    leaveHere()
    leave()
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}

function tooMany(limit: number): GatewayError {
  return new GatewayError({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    message: wording`This API key has ${own(limit)} connections open, which is the most. Close one, use lanes of one connection, or use HTTP.`,
    reason: { kind: 'concurrency', level: 'key' },
    retryAfterMs: 1_000,
  })
}

function noRoom(limit: number): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: wording`The gateway has too many open connections: it keeps ${own(limit)} (server.maxConnections), and half of them for one API key. Close one, or use HTTP.`,
    reason: { kind: 'overload' },
    retryAfterMs: 1_000,
    transient: true,
  })
}
