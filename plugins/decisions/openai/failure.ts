import { isObject, parseJson, ProviderFailure, type FailureKind } from '../../../core/index.ts'
import { failureKindOfStatus, membersOf, retryAfterMs, type UpstreamHeaders } from '../../../core/kit.ts'

const kindsByCode: Readonly<Record<string, FailureKind>> = {
  insufficient_quota: 'quota',
  context_length_exceeded: 'context-length',
}

/** Any status but 200. The body is `{error: {message, type, param, code}}`. */
export function failureOf(status: number, headers: UpstreamHeaders, body: string): ProviderFailure {
  const reply = parseJson(body)
  const { message, param, code } = membersOf(isObject(reply) ? reply['error'] : undefined)
  const kind = kindsByCode[String(code)] ?? (status < 400 ? 'unavailable' : failureKindOfStatus(status))
  const isOfCaller = kind === 'invalid-request' || kind === 'context-length'
  const said = isOfCaller && typeof message === 'string' && message !== '' ? message : undefined
  return new ProviderFailure({
    kind,
    status,
    message: said === undefined ? `The vendor answered with status ${status}.` : typeof param === 'string' ? `${param}: ${said}` : said,
    retryAfterMs: kind === 'rate-limit' ? retryAfterMs(headers) : undefined,
    // Repeating the request gives the same redirect.
    ...(status < 400 && { transient: false }),
  })
}
