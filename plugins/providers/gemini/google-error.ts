import { firstText, membersOf, type VendorError } from '../../../core/kit.ts'

/** An error in the form of `google.rpc.Status`. `type` is its code by name, such as INVALID_ARGUMENT. */
export interface GoogleError extends VendorError {
  /** From `google.rpc.ErrorInfo`. */
  readonly reasons: readonly string[]
  /** The names of the limits that were hit. */
  readonly limits: readonly string[]
}

/** The error in a body: an object, or for a stream a list that holds one. */
export function errorIn(body: unknown): GoogleError {
  const first: unknown = Array.isArray(body) ? body[0] : body
  const { error = first } = membersOf(first)
  const { status, message, details } = membersOf(error)
  const parts = Array.isArray(details) ? details.map(membersOf) : []
  return {
    type: firstText(status),
    message: firstText(error, message),
    reasons: parts.flatMap(({ reason }) => firstText(reason) ?? []),
    limits: parts.flatMap(({ violations, metadata }) => [
      ...(Array.isArray(violations) ? violations : []).flatMap(violation => firstText(membersOf(violation)['quotaId']) ?? []),
      ...[firstText(membersOf(metadata)['quota_limit']) ?? []].flat(),
    ]),
    retryAfterMs: parts.map(({ retryDelay }) => delayMs(retryDelay)).find(delay => delay !== undefined),
  }
}

/** `google.rpc.RetryInfo`: a duration such as `34.4s`. */
function delayMs(duration: unknown): number | undefined {
  const seconds = typeof duration === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(duration)?.[1] : undefined
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000)
}
