/**
 * What a request failed by, for records, metrics and alerts. `request`: it is wrong. `authentication`: no valid key. `permission`: the key may
 * not. `policy`: a field of the policy. `guardrail`: a guardrail refused or failed. `limit`, `concurrency`: a window, or requests at once.
 * `cap`, `credit`: money. `overload`: the gateway had no room. `vendor`: every attempt failed. `timeout`: no answer in time. `left`: the client
 * went away. `gateway`: a store or the gateway itself.
 */
export interface FailureReason {
  /** The class, as records have it in `reason`. */
  readonly kind:
    | 'request'
    | 'authentication'
    | 'permission'
    | 'policy'
    | 'guardrail'
    | 'limit'
    | 'concurrency'
    | 'cap'
    | 'credit'
    | 'overload'
    | 'vendor'
    | 'timeout'
    | 'left'
    | 'gateway'
  /** Whose limit, cap, credit or lock it was. */
  readonly level?: 'org' | 'team' | 'user' | 'key' | undefined
}

/** What an error of this status means where nobody says more. Undefined below 400. */
export function reasonOfStatus(status: number): FailureReason | undefined {
  return status < 400 ? undefined : { kind: kinds[status] ?? (status >= 500 ? 'gateway' : 'request') }
}

const kinds: Readonly<Record<number, FailureReason['kind']>> = {
  401: 'authentication',
  402: 'credit',
  403: 'permission',
  424: 'vendor',
  429: 'limit',
  499: 'left',
  502: 'vendor',
  504: 'timeout',
}
