import type { JsonObject } from '../foundation/json.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { PageQuery } from './page.ts'
import { contract } from '../foundation/token.ts'

/**
 * `cap`, `credit`: so much of it is spent. `provider`: it is down, or back. `errors`, `latency`: over a threshold, or below it again.
 * `records`: some were dropped. `certificate`: it expires soon. `key-unused`, `key-expiring`: an API key.
 */
export const alertKinds = [
  'cap',
  'credit',
  'provider',
  'errors',
  'latency',
  'records',
  'certificate',
  'key-unused',
  'key-expiring',
] as const
export type AlertKind = (typeof alertKinds)[number]

/** `info`: good news. `critical`: requests fail, or records are lost. */
export const alertSeverities = ['info', 'warning', 'critical'] as const
export type AlertSeverity = (typeof alertSeverities)[number]

/** Something that an operator should know. No content, no secrets, and no names that callers made up. */
export interface Alert {
  /** Unique. Every delivery of an alert has the same. */
  readonly id: string
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly at: number
  /** Targets may ask for some kinds only. */
  readonly kind: AlertKind
  /** What it is about, such as `key:<id>`, `team:<org>/<id>`, `org:<id>`, `provider:<id>`, `model:<provider>/<model>`, `sink:<name>` or `gateway`. */
  readonly subject: string
  /** The organization that it concerns. Null: the gateway as a whole, so organizations do not see it. */
  readonly org: string | null
  /** Targets may ask for a lowest one. */
  readonly severity: AlertSeverity
  /** Such as `Provider openai is down`, without a full stop. At most 200 characters. */
  readonly title: string
  /** One or two plain sentences, at most 1,000 characters. */
  readonly message: string
  /** The numbers and names of the message, in snake_case. Times are ISO 8601. */
  readonly facts: JsonObject
  /** The id of the earlier alert that is over now. Null: this is no all-clear. */
  readonly resolves: string | null
}

/** `open`: nobody has acknowledged it, and it is not over. All-clears are `resolved`. */
export const alertStates = ['open', 'acknowledged', 'resolved'] as const
export type AlertState = (typeof alertStates)[number]

/** An alert as it is listed. */
export interface StoredAlert extends Alert {
  readonly state: AlertState
  readonly acknowledgedAt: number | null
  /** The id of the admin token that acknowledged it. */
  readonly acknowledgedBy: string | null
  readonly resolvedAt: number | null
  /** The id of the silence that held it back. */
  readonly silencedBy: string | null
}

export interface AlertFilter {
  readonly kind?: AlertKind | undefined
  readonly org?: string | undefined
  readonly state?: AlertState | undefined
  /** Milliseconds since the epoch, inclusive. */
  readonly from?: number | undefined
  /** Exclusive. */
  readonly to?: number | undefined
}

/** Keeps alerts from being delivered until a time. They are still listed. Every member that is not null has to match. */
export interface Silence {
  readonly id: string
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly at: number
  readonly until: number
  readonly kind: AlertKind | null
  readonly subject: string | null
  readonly org: string | null
  readonly note: string | null
  /** The id of the admin token that made it. */
  readonly by: string
  /** `all`: nobody is told. `org`: a token of the organization made it, so only the organization's own targets are not told. */
  readonly reach: 'all' | 'org'
}

/** `operators`: the organization silenced it for its own targets. */
export type AlertAudience = 'all' | 'operators'

/**
 * Delivers alerts. Without any channel, the gateway watches nothing. Experimental: this contract may change in any version.
 */
export interface AlertChannel {
  /** Unique among channels. Alerts to deliver are stored under it. */
  readonly name: string
  /**
   * Delivers an alert, or keeps it where it outlives this process and is delivered later. One process at a time is asked to. A throw, or no
   * answer within 30 seconds, means that it may not have been delivered: the channel gets it again, in any process, after 10 seconds and then
   * twice as long each time, up to 10 minutes, for 24 hours. So does an alert whose process died meanwhile. A channel may therefore get an
   * alert twice, with the same id. If it has several targets, it has to remember itself which of them have it.
   *
   * Targets of an organization may get only alerts with this `org`, and only if the audience is `all`. `signal` aborts after the 30 seconds,
   * and when the gateway stops.
   */
  deliver(alert: Alert, audience: AlertAudience, signal: AbortSignal): Promise<void>
}

/** A name that can be taken once, over all processes, so that nobody is told the same twice. */
export interface AlertClaim {
  /** Such as `cap/key:abc/day/1767225600000/10/80`. */
  readonly name: string
  /** How long it stays taken, in milliseconds. */
  readonly forMs: number
}

/** An alert, and what decides if it is told. */
export interface RaisedAlert {
  readonly alert: Alert
  /** The channels that should get it. */
  readonly channels: readonly string[]
  /** Nothing is told if the first of them is taken. The others are taken with it. Default: always told. */
  readonly claims?: readonly AlertClaim[] | undefined
}

/** A small piece of JSON that processes change together, such as how they see a provider. */
export interface AlertNote {
  readonly name: string
  /** Another number after each change. */
  readonly version: number
  readonly value: JsonObject
}

export interface AlertDelivery {
  readonly alert: Alert
  readonly channel: string
  readonly audience: AlertAudience
  /** How often it was taken, with this time. */
  readonly tries: number
  /** How long ago the alert was raised, in milliseconds. */
  readonly ageMs: number
}

/**
 * Stores alerts, and decides between processes. All times are those of its one clock. It keeps alerts for 90 days, and the newest 10,000 of
 * each organization and of the gateway. `alertStoreSuite` of `turnpike/testing` checks an implementation.
 */
export interface AlertStore {
  /** Its clock, in milliseconds since the epoch. */
  now(): Maybe<number>
  /**
   * Stores an alert, with a delivery for each channel that is due at once, in one step. False, and nothing changes, if the first claim is
   * taken. If a silence matches, it goes to nobody, or to `operators` only. So it does if the alert that it resolves was silenced. The alert
   * that it resolves is over from now on.
   */
  raise(raised: RaisedAlert): Maybe<boolean>
  /** The notes whose names begin so. */
  notes(prefix: string): Maybe<readonly AlertNote[]>
  /**
   * Replaces a note, and raises an alert with it, in one step. `known`: the version that the caller read, undefined if there was none. False,
   * and nothing changes, if another process was faster. An undefined `value` removes the note.
   */
  change(name: string, known: number | undefined, value: JsonObject | undefined, raised?: Omit<RaisedAlert, 'claims'>): Maybe<boolean>
  /** Takes some of the deliveries to these channels that are due, the oldest first. None of them is due again for so long, in any process. */
  take(channels: readonly string[], forMs: number): Maybe<readonly AlertDelivery[]>
  /** Sets in how many milliseconds a delivery is due again. Undefined: it is over. */
  putOff(alertId: string, channel: string, dueInMs: number | undefined): Maybe<void>
  /** The newest first. */
  page(filter: AlertFilter, query: PageQuery): Maybe<readonly StoredAlert[]>
  find(id: string): Maybe<StoredAlert | undefined>
  /** False if there is no such alert. The first acknowledgement stays. */
  acknowledge(id: string, by: string): Maybe<boolean>
  /** Those that have not ended, the newest first. */
  silences(): Maybe<readonly Silence[]>
  /** `at` is its own time. */
  addSilence(silence: Omit<Silence, 'at'>): Maybe<Silence>
  /** False if there is none. */
  removeSilence(id: string): Maybe<boolean>
  /** Deletes what was kept long enough. */
  expire(): Maybe<void>
}
export const AlertStore = contract<AlertStore>('alert-store', { version: 1, stability: 'experimental' })
