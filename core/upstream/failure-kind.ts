import type { FailureKind } from '../contracts/provider.ts'

const kinds: Readonly<Record<number, FailureKind>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'not-found',
  408: 'timeout',
  429: 'rate-limit',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
}

/** What a status of 400 and above says by itself. A vendor's own codes and sentences say more. */
export function failureKindOfStatus(status: number): FailureKind {
  return kinds[status] ?? (status >= 500 ? 'unavailable' : 'invalid-request')
}
