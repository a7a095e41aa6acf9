import { contract } from '../foundation/token.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { AlertKind, AlertSeverity } from './alert.ts'
import type { PageQuery } from './page.ts'

/** What a target can read. `json` is the gateway's own format. */
export const alertFormats = ['json', 'slack', 'teams', 'discord'] as const
/** The form of the messages to a target, such as `slack`. */
export type AlertFormat = (typeof alertFormats)[number]

/** An address that gets the alerts of an organization. */
export interface AlertTarget {
  /** Unique among all targets. */
  readonly id: string
  /** The organization whose alerts it gets. */
  readonly org: string
  /** For people. */
  readonly name: string
  /** The form of the messages. */
  readonly format: AlertFormat
  /** A secret: whoever knows it can write there. */
  readonly url: string
  /** Each of them signs every message. Secrets. */
  readonly secrets: readonly string[]
  /** Null: all. */
  readonly kinds: readonly AlertKind[] | null
  /** The lowest severity that it gets. */
  readonly minSeverity: AlertSeverity
  /** True: it gets nothing. */
  readonly disabled: boolean
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Changes to a target. Present members replace the target's. */
export type AlertTargetChange = Partial<Omit<AlertTarget, 'id' | 'org' | 'createdAt'>>

/**
 * Stores the targets of organizations. A store that outlives the process encrypts `url` and `secrets`. No function has a time limit.
 * `alertTargetStoreSuite` of `turnpike/testing` checks an implementation.
 */
export interface AlertTargetStore {
  /** False, and nothing is added, if the organization has so many already. */
  add(target: AlertTarget, most: number): Maybe<boolean>
  /** The target with this id, or undefined. */
  find(id: string): Maybe<AlertTarget | undefined>
  /** The oldest first, of one organization or of all. */
  page(org: string | undefined, query: PageQuery): Maybe<readonly AlertTarget[]>
  /** `change` gets the target as it is, and is called again if another process was faster. Returns the changed target. */
  update(id: string, change: (current: AlertTarget) => AlertTargetChange): Maybe<AlertTarget | undefined>
  /** False if there is none. */
  remove(id: string): Maybe<boolean>
}
export const AlertTargetStore = contract<AlertTargetStore>('alert-target-store', { version: 1, stability: 'experimental' })
