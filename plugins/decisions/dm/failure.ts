import { ProviderFailure, type FailureKind, type JsonObject, type UpstreamHeaders } from '../../../core/index.ts'

const kinds: Readonly<Record<number, FailureKind>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'not-found',
  405: 'not-found',
  408: 'unavailable',
  429: 'rate-limit',
  503: 'overloaded',
  529: 'overloaded',
}

/** Any status but 200: contract/decisions.md, Upstream wire. */
export function failureOf(status: number, headers: UpstreamHeaders, body: string): ProviderFailure {
  const kind = kinds[status] ?? (status >= 400 && status < 500 ? 'invalid-request' : 'unavailable')
  const said = kind === 'invalid-request' ? sentenceIn(body) : undefined
  return new ProviderFailure({
    kind,
    status,
    message: said ?? `The decision vendor answered with status ${status}.`,
    retryAfterMs: kind === 'rate-limit' ? waitMs(headers) : undefined,
  })
}

/** `detail` is a text, an object with a message, or a list of complaints about members. */
function sentenceIn(body: string): string | undefined {
  const detail = detailIn(body)
  if (typeof detail === 'string') return detail || undefined
  if (!Array.isArray(detail)) return messageIn(detail)
  const complaints = detail.map(messageIn).filter(complaint => complaint !== undefined)
  return complaints.length > 0 ? complaints.join('; ') : undefined
}

function detailIn(body: string): unknown {
  try {
    return (JSON.parse(body) as JsonObject | null)?.['detail']
  } catch {
    return undefined
  }
}

function messageIn(complaint: unknown): string | undefined {
  if (typeof complaint === 'string') return complaint
  if (typeof complaint !== 'object' || complaint === null) return undefined
  const { message, msg, loc } = complaint as JsonObject
  const said = typeof message === 'string' ? message : msg
  if (typeof said !== 'string' || said === '') return undefined
  return Array.isArray(loc) ? `${loc.join('.')}: ${said}` : said
}

/** In seconds, or a date by the vendor's own clock. */
function waitMs(headers: UpstreamHeaders): number | undefined {
  const after = headers['retry-after']?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1000)
  const wait = Date.parse(after) - Date.parse(headers['date'] ?? '')
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
