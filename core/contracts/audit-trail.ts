import type { JsonObject } from '../foundation/json.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { PageQuery } from './page.ts'
import { contract } from '../foundation/token.ts'

/** One change, or one access to content. Never holds secrets or content. */
export interface AuditEntry {
  /** Unique. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The id of the admin token, or `environment` for `GATEWAY_ADMIN_TOKEN`, or `command-line`. */
  readonly actor: string
  /** Such as `keys.create` or `records.read-content`. */
  readonly action: string
  /** The id of the changed object. */
  readonly target: string
  /** The organization that it belongs to, if any. */
  readonly org: string | null
  /** The members that changed, as the admin API shows them: `{ disabled: { from: false, to: true } }`. */
  readonly changes: JsonObject
}

/** Only entries that match every member. */
export interface AuditFilter {
  /** Default: of all organizations. */
  readonly org?: string | undefined
  /** Who made the change. */
  readonly actor?: string | undefined
  /** The thing that was changed. */
  readonly target?: string | undefined
  /** Milliseconds since the epoch, inclusive. */
  readonly from?: number | undefined
  /** Milliseconds since the epoch, exclusive. */
  readonly to?: number | undefined
}

/**
 * Keeps the changes made through the admin API and the command line. Entries are immutable. No function has a time limit. `auditTrailSuite` of
 * `turnpike/testing` checks an implementation.
 */
export interface AuditTrail {
  /** A throw fails the change with a 503 if it was not made yet. */
  add(entry: AuditEntry): Maybe<void>
  /** The newest first. */
  page(filter: AuditFilter, query: PageQuery): Maybe<readonly AuditEntry[]>
}
export const AuditTrail = contract<AuditTrail>('audit-trail', { version: 1, stability: 'stable' })
