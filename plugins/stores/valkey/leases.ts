import type { Clock } from '../../../core/index.ts'
import type { Connection } from './connection.ts'
import { renewScript } from './scripts/renew.ts'

/** A lease is renewed so many times while it lasts, so that a renewal that comes late ends nothing. */
const renewals = 3
/** Places that one run of the script renews: other commands wait for it. */
const atOnce = 500

interface Lease {
  readonly name: string
  readonly key: string
  renewedAt: number
}

/** The places of this process, by their names. Most are given back before they have to be renewed. */
export class Leases {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #leaseMs: number
  readonly #leases = new Map<string, Lease>()
  #isRenewing = false

  constructor(connection: Connection, clock: Clock, leaseMs: number) {
    this.#connection = connection
    this.#clock = clock
    this.#leaseMs = leaseMs
  }

  add(name: string, key: string): void {
    this.#leases.set(name, { name, key, renewedAt: this.#clock.elapsed() })
  }

  remove(name: string): void {
    this.#leases.delete(name)
  }

  /** All names, by their keys. */
  get byKey(): ReadonlyMap<string, readonly string[]> {
    const byKey = Map.groupBy(this.#leases.values(), ({ key }) => key)
    return new Map(Array.from(byKey, ([key, leases]) => [key, leases.map(({ name }) => name)]))
  }

  /** Renews those that are due, a part after the other, so that claims need not wait. Core tells a server that has lost places of all of them. */
  async renew(): Promise<void> {
    if (this.#isRenewing) return
    this.#isRenewing = true
    const now = this.#clock.elapsed()
    const due = [...this.#leases.values()].filter(({ renewedAt }) => (now - renewedAt) * renewals >= this.#leaseMs)
    try {
      const byKey = [...Map.groupBy(due, ({ key }) => key).values()]
      // In a cluster, a script changes what is on one node.
      const parts = this.#connection.isCluster ? byKey : [byKey.flat()]
      for (const part of parts)
        for (let from = 0; from < part.length; from += atOnce) await this.#renewSome(part.slice(from, from + atOnce), now)
    } catch {
      // The connection has reported it. The next sign of life tries again.
    } finally {
      this.#isRenewing = false
    }
  }

  /** Those that are still held: one that was given back meanwhile must not come back. */
  async #renewSome(due: readonly Lease[], now: number): Promise<void> {
    const held = Map.groupBy(
      due.filter(lease => this.#leases.get(lease.name) === lease),
      ({ key }) => key,
    )
    if (held.size === 0) return
    const values = Array.from(held.values(), leases => [String(leases.length), ...leases.map(({ name }) => name)]).flat()
    await this.#connection.run(renewScript, [...held.keys()], [String(this.#leaseMs), ...values])
    for (const lease of due) lease.renewedAt = now
  }
}
