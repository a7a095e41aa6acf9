import type { Maybe } from '../runtime/pending.ts'
import { contract, token } from '../foundation/token.ts'

/** One change to a map that gateways share. Plain JSON. */
export interface SharedChange {
  /** The name of the map. */
  readonly map: string
  /** An id, or an HMAC: never a secret or content. */
  readonly key: string
  /** Absent if the entry is gone. */
  readonly value?: unknown
  /** How much longer the entry is valid, in milliseconds, so clocks may differ. 0: it is gone. */
  readonly forMs: number
}

/**
 * Carries what one gateway learns to the others: that a credential rests, a circuit is open, a session ended. Experimental. Without a plugin
 * that provides it, each gateway knows only what it learned itself. Core keeps every entry in memory and never waits for this service: if it
 * throws, rejects or loses changes, requests go on with what this gateway knows. `sharedStateSuite` of `turnpike/testing` checks an
 * implementation.
 */
export interface SharedState {
  /**
   * Sends a change to the other gateways, in the order of the calls for each key. Also called while requests run, so return at once and queue
   * what takes long. The log has one line for all throws and rejections of ten seconds.
   */
  publish(change: SharedChange): Maybe<void>
  /**
   * Called once, after every plugin has started. Pass on what other gateways publish, never what this one does. For a gateway that starts
   * late, begin with the entries that are still valid, each with the time that is left. `receive` never throws, and ignores what it cannot read.
   */
  subscribe(receive: (change: SharedChange) => void): Maybe<void>
}
export const SharedState = contract<SharedState>('shared-state', { version: 1, stability: 'experimental' })

/** How a shared map keeps and joins its entries. */
export interface SharedMapOptions<V> {
  /** Only the entries used last are kept. */
  readonly max: number
  /** `ids` may be sent as they are. Of `private` keys, which are secrets or come from callers, other gateways get an HMAC. */
  readonly keys: 'ids' | 'private'
  /** Checks what another gateway sent, which may be of another version. */
  accepts(value: unknown): value is V
  /**
   * Joins an entry with the one that another gateway sends, such as a count that both added to. The result ends when the first of the two
   * does. Gateways agree if the order of joining makes no difference. Default: the entry that came last.
   */
  join?(known: V, sent: V): V
  /**
   * True if the two say the same. Other gateways then hear of a value that is set again only after half of its time, so they may forget it
   * that much earlier, and the more gateways there are, the fewer of these values each of them tells. For entries that many requests set.
   * Default: they hear of every `set`.
   */
  isSame?(known: V, next: V): boolean
}

/** A map that this gateway shares with others, if a plugin provides `SharedState`. Synchronous, and in memory. Experimental. */
export interface SharedMap<V> {
  /** How many entries there are, including some that are no longer valid. */
  readonly size: number
  /** Undefined if there is none, or it is no longer valid. */
  get(key: string): V | undefined
  /** How much longer the entry is valid, in milliseconds. 0: there is none. */
  leftMs(key: string): number
  /** `value` is plain JSON, and the caller leaves it unchanged. `forMs`: how long it is valid. */
  set(key: string, value: V, forMs: number): void
  /** The same, without telling other gateways. */
  keep(key: string, value: V, forMs: number): void
  /** Removes the entry here and at other gateways. */
  delete(key: string): void
  /** Calls back for each change of another gateway. `value` is undefined if the entry is gone. Only for maps whose keys are `ids`. */
  onChange(listener: (key: string, value: V | undefined, forMs: number) => void): void
}

/** The maps that gateways share. Core provides them, and plugins may have some: name it in `needs`. Experimental. */
export interface SharedMaps {
  /** Call once for each name, in `setup`. A plugin's map has its name in front, such as `acme-guard/blocked`. */
  map<V>(name: string, options: SharedMapOptions<V>): SharedMap<V>
}
export const SharedMaps = token<SharedMaps>('shared-maps')
