import { contract } from '../foundation/token.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { AlertKind } from './alert.ts'
import type { PageQuery } from './page.ts'

/** `left-out`: the target had too many in the last hour. A digest counts them. `failed`: given up. */
export const alertMessageStates = ['waiting', 'delivered', 'failed', 'left-out'] as const
/** How far the delivery of a message is. */
export type AlertMessageState = (typeof alertMessageStates)[number]

/**
 * There is no room for any further message within the hour; or for none about organizations; or for none about the same organization.
 */
export type FilledLimit = 'target' | 'organizations' | 'organization'

/** How many alerts were left out, of each kind, and from when to when. */
export interface AlertDigest {
  /** The first of them, in milliseconds since the epoch. */
  readonly from: number
  /** The last of them. */
  readonly to: number
  /** How many, by kind. */
  readonly counts: Readonly<Partial<Record<AlertKind, number>>>
}

/** What a target is to be told. */
export interface NewAlertMessage {
  /** The `webhook-id`, which is the same at every try. An alert has another one for each target. */
  readonly id: string
  /** The id of the target. */
  readonly target: string
  /** The organization that the target belongs to. Null: the operator. */
  readonly org: string | null
  /** The kind of the alert. */
  readonly kind: AlertKind
  /** The organization of the alert. Null: the gateway. */
  readonly about: string | null
  /** The id of the alert. */
  readonly alert: string
}

/** A message to a target, as the outbox keeps it. */
export interface AlertMessage extends Omit<NewAlertMessage, 'kind' | 'alert'> {
  /** The kind of its alert, or `digest`. */
  readonly kind: AlertKind | 'digest'
  /** Null: it is a digest. */
  readonly alert: string | null
  /** Null: it is about one alert. */
  readonly digest: AlertDigest | null
  /** A limit that was reached with it. */
  readonly fills: FilledLimit | null
  /** How far its delivery is. */
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
  /** The message to send. */
  readonly message: AlertMessage
  /** Tells this taking from all others. */
  readonly fence: number
  /** How long ago it was added, or last sent again. */
  readonly ageMs: number
}

/** What became of a try. `putOff`: the message is due again. `counts`: false if the target was not asked at all. */
export type AlertTry =
  | { readonly outcome: 'delivered' }
  | {
      readonly outcome: 'failed'
      /** The reason, without content. */
      readonly failure: string
    }
  | {
      readonly outcome: 'putOff'
      /** Milliseconds until the next try. */
      readonly dueInMs: number
      /** The reason, without content. Absent: the target was not asked. */
      readonly failure?: string | undefined
      /** False: it is not one of the tries of the message. */
      readonly counts: boolean
    }

/** How a target is doing. */
export interface AlertTargetStanding {
  /** Messages that are to be sent. */
  readonly waiting: number
  /** Messages that were given up. */
  readonly failed: number
  /** The last delivery, in milliseconds since the epoch. Null: none. */
  readonly deliveredAt: number | null
  /** The target wants no more messages, since then. */
  readonly endedAt: number | null
}

/** Only messages that match every member. */
export interface AlertMessageFilter {
  /** Default: of all organizations and of the operator. */
  readonly org?: string | undefined
  /** The id of a target. Default: to all. */
  readonly target?: string | undefined
  /** Default: in every state. */
  readonly state?: AlertMessageState | undefined
}

/** How many messages a target may get. `roomFor` of `turnpike/stores` counts them. */
export interface AlertMessageLimit {
  /** Messages in the window. */
  readonly most: number
  /**
   * With so many messages, there is no room for those about organizations, and one organization gets none of it once it has had as many as are
   * left for the others. Undefined: they are like all others.
   */
  readonly ofOrganizations?: number | undefined
  /** The length of the window in milliseconds, up to now. */
  readonly windowMs: number
}

/**
 * Keeps messages to the targets of alerts until they are delivered, and decides which process sends them. It refers to alerts by id, and holds
 * neither addresses nor what alerts say. All times are those of its one clock. It keeps what was delivered for 7 days, what a digest has
 * counted for a day, and the newest 100 of each target that failed for 30 days. `alertOutboxSuite` of `turnpike/testing` checks an implementation.
 */
export interface AlertOutbox {
  /**
   * Adds a message that is due at once. If the limit leaves no room for it in the last `windowMs`, digests included, the message is left out,
   * and a digest is due as soon as there is room again; it is about an organization if all that it counts is. `known`: there is a message with
   * this id. `ended`: see `end`.
   */
  add(message: NewAlertMessage, limit: AlertMessageLimit): Maybe<'added' | 'left-out' | 'known' | 'ended'>
  /** Takes some of the messages that are due, the oldest first: those to these targets of the operator, and after them to organizations' targets. */
  take(targets: readonly string[], forMs: number): Maybe<readonly TakenMessage[]>
  /** False if another process has the message by now, or it is gone. */
  settle(id: string, fence: number, result: AlertTry): Maybe<boolean>
  /** No message to the target is due sooner than this. */
  postpone(target: string, forMs: number): Maybe<void>
  /** Gives up all messages to the target, and adds none until `resume`. */
  end(target: string, failure: string): Maybe<void>
  /** Takes messages to the target again, after `end`. */
  resume(target: string): Maybe<void>
  /** The message with this id, or undefined. */
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
