import { contract } from '../foundation/token.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { AlertKind } from './alert.ts'
import type { PageQuery } from './page.ts'

/** `left-out`: the target had too many in the last hour. A digest counts them. `failed`: given up. */
export const alertMessageStates = ['waiting', 'delivered', 'failed', 'left-out'] as const
export type AlertMessageState = (typeof alertMessageStates)[number]

/** How many alerts were left out, of each kind, and from when to when. */
export interface AlertDigest {
  readonly from: number
  readonly to: number
  readonly counts: Readonly<Partial<Record<AlertKind, number>>>
}

/** What a target is to be told. */
export interface NewAlertMessage {
  /** The `webhook-id`, which is the same at every try. An alert has another one for each target. */
  readonly id: string
  readonly target: string
  /** The organization that the target belongs to. Null: the operator. */
  readonly org: string | null
  readonly kind: AlertKind
  /** The id of the alert. */
  readonly alert: string
}

export interface AlertMessage extends Omit<NewAlertMessage, 'kind' | 'alert'> {
  readonly kind: AlertKind | 'digest'
  /** Null: it is a digest. */
  readonly alert: string | null
  readonly digest: AlertDigest | null
  /** With it, the target had as many as it may have. */
  readonly fillsLimit: boolean
  readonly state: AlertMessageState
  /** Milliseconds since the epoch, by the clock of the store, as all times here. */
  readonly at: number
  /** How often it was tried. */
  readonly tries: number
  /** Why the last try failed. */
  readonly failure: string | null
  /** When it was delivered, or given up. */
  readonly endedAt: number | null
}

/** A message that one process has for a while. */
export interface TakenMessage {
  readonly message: AlertMessage
  /** Tells this taking from all others. */
  readonly fence: number
  /** How long ago it was added, or last sent again. */
  readonly ageMs: number
}

/** What became of a try. `putOff`: the message is due again. `counts`: false if the target was not asked at all. */
export type AlertTry =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'failed'; readonly failure: string }
  | { readonly outcome: 'putOff'; readonly dueInMs: number; readonly failure?: string | undefined; readonly counts: boolean }

/** How a target is doing. */
export interface AlertTargetStanding {
  readonly waiting: number
  readonly failed: number
  readonly deliveredAt: number | null
  /** The target wants no more messages, since then. */
  readonly endedAt: number | null
}

export interface AlertMessageFilter {
  readonly org?: string | undefined
  readonly target?: string | undefined
  readonly state?: AlertMessageState | undefined
}

/** How many messages a target may get. */
export interface AlertMessageLimit {
  readonly most: number
  readonly windowMs: number
}

/**
 * Keeps messages to the targets of alerts until they are delivered, and decides which process sends them. It refers to alerts by id, and holds
 * neither addresses nor what alerts say. All times are those of its one clock. It keeps what was delivered or left out for 7 days, and the
 * newest 100 of each target that failed for 30 days. `alertOutboxSuite` of `turnpike/testing` checks an implementation.
 */
export interface AlertOutbox {
  /**
   * Adds a message that is due at once. If the target has had as many as the limit allows in the last `windowMs`, digests included, the message
   * is left out, and a digest is due as soon as there is room again. `known`: there is a message with this id. `ended`: see `end`.
   */
  add(message: NewAlertMessage, limit: AlertMessageLimit): Maybe<'added' | 'left-out' | 'known' | 'ended'>
  /** Takes some of the messages that are due, the oldest first: those to organizations' targets, and to these of the operator. */
  take(targets: readonly string[], forMs: number): Maybe<readonly TakenMessage[]>
  /** False if another process has the message by now, or it is gone. */
  settle(id: string, fence: number, result: AlertTry): Maybe<boolean>
  /** No message to the target is due sooner than this. */
  postpone(target: string, forMs: number): Maybe<void>
  /** Gives up all messages to the target, and adds none until `resume`. */
  end(target: string, failure: string): Maybe<void>
  resume(target: string): Maybe<void>
  find(id: string): Maybe<AlertMessage | undefined>
  /** The newest first. */
  page(filter: AlertMessageFilter, query: PageQuery): Maybe<readonly AlertMessage[]>
  /** Makes a message that failed due again. False if it has not failed. */
  resend(id: string): Maybe<boolean>
  /** By target. */
  standings(targets: readonly string[]): Maybe<ReadonlyMap<string, AlertTargetStanding>>
  /** Deletes all messages to a target. */
  forget(target: string): Maybe<void>
  /** Gives up what waits for more than `giveUpMs`, because no process knows the target, and deletes what was kept long enough. */
  expire(giveUpMs: number): Maybe<void>
}
export const AlertOutbox = contract<AlertOutbox>('alert-outbox', { version: 1, stability: 'experimental' })
