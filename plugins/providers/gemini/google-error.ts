import { isObject, type JsonObject } from '../../../core/index.ts'

/** An error as `google.rpc.Status` tells it, as far as it could be read. */
export interface GoogleError {
  /** Such as INVALID_ARGUMENT. */
  readonly status: string | undefined
  readonly message: string | undefined
  /** Of `google.rpc.ErrorInfo`. */
  readonly reasons: readonly string[]
  /** The names of the limits that were met. */
  readonly limits: readonly string[]
  readonly retryDelayMs: number | undefined
}

/** The error in a body, in whatever form it is there: an object, or where a stream was asked for a list with one. */
export function errorIn(body: unknown): GoogleError {
  const first: unknown = Array.isArray(body) ? body[0] : body
  const { error = first } = object(first)
  if (typeof error === 'string') return { ...nothing, message: error }
  const { status, message, details } = object(error)
  const parts = Array.isArray(details) ? details.map(object) : []
  return {
    status: text(status),
    message: text(message),
    reasons: parts.flatMap(({ reason }) => text(reason) ?? []),
    limits: parts.flatMap(({ violations, metadata }) => [
      ...(Array.isArray(violations) ? violations : []).flatMap(violation => text(object(violation)['quotaId']) ?? []),
      ...(text(object(metadata)['quota_limit']) === undefined ? [] : [String(object(metadata)['quota_limit'])]),
    ]),
    retryDelayMs: parts.map(({ retryDelay }) => delayMs(retryDelay)).find(delay => delay !== undefined),
  }
}

const nothing: GoogleError = { status: undefined, message: undefined, reasons: [], limits: [], retryDelayMs: undefined }

/** `google.rpc.RetryInfo`: a duration such as `34.4s`. */
function delayMs(duration: unknown): number | undefined {
  const seconds = typeof duration === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(duration)?.[1] : undefined
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000)
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
