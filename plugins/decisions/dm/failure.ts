import { isObject, parseJson, ProviderFailure, type FailureKind } from '../../../core/index.ts'
import { failureKindOfStatus, retryAfterMs, type UpstreamHeaders } from '../../../core/kit.ts'

/**
 * Where this vendor differs: only a missing reply is a time-out (docs/protocol/decisions.md#errors), and a wrong base URL is not the
 * caller's fault.
 */
const kinds: Readonly<Record<number, FailureKind>> = {
  405: 'not-found',
  408: 'unavailable',
  413: 'invalid-request',
  504: 'unavailable',
}

/** Any status but 200: docs/protocol/decisions.md#the-vendors-wires. */
export function failureOf(status: number, headers: UpstreamHeaders, body: string): ProviderFailure {
  const kind = kinds[status] ?? (status < 400 ? 'unavailable' : failureKindOfStatus(status))
  const said = kind === 'invalid-request' ? sentenceIn(body) : undefined
  return new ProviderFailure({
    kind,
    status,
    message: said ?? `The decision vendor answered with status ${status}.`,
    retryAfterMs: kind === 'rate-limit' ? retryAfterMs(headers) : undefined,
    // Repeating the request gives the same redirect.
    ...(status < 400 && { transient: false }),
  })
}

/** `detail` is a string, an object with a message, or an array of errors with their locations. */
function sentenceIn(body: string): string | undefined {
  const reply = parseJson(body)
  const detail = isObject(reply) ? reply['detail'] : undefined
  const complaints = (Array.isArray(detail) ? detail : [detail]).map(messageIn).filter(complaint => complaint !== undefined)
  return complaints.length > 0 ? complaints.join('; ') : undefined
}

function messageIn(complaint: unknown): string | undefined {
  if (typeof complaint === 'string') return complaint || undefined
  if (!isObject(complaint)) return undefined
  const { message, msg, loc } = complaint
  const said = typeof message === 'string' ? message : msg
  if (typeof said !== 'string' || said === '') return undefined
  return Array.isArray(loc) ? `${loc.join('.')}: ${said}` : said
}
