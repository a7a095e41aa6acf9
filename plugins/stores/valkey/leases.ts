import type { Clock } from '../../../core/index.ts'
import type { Connection } from './connection.ts'
import { renewScript } from './scripts/renew.ts'

/** A lease is renewed so many times while it lasts, so that one that comes late ends nothing. */
const renewals = 3
/** Places that one run of the script renews: other commands wait for it. */
const atOnce = 500

interface Lease {
  readonly key: string
  renewedAt: number
}

/** The places of this process, by their names. Most are given back before they have to be renewed. */
export class Leases {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #leaseMs: number
  readonly #leases = new Map<string, Lease>()

  constructor(connection: Connection, clock: Clock, leaseMs: number) {
    this.#connection = connection
    this.#clock = clock
    this.#leaseMs = leaseMs
  }

  add(name: string, key: string): void {
    this.#leases.set(name, { key, renewedAt: this.#clock.elapsed() })
  }

  remove(name: string): void {
    this.#leases.delete(name)
  }

  /** The names with their keys. */
  get all(): readonly (readonly [name: string, key: string])[] {
    return Array.from(this.#leases, ([name, { key }]) => [name, key])
  }

  /** Renews those that are due. Core tells a server that has lost places of all of them. */
  async renew(): Promise<void> {
    const now = this.#clock.elapsed()
    const due = [...this.#leases].filter(([, { renewedAt }]) => (now - renewedAt) * renewals >= this.#leaseMs)
    const runs: Promise<unknown>[] = []
    for (const names of this.#runsOf(due)) {
      const values = Array.from(names.values(), each => [String(each.length), ...each]).flat()
      runs.push(this.#connection.run(renewScript, [...names.keys()], [String(this.#leaseMs), ...values]))
    }
    for (const [, lease] of due) lease.renewedAt = now
    await Promise.all(runs)
  }

  /** The names of places by their keys, for each run of the script. */
  *#runsOf(due: readonly (readonly [name: string, lease: Lease])[]): Iterable<ReadonlyMap<string, readonly string[]>> {
    const byKey = Map.groupBy(due, ([, { key }]) => key)
    let run = new Map<string, readonly string[]>()
    let size = 0
    for (const [key, leases] of byKey)
      for (let from = 0; from < leases.length; from += atOnce) {
        const names = leases.slice(from, from + atOnce).map(([name]) => name)
        if (size > 0 && (this.#connection.isCluster || size + names.length > atOnce)) {
          yield run
          run = new Map()
          size = 0
        }
        run.set(key, names)
        size += names.length
      }
    if (size > 0) yield run
  }
}
