import { contract } from '../foundation/token.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { AlertKind, AlertSeverity } from './alert.ts'
import type { AlertMessage, AlertMessageFilter, AlertTargetStanding } from './alert-outbox.ts'
import type { AlertFormat } from './alert-target.ts'
import type { PageQuery } from './page.ts'

/** A target as the admin API shows it: without its address and its secrets. */
export interface AlertTargetView extends AlertTargetStanding {
  /** The one that the other functions take. */
  readonly id: string
  /** Null: a target of the operator, from the config. */
  readonly org: string | null
  /** For people. Need not be unique. */
  readonly name: string
  /** The form that the address can read, such as `slack`. */
  readonly format: AlertFormat
  /** Of the address, such as `hooks.example.com`. */
  readonly host: string
  /** The last four characters of the address. Null if it is too short to show any. */
  readonly urlEnd: string | null
  /** The last four characters of each secret. */
  readonly secretEnds: readonly string[]
  /** Null: all. */
  readonly kinds: readonly AlertKind[] | null
  /** The lowest severity that it gets. */
  readonly minSeverity: AlertSeverity
  /** The organizations whose alerts it gets. Null: all, and those of the gateway. */
  readonly orgs: readonly string[] | null
  /** True: it gets nothing. */
  readonly disabled: boolean
  /** 0 for those of the config. */
  readonly createdAt: number
}

/** What callers may set. */
export interface AlertTargetSettings {
  /** For people. Need not be unique. */
  readonly name: string
  /** A secret: whoever knows it can write there. */
  readonly url: string
  /** The form that the address can read, such as `slack`. */
  readonly format: AlertFormat
  /** Undefined: the plugin makes one if the format is `json`. Empty: messages are not signed. */
  readonly secrets?: readonly string[] | undefined
  /** Null: all. */
  readonly kinds: readonly AlertKind[] | null
  /** The lowest severity that it gets. */
  readonly minSeverity: AlertSeverity
  /** True: it gets nothing. */
  readonly disabled: boolean
}

/** The outcome of a test alert. */
export interface AlertTest {
  /** True if the address accepted it. */
  readonly isDelivered: boolean
  /** The status of the reply, if one came. */
  readonly status: number | null
  /** Why it was not delivered. Without the address. */
  readonly failure: string | null
  /** How long the attempt took. */
  readonly elapsedMs: number
}

/** The targets of alerts, for the admin API. Functions throw a `GatewayError` for what the caller should see. */
export interface AlertTargets {
  /** Those of the operator, then the oldest first; or those of one organization. */
  page(org: string | undefined, query: PageQuery): Promise<readonly AlertTargetView[]>
  /** Undefined if there is none. */
  find(id: string): Promise<AlertTargetView | undefined>
  /** `secret`: the one that was made, which is shown only once. */
  add(org: string, settings: AlertTargetSettings): Promise<{ readonly target: AlertTargetView; readonly secret: string | undefined }>
  /** Throws a 409 for a target of the config. */
  update(id: string, change: Partial<AlertTargetSettings>): Promise<AlertTargetView | undefined>
  /** Deletes the messages to it, too. Throws a 409 for a target of the config. */
  remove(id: string): Promise<boolean>
  /** Deletes all targets of an organization. */
  removeAll(org: string): Promise<void>
  /** Sends a test alert now, once, also if the caller leaves. If it is delivered, a target that had ended is used again. */
  test(id: string): Promise<AlertTest | undefined>
  /** The newest first. */
  messages(filter: AlertMessageFilter, query: PageQuery): Maybe<readonly AlertMessage[]>
  /** Undefined if there is none, or it was deleted. */
  message(id: string): Maybe<AlertMessage | undefined>
  /** False if it has not failed. */
  resend(id: string): Promise<boolean>
}
export const AlertTargets = contract<AlertTargets>('alert-targets', { version: 1, stability: 'experimental' })
