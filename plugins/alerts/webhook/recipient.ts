import type { Alert } from '../../../core/admin.ts'
import { alertSeverities, type AlertFormat, type AlertKind, type AlertSeverity } from '../../../core/stores.ts'

/** A target, of the operator or of an organization. */
export interface Recipient {
  readonly id: string
  /** Null: the operator. */
  readonly org: string | null
  readonly name: string
  readonly format: AlertFormat
  readonly url: string
  readonly secrets: readonly string[]
  readonly kinds: readonly AlertKind[] | null
  readonly minSeverity: AlertSeverity
  /** The organizations whose alerts it gets. Null: all, and those of the gateway. */
  readonly orgs: readonly string[] | null
  readonly disabled: boolean
  readonly createdAt: number
  /** It may be in a private network. */
  readonly allowPrivate: boolean
}

/** True for what it wants to hear of, whatever the severity. */
export function concerns({ kinds, orgs, disabled }: Recipient, { kind, org }: Alert): boolean {
  return !disabled && (kinds === null || kinds.includes(kind)) && (orgs === null || (org !== null && orgs.includes(org)))
}

export function isSevereEnough({ minSeverity }: Recipient, { severity }: Alert): boolean {
  return alertSeverities.indexOf(severity) >= alertSeverities.indexOf(minSeverity)
}
