import type { Alert } from '../../../../core/admin.ts'
import type { JsonObject } from '../../../../core/index.ts'
import type { AlertKind, AlertSeverity, Silence, StoredAlert } from '../../../../core/stores.ts'
import type { AlertSilenceTable, AlertTable } from './tables.ts'

export function plainAlert({ id, at, kind, subject, org, severity, title, message, facts, resolves }: AlertTable): Alert {
  const known = { kind: kind as AlertKind, severity: severity as AlertSeverity, facts: JSON.parse(facts) as JsonObject }
  return { id, at, subject, org, title, message, resolves, ...known }
}

export function alertFromRow(row: AlertTable): StoredAlert {
  const { resolved_at: resolvedAt, acknowledged_at: acknowledgedAt, acknowledged_by: acknowledgedBy, silenced_by: silencedBy } = row
  const state = resolvedAt !== null ? 'resolved' : acknowledgedAt !== null ? 'acknowledged' : 'open'
  return { ...plainAlert(row), state, acknowledgedAt, acknowledgedBy, resolvedAt, silencedBy }
}

export function silenceFromRow({ id, at, ends_at: until, kind, subject, org, note, made_by: by, reach }: AlertSilenceTable): Silence {
  return { id, at, until, kind: kind as AlertKind | null, subject, org, note, by, reach: reach as Silence['reach'] }
}
