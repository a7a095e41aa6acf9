import type { Tone } from '../../components/feedback.ts'
import { hrefOf } from '../../place.ts'

/** As in `GET /admin/v1/alerts`. */
export interface Alert {
  readonly id: string
  readonly created_at: string
  readonly kind: string
  /** Such as `key:<id>`, `team:<org>/<id>` or `provider:<id>`. */
  readonly subject: string
  /** Null: the gateway as a whole. */
  readonly org: string | null
  readonly severity: 'info' | 'warning' | 'critical'
  readonly state: 'open' | 'acknowledged' | 'resolved'
  readonly title: string
  readonly message: string
  readonly facts: Readonly<Record<string, unknown>>
  /** The id of the alert that this one says is over. */
  readonly resolves: string | null
  readonly acknowledged_at: string | null
  readonly acknowledged_by: string | null
  readonly resolved_at: string | null
  readonly silenced_by: string | null
}

export const kindNames: Readonly<Record<string, string>> = {
  cap: 'Spend cap',
  credit: 'Credit',
  provider: 'Provider',
  errors: 'Errors',
  latency: 'Latency',
  records: 'Records dropped',
  certificate: 'Certificate',
  'key-unused': 'Key unused',
  'key-expiring': 'Key expiring',
}

export const stateNames: Readonly<Record<Alert['state'], string>> = { open: 'Open', acknowledged: 'Acknowledged', resolved: 'Resolved' }

export function kindName(kind: string): string {
  return kindNames[kind] ?? kind
}

/** An all-clear is good news, however it is graded. */
export function severityTone({ severity, resolves }: Pick<Alert, 'severity' | 'resolves'>): Tone {
  if (resolves !== null) return 'good'
  return severity === 'critical' ? 'bad' : severity === 'warning' ? 'warn' : 'info'
}

/** Where the subject of an alert can be looked at. Undefined if it has no page. */
export function subjectHref({ subject, kind }: Pick<Alert, 'subject' | 'kind'>): string | undefined {
  const [type, ...others] = subject.split(':')
  const name = others.join(':')
  if (name === '') return undefined
  const [first, ...rest] = name.split('/')
  const below = rest.join('/')
  const sorted = kind === 'latency' ? { sort: 'elapsed_ms' } : { status: 'error' }
  switch (type) {
    case 'key':
      return hrefOf('keys', { id: name })
    case 'org':
      return hrefOf('accounts', { level: 'org', id: name })
    case 'team':
    case 'user':
      return below === '' ? undefined : hrefOf('accounts', { level: type, id: below, org: first })
    case 'provider':
      return hrefOf('logs', { provider: name, time: '1h', ...sorted })
    case 'model':
      return below === '' ? undefined : hrefOf('logs', { provider: first, model: below, time: '1h', ...sorted })
    default:
      return undefined
  }
}
