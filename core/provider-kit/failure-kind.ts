import type { FailureKind } from '../contracts/provider.ts'

const kinds: Readonly<Record<number, FailureKind>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'not-found',
  408: 'timeout',
  // A conflict with something else that the vendor is doing.
  409: 'unavailable',
  410: 'not-found',
  // Too large for this vendor, which says nothing about the next one.
  413: 'context-length',
  // The connection reached the wrong server.
  421: 'unavailable',
  423: 'unavailable',
  // What a gateway like this one says when its own vendors failed.
  424: 'unavailable',
  425: 'overloaded',
  429: 'rate-limit',
  451: 'refused',
  // The vendor, or a proxy in front of it, gave the request up.
  499: 'unavailable',
  503: 'overloaded',
  504: 'timeout',
  // Cloudflare: the vendor's server did not answer in time.
  524: 'timeout',
  529: 'overloaded',
}

/** What a status of 400 and above says by itself. A vendor's own codes and sentences say more. */
export function failureKindOfStatus(status: number): FailureKind {
  return kinds[status] ?? (status >= 500 ? 'unavailable' : 'invalid-request')
}
