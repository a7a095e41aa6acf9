import { ProviderFailure } from '../../../core/index.ts'
import { isPrivateAddress, retryAfterMs, WebhookSigner, type HttpClient, type UpstreamReply } from '../../../core/kit.ts'
import type { Recipient } from './recipient.ts'

const usualTimeoutMs = 10_000
/** Of a reply, which nobody reads: so a connection can be used again. */
const maxReplyBytes = 4_096
/** Some ask for a day, in which the target would hear of nothing. */
const maxRetryAfterMs = 3_600_000
/** The target wants no more messages. */
const gone = 410

/** What came of a try. */
export interface Posted {
  readonly isDelivered: boolean
  readonly isGone: boolean
  /** Another message would likely fare the same now. */
  readonly isUnavailable: boolean
  readonly status: number | null
  readonly failure: string | null
  /** The target asked for so much time. */
  readonly retryAfterMs: number | undefined
}

export interface Letter {
  readonly id: string
  readonly body: string
  /** Seconds since the epoch. */
  readonly seconds: number
}

/** Sends one message, once. Follows no redirect. Throws only if `signal` aborts. */
export async function post(
  http: HttpClient,
  recipient: Recipient,
  letter: Letter,
  signal?: AbortSignal,
  timeoutMs = usualTimeoutMs,
): Promise<Posted> {
  const { url, allowPrivate } = recipient
  const time = AbortSignal.timeout(timeoutMs)
  const limit = signal ? AbortSignal.any([signal, time]) : time
  try {
    const headers = headersOf(recipient, letter)
    const reply = await http.send({ method: 'POST', url, headers, body: letter.body }, { signal: limit, publicOnly: !allowPrivate })
    letGo(reply)
    return replied(reply)
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    const failure = limit.aborted ? `did not answer within ${timeoutMs / 1000} s` : failureOf(error, recipient)
    return { isDelivered: false, isGone: false, isUnavailable: true, status: null, failure, retryAfterMs: undefined }
  }
}

function headersOf({ secrets }: Recipient, { id, body, seconds }: Letter): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Turnpike',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    ...(secrets.length > 0 && { 'webhook-signature': secrets.map(each => new WebhookSigner(each).sign(id, seconds, body)).join(' ') }),
  }
}

function replied({ status, headers }: UpstreamReply): Posted {
  const isDelivered = status >= 200 && status < 300
  const isRedirect = status >= 300 && status < 400
  return {
    isDelivered,
    isGone: status === gone,
    isUnavailable: status === 429 || status >= 500,
    status,
    failure: isDelivered ? null : `answered with status ${status}${isRedirect ? ', and redirects are not followed' : ''}`,
    retryAfterMs: isDelivered ? undefined : askedMs(headers),
  }
}

function askedMs(headers: UpstreamReply['headers']): number | undefined {
  const asked = retryAfterMs(headers)
  return asked === undefined ? undefined : Math.min(asked, maxRetryAfterMs)
}

function letGo({ body }: UpstreamReply): void {
  let bytes = 0
  body.on('error', () => {})
  body.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength
    if (bytes > maxReplyBytes) body.destroy()
  })
}

/**
 * Never names the address, whose path may be a secret. An organization does not learn which names there are in the network of the gateway: one
 * that leads to a private address fails as one that leads nowhere.
 */
function failureOf(error: unknown, { org, allowPrivate }: Recipient): string {
  const { code } = ((ProviderFailure.is(error) ? error.cause : error) ?? {}) as { readonly code?: unknown }
  const isLookup = code === 'ENOTFOUND' || code === 'EAI_AGAIN' || isPrivateAddress(error)
  if (isLookup && org !== null && !allowPrivate) return 'cannot be reached: its name leads to no public address'
  return `cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`
}
