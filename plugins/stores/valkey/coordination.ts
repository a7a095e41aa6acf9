import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../core/index.ts'
import type {
  Beat,
  Claim,
  Claimed,
  Coordination,
  CoordinatedWindow,
  CountDelta,
  CountSum,
  Gauges,
  PlaceChange,
  TokenWindow,
  Unclaimed,
  WindowChange,
} from '../../../core/stores.ts'
import type { Connection } from './connection.ts'
import { Deliveries } from './deliveries.ts'
import { Exchanges } from './exchanges.ts'
import { Generation } from './generation.ts'
import type { Keys } from './keys.ts'
import { Leases } from './leases.ts'
import { beatScript, gaugesScript } from './scripts/beat.ts'
import { changeScript } from './scripts/change.ts'
import { claimScript } from './scripts/claim.ts'
import { statesScript } from './scripts/states.ts'

/** How long a process counts, and its places are leased, after its last sign of life. */
const usualLives = { aliveMs: 5_000, leaseMs: 10_000 }
/** A claim that reaches the server later takes nothing: by then, nobody waits for it. */
const claimWaitMs = 1_000
/** Changes in one run of the script: other commands wait for it. */
const changesAtOnce = 500

/** Windows, places, signs of life and sums in Valkey. Every time is one of its clock. */
export class ValkeyCoordination implements Coordination {
  readonly #connection: Connection
  readonly #keys: Keys
  readonly #process = randomBytes(6).toString('base64url')
  readonly #leases: Leases
  readonly #deliveries: Deliveries
  readonly #generation: Generation
  readonly #exchanges: Exchanges
  readonly #aliveMs: number
  readonly #leaseMs: number

  constructor(connection: Connection, keys: Keys, clock: Clock, { aliveMs, leaseMs } = usualLives) {
    this.#connection = connection
    this.#keys = keys
    this.#aliveMs = aliveMs
    this.#leaseMs = leaseMs
    this.#leases = new Leases(connection, clock, leaseMs)
    this.#generation = new Generation(connection, keys, clock)
    this.#deliveries = new Deliveries(connection, this.#generation, clock)
    this.#exchanges = new Exchanges(connection, this.#deliveries, keys, this.#process)
    connection.onReady(() => this.#generation.forgetClock())
  }

  async claim({ group, places, windows }: Claim): Promise<Claimed | Unclaimed> {
    const placeKeys = places.map(({ bucket }) => this.#keys.place(group, bucket))
    const keys = [...placeKeys, ...windows.map(({ bucket }) => this.#keys.window(group, bucket))]
    const values: (string | number)[] = [this.#generation.deadline(claimWaitMs), this.#leaseMs, places.length]
    for (const { limit, place } of places) values.push(limit, place)
    for (const { tokens, windowMs, amount, saved } of windows)
      values.push(tokens, whole(windowMs), whole(amount), whole(saved?.used ?? 0), whole(saved?.endsInMs ?? 0))
    const reply = (await this.#connection.run(claimScript, keys, values.map(String))) as [
      taken: number,
      full: number,
      ...(number | string)[],
    ]
    const [taken, full, ...states] = reply
    if (taken < 0) throw new Error(`the claim reached Valkey more than ${claimWaitMs} ms late`)
    const stood = windows.map((_, index) => windowOf(states.slice(4 * index + 1)))
    if (taken === 0) {
      const fullWindows = windows.filter((_, index) => states[4 * index] === 1).map(({ bucket }) => bucket)
      return { ...(full > 0 && { fullPlace: places[full - 1]!.bucket }), fullWindows, windows: stood }
    }
    for (const [index, { place }] of places.entries()) this.#leases.add(place, placeKeys[index]!)
    return { windows: stood }
  }

  async change(windows: readonly WindowChange[], places: readonly PlaceChange[]): Promise<void> {
    for (const { group, bucket, place, isHeld } of places) {
      if (isHeld) this.#leases.add(place, this.#keys.place(group, bucket))
      else this.#leases.remove(place)
    }
    const sums = summed(windows)
    if (!this.#connection.isCluster) return await this.#changeIn(this.#keys.batchOfProcess(this.#process), sums, places)
    const groups = new Set([...sums, ...places].map(({ group }) => group))
    const of = <T extends { readonly group: string }>(all: readonly T[], wanted: string): readonly T[] =>
      all.filter(({ group }) => group === wanted)
    await Promise.all(
      Array.from(groups, group => this.#changeIn(this.#keys.batchOf(group, this.#process), of(sums, group), of(places, group))),
    )
  }

  async #changeIn(numberKey: string, windows: readonly WindowChange[], places: readonly PlaceChange[]): Promise<void> {
    const sent: Promise<unknown>[] = []
    for (let from = 0; from < windows.length + places.length; from += changesAtOnce) {
      const some = windows.slice(from, from + changesAtOnce)
      const begin = Math.max(0, from - windows.length)
      const others = places.slice(begin, Math.max(begin, from + changesAtOnce - windows.length))
      const keys = [
        ...some.map(({ group, bucket }) => this.#keys.window(group, bucket)),
        ...others.map(({ group, bucket }) => this.#keys.place(group, bucket)),
      ]
      const values: string[] = [String(this.#leaseMs), String(some.length)]
      for (const { run, windowMs, endsInMs, amount } of some)
        values.push(run ?? '', String(Math.max(1, whole(endsInMs ?? windowMs))), String(amount))
      for (const { place, isHeld } of others) values.push(isHeld ? '1' : '0', place)
      sent.push(this.#deliveries.deliver(changeScript, numberKey, keys, values))
    }
    await Promise.all(sent)
  }

  async states(group: string, windows: readonly TokenWindow[]): Promise<readonly CoordinatedWindow[]> {
    if (windows.length === 0) return []
    const keys = windows.map(({ bucket }) => this.#keys.window(group, bucket))
    const states = (await this.#connection.run(statesScript, keys, [])) as (number | string)[]
    return windows.map((_, index) => windowOf(states.slice(3 * index)))
  }

  async beat(gauges: Gauges): Promise<Beat> {
    const sign = [this.#process, String(this.#aliveMs), JSON.stringify(gauges)]
    const [generation, processes] = await Promise.all([
      this.#generation.current(),
      this.#connection.run(beatScript, this.#keys.processes, sign),
    ])
    void this.#leases.renew()
    return { processes: processes as number, generation }
  }

  async gauges(): Promise<readonly Gauges[]> {
    const all = (await this.#connection.run(gaugesScript, this.#keys.processes, [])) as string[]
    return all.map(each => JSON.parse(each) as Gauges)
  }

  async exchange(
    deltas: readonly CountDelta[],
    since: string | undefined,
  ): Promise<{ readonly sums: readonly CountSum[]; readonly since: string }> {
    return await this.#exchanges.exchange(deltas, since)
  }

  /** Gives back what this process has. */
  async leave(): Promise<void> {
    if (!this.#connection.isReady) return
    const runs: Promise<unknown>[] = [this.#connection.run(beatScript, this.#keys.processes, [this.#process, '0', ''])]
    for (const [key, names] of this.#leases.byKey) runs.push(this.#connection.send(key, ['ZREM', key, ...names]))
    await Promise.allSettled(runs)
  }
}

/** One change for each run of a window. */
function summed(changes: readonly WindowChange[]): readonly WindowChange[] {
  const byRun = new Map<string, WindowChange>()
  for (const change of changes) {
    const { group, bucket, run = '', amount } = change
    const name = JSON.stringify([group, bucket, run])
    const before = byRun.get(name)
    byRun.set(name, before ? { ...before, amount: before.amount + amount } : change)
  }
  return Array.from(byRun.values(), change => ({ ...change, amount: Math.ceil(change.amount) })).filter(({ amount }) => amount !== 0)
}

function windowOf([used, leftMs, run]: readonly (number | string)[]): CoordinatedWindow {
  return { used: used as number, endsInMs: leftMs === -1 ? undefined : (leftMs as number), run: run === '' ? undefined : (run as string) }
}

/** The server counts in whole numbers. */
function whole(amount: number): number {
  return Math.ceil(amount)
}
