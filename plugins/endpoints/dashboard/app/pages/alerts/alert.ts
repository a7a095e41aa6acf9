import { hrefOf, type Parameters } from '../../address.ts'

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
export function severityTone({ severity, resolves }: Pick<Alert, 'severity' | 'resolves'>): 'good' | 'bad' | 'warn' | 'info' {
  if (resolves !== null) return 'good'
  return severity === 'critical' ? 'bad' : severity === 'warning' ? 'warn' : 'info'
}

const hourMs = 3_600_000
const laterMs = 600_000

/** Where the subject of an alert can be looked at: its page, or the requests around that time. Undefined if there is neither. */
export function subjectHref({ subject, kind, created_at: at }: Pick<Alert, 'subject' | 'kind' | 'created_at'>): string | undefined {
  const [type, ...others] = subject.split(':')
  const name = others.join(':')
  const [first, ...rest] = name.split('/')
  const below = rest.join('/')
  switch (type) {
    case 'key':
      return hrefOf('keys', { id: name })
    case 'org':
      return hrefOf('accounts', { level: 'org', id: decoded(name) })
    case 'team':
    case 'user':
      return below === '' ? undefined : hrefOf('accounts', { level: type, id: decoded(below), org: decoded(first!) })
    case 'provider':
      return requestsAround(at, kind, { provider: name })
    case 'model':
      return below === '' ? undefined : requestsAround(at, kind, { provider: first, model: below })
    case 'gateway':
      return kind === 'errors' || kind === 'latency' ? requestsAround(at, kind, {}) : undefined
    default:
      return undefined
  }
}

/** Subjects have the ids of accounts percent-encoded. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

function requestsAround(at: string, kind: string, filter: Parameters): string {
  const time = Date.parse(at)
  const [from, to] = [time - hourMs, time + laterMs].map(each => new Date(each).toISOString())
  return hrefOf('logs', { ...filter, time: 'custom', from, to, ...(kind === 'latency' ? { sort: 'elapsed_ms' } : { status: 'error' }) })
}
