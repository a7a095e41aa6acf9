import type { UpstreamHeaders } from '../contracts/adapter.ts'
import { ProviderFailure, type FailureKind } from '../contracts/provider.ts'
import type { ImageErrorCode } from '../foundation/errors.ts'
import { parseJson } from '../foundation/json.ts'
import { unlessOversized } from './oversized-request.ts'
import { retryAfterMs } from './retry-after.ts'

/** A vendor's error, as `errorIn` finds it. A vendor may add members for its own `kindOf`. */
export interface VendorError {
  /** The vendor's own sentence, if it sent one. */
  readonly message?: string | undefined
  /** The vendor's word for the failure, such as `overloaded_error`. */
  readonly type?: string | undefined
  /** The HTTP status, if the error names one. The status of the reply takes precedence. */
  readonly status?: number | undefined
  /** If the error is about an image. Default: by `imageCodes`. */
  readonly imageCode?: ImageErrorCode | undefined
  /** See `ProviderFailureOptions.ofCredential`. */
  readonly ofCredential?: boolean | undefined
  /** How long to wait, if the body says so. Headers take precedence. */
  readonly retryAfterMs?: number | undefined
}

/** Where an error was read. */
export interface ErrorReply {
  /** Absent for an error inside a reply. */
  readonly status?: number
  /** Empty for an error inside a reply. */
  readonly headers: UpstreamHeaders
  /** The vendor's own text. */
  readonly upstream: string
}

/** Patterns in order of precedence, each with its meaning. */
export type Patterns<T> = readonly (readonly [pattern: RegExp, meaning: T])[]

/** Where a vendor's errors keep their members, and what those mean. */
export interface FailureReaderOptions<E extends VendorError> {
  /** Finds the error in a parsed body, which is undefined if the vendor's text is not JSON. */
  errorIn(body: unknown, reply: ErrorReply): E
  /** `status` is the reply's, else the error's. */
  kindOf(error: E, status: number | undefined): FailureKind
  /** Changes the sentence that callers see. */
  messageOf?(message: string, kind: FailureKind): string
  /** Codes of image errors, by patterns of the vendor's sentence. Default: none. */
  readonly imageCodes?: Patterns<ImageErrorCode>
  /** Removes keys that the vendor repeats when it refuses them. Applied to the texts of failures of kind `auth`. */
  withoutKeys?(text: string): string
}

/** Made by `failureReader`, for an adapter's `failure`, `decoder` and `reply`. */
export interface FailureReader {
  /** An adapter's `failure`: a reply with status 400 or above. */
  failureFrom(status: number, headers: UpstreamHeaders, body: string): ProviderFailure
  /** An error inside a reply with status 200. `upstream` is the vendor's own text; default: `error` as JSON. */
  failureInside(error: unknown, upstream?: string): ProviderFailure
}

/**
 * Makes the functions that read a vendor's errors. The vendor's plugin only states where errors keep their members, and what those mean.
 */
export function failureReader<E extends VendorError>(options: FailureReaderOptions<E>): FailureReader {
  const { errorIn, kindOf, messageOf = message => message, imageCodes = [], withoutKeys } = options
  const failureOf = (body: unknown, reply: ErrorReply): ProviderFailure => {
    const error = errorIn(body, reply)
    const status = reply.status ?? error.status
    const kind = unlessOversized(kindOf(error, status), error.message)
    const shown = (text: string): string => (kind === 'auth' && withoutKeys ? withoutKeys(text) : text)
    return new ProviderFailure({
      kind,
      message: shown(error.message === undefined ? unexplained(status, error.type) : messageOf(error.message, kind)),
      ...(error.message === undefined && { unquotedMessage: unexplained(status, undefined) }),
      code: error.imageCode ?? firstMatch(imageCodes, error.message),
      status,
      ofCredential: error.ofCredential,
      retryAfterMs: retryAfterMs(reply.headers) ?? error.retryAfterMs,
      upstream: shown(reply.upstream),
    })
  }
  return {
    failureFrom: (status, headers, body) => failureOf(parseJson(body), { status, headers, upstream: body }),
    failureInside: (error, upstream = JSON.stringify(error)) => failureOf(error, { headers: {}, upstream }),
  }
}

function unexplained(status: number | undefined, type: string | undefined): string {
  if (status !== undefined) return `The provider answered with status ${status}.`
  return type === undefined ? 'The provider broke off its reply.' : `The provider broke off its reply (${type}).`
}

/** The meaning of the first pattern that the text matches. */
export function firstMatch<T>(patterns: Patterns<T>, text: string | undefined): T | undefined {
  return text === undefined ? undefined : patterns.find(([pattern]) => pattern.test(text))?.[1]
}

/** The first of these values that is a text and not empty. */
export function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '')
}
