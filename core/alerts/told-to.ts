import type { Alert, AlertAudience, Silence } from '../contracts/alert.ts'

/** Who is told of an alert, and the silence that keeps it from the others. */
export interface ToldTo {
  /** Who is told. */
  readonly audience: AlertAudience | 'nobody'
  /** The id of the silence. Null: no silence matches. */
  readonly silencedBy: string | null
}

/** `earlier`: the same of the alert that it resolves. Whoever did not hear that something began need not hear that it is over. */
export function toldTo(alert: Alert, silences: readonly Silence[], earlier?: ToldTo): ToldTo {
  const matching = silences.filter(silence => matches(silence, alert))
  const forAll = matching.find(({ reach }) => reach === 'all')
  if (forAll) return { audience: 'nobody', silencedBy: forAll.id }
  if (earlier?.audience === 'nobody') return earlier
  const forOrg = matching[0]
  return forOrg ? { audience: 'operators', silencedBy: forOrg.id } : (earlier ?? { audience: 'all', silencedBy: null })
}

function matches({ kind, subject, org }: Silence, alert: Alert): boolean {
  return (kind ?? alert.kind) === alert.kind && (subject ?? alert.subject) === alert.subject && (org ?? alert.org) === alert.org
}
