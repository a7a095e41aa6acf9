import type { SharedChange, SharedMap, SharedMapOptions } from '../contracts/shared-state.ts'
import type { Clock } from '../foundation/clock.ts'
import { recentValues, type RecentValues } from '../runtime/recent-values.ts'

interface Entry<V> {
  readonly value: V
  /** On `Clock.elapsed`. */
  readonly until: number
  /** Until then, other gateways need not hear of the same value again. */
  readonly toldUntil: number
}

type Listener<V> = (key: string, value: V | undefined, forMs: number) => void

/** The way to other gateways. */
export interface Link {
  publish(change: SharedChange): void
  /** False if this gateway has told so much that it keeps what many requests set to itself. */
  mayTell(): boolean
  hmac(map: string, key: string): string
}

/** An entry is read from memory and nowhere else. */
export class LiveMap<V extends {}> implements SharedMap<V> {
  readonly #name: string
  readonly #arePrivate: boolean
  readonly #accepts: (value: unknown) => value is V
  readonly #join: ((known: V, sent: V) => V) | undefined
  readonly #isSame: ((known: V, next: V) => boolean) | undefined
  readonly #clock: Clock
  readonly #entries: RecentValues<string, Entry<V>>
  #link: Link | undefined
  #sendsHmacs = false
  #listener: Listener<V> | undefined

  constructor(name: string, { max, keys, accepts, join, isSame }: SharedMapOptions<V>, clock: Clock) {
    this.#name = name
    this.#arePrivate = keys === 'private'
    this.#accepts = accepts
    this.#join = join
    this.#isSame = isSame
    this.#clock = clock
    this.#entries = recentValues(max)
  }

  /** From now on, changes are published, and keys are those that other gateways know. */
  connect(link: Link): void {
    this.#link = link
    this.#sendsHmacs = this.#arePrivate
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(this.#sendsHmacs ? this.#keyOf(key) : key)
    if (entry === undefined) return undefined
    if (this.#clock.elapsed() < entry.until) return entry.value
    this.#entries.delete(this.#keyOf(key))
    return undefined
  }

  leftMs(key: string): number {
    const { until = 0 } = this.#entries.get(this.#keyOf(key)) ?? {}
    return Math.max(0, Math.ceil(until - this.#clock.elapsed()))
  }

  set(key: string, value: V, forMs: number): void {
    const known = this.#keyOf(key)
    const before = this.#isSame && this.#entries.get(known)
    const now = this.#clock.elapsed()
    const areTold = before !== undefined && now < before.toldUntil && this.#isSame!(before.value, value)
    const tells = !areTold && (!this.#isSame || (this.#link?.mayTell() ?? false))
    this.#entries.set(known, { value, until: now + forMs, toldUntil: areTold ? before.toldUntil : tells ? now + forMs / 2 : 0 })
    if (tells) this.#link?.publish({ map: this.#name, key: known, value, forMs })
  }

  keep(key: string, value: V, forMs: number): void {
    this.#entries.set(this.#keyOf(key), { value, until: this.#clock.elapsed() + forMs, toldUntil: 0 })
  }

  delete(key: string): void {
    const known = this.#keyOf(key)
    if (this.#entries.delete(known)) this.#link?.publish({ map: this.#name, key: known, forMs: 0 })
  }

  onChange(listener: Listener<V>): void {
    this.#listener = listener
  }

  /** Takes a change of another gateway. */
  receive({ key, value, forMs }: SharedChange): void {
    if (value === undefined || forMs <= 0) {
      this.#entries.delete(key)
      this.#listener?.(key, undefined, 0)
    } else if (this.#accepts(value)) {
      const entry = this.#joined(key, { value, until: this.#clock.elapsed() + forMs, toldUntil: this.#clock.elapsed() + forMs / 2 })
      this.#entries.set(key, entry)
      this.#listener?.(key, entry.value, forMs)
    }
  }

  #joined(key: string, sent: Entry<V>): Entry<V> {
    const known = this.#join && this.#entries.get(key)
    if (!known || this.#clock.elapsed() >= known.until) return sent
    return { value: this.#join!(known.value, sent.value), until: Math.min(known.until, sent.until), toldUntil: 0 }
  }

  #keyOf(key: string): string {
    return this.#sendsHmacs ? this.#link!.hmac(this.#name, key) : key
  }
}
