import type { FailureKind } from '../contracts/provider.ts'

const kinds: Readonly<Record<number, FailureKind>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'not-found',
  // The gateway sends only methods that the vendor's API accepts, so the address belongs to another server, as after most 404s.
  405: 'not-found',
  408: 'timeout',
  // A conflict with another operation at the vendor.
  409: 'unavailable',
  410: 'not-found',
  // Too large for this vendor, but maybe not for the next one.
  413: 'context-length',
  // The connection reached the wrong server.
  421: 'unavailable',
  423: 'unavailable',
  // Sent by gateways when their own vendors fail.
  424: 'unavailable',
  425: 'overloaded',
  429: 'rate-limit',
  451: 'refused',
  // The vendor, or a proxy in front of it, gave up on the request.
  499: 'unavailable',
  503: 'overloaded',
  504: 'timeout',
  // Cloudflare: the vendor's server did not answer in time.
  524: 'timeout',
  529: 'overloaded',
}

/** The kind that a status of 400 or above implies. A vendor's own codes and messages are more precise, so check them first. */
export function failureKindOfStatus(status: number): FailureKind {
  return kinds[status] ?? (status >= 500 ? 'unavailable' : 'invalid-request')
}
