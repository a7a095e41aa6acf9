import type { Level } from './policy.ts'

/**
 * What a request failed by, for records, metrics and alerts. `request`: it is wrong. `authentication`: no valid key. `permission`: the key may
 * not. `policy`: a field of the policy. `guardrail`: a guardrail refused or failed. `limit`, `concurrency`: a window, or requests at once.
 * `cap`, `credit`: money. `overload`: the gateway had no room. `vendor`: every attempt failed. `timeout`: no answer in time. `left`: the client
 * went away. `gateway`: a store or the gateway itself.
 */
export const failureReasons = [
  'request',
  'authentication',
  'permission',
  'policy',
  'guardrail',
  'limit',
  'concurrency',
  'cap',
  'credit',
  'overload',
  'vendor',
  'timeout',
  'left',
  'gateway',
] as const

export interface FailureReason {
  readonly kind: (typeof failureReasons)[number]
  /** Whose limit, cap, credit or lock it was. */
  readonly level?: Level | undefined
}
