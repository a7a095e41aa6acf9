import { isObject, parseJson, ProviderFailure, type FailureKind } from '../../core/index.ts'
import { firstMatch, type ProviderAdapter } from '../../core/kit.ts'
import type { ErrorTable } from './departures.ts'
import { memberPath, valueAt, type MemberPath } from './member-path.ts'
import { withoutKeys } from './without-keys.ts'

const maxLength = 2000

/** Reads errors by the host's table, on top of what the dialect makes of them. */
export class ErrorReader {
  readonly #table: ErrorTable
  readonly #at: MemberPath
  readonly #message: MemberPath | undefined
  readonly #code: MemberPath | undefined
  readonly #wait: MemberPath | undefined

  constructor(table: ErrorTable) {
    const path = (dotted: string | undefined): MemberPath | undefined => (dotted === undefined ? undefined : memberPath(dotted))
    this.#table = table
    this.#at = memberPath(table.at ?? 'error')
    this.#message = path(table.message)
    this.#code = path(table.code)
    this.#wait = path(table.retryAfterSeconds)
  }

  /** An adapter's `failure`. */
  reading(failure: ProviderAdapter['failure']): ProviderAdapter['failure'] {
    const { retryAfterHeader: name } = this.#table
    return (status, headers, body) =>
      this.#told(failure(status, headers, body), this.errorIn(parseJson(body)), status, name === undefined ? undefined : headers[name])
  }

  /** The error in a reply, or in an event of a stream. */
  errorIn(body: unknown): unknown {
    const error = valueAt(body, this.#at)
    return error === null || error === false || error === '' ? undefined : error
  }

  /** `failure`: the dialect's reading of an error under a success status. */
  inside(error: unknown, failure: ProviderFailure): ProviderFailure {
    return this.#told(failure, error, failure.status)
  }

  #told(failure: ProviderFailure, error: unknown, status: number | undefined, wait?: string): ProviderFailure {
    const message = sentence(at(error, this.#message))
    const code = word(at(error, this.#code))
    const kind = this.#kindOf(code, message ?? failure.message, status) ?? failure.kind
    const seconds = Number(wait ?? at(error, this.#wait))
    const shown = (text: string): string => (kind === 'auth' ? withoutKeys(text) : text)
    return new ProviderFailure({
      kind,
      message: shown(message ?? failure.message),
      ...(message === undefined && { unquotedMessage: failure.unquotedMessage }),
      code: failure.code,
      status: failure.status ?? status,
      retryAfterMs: failure.retryAfterMs ?? (seconds > 0 && seconds < Infinity ? seconds * 1000 : undefined),
      ofCredential: failure.ofCredential,
      upstream: failure.upstream === undefined ? undefined : shown(failure.upstream),
      vendorCode: code,
      cause: failure.cause,
    })
  }

  #kindOf(code: string | undefined, message: string, status: number | undefined): FailureKind | undefined {
    const { codes = {}, wordings = [], statuses = {} } = this.#table
    if (code !== undefined && Object.hasOwn(codes, code)) return codes[code]
    return firstMatch(wordings, message) ?? (status === undefined ? undefined : statuses[status])
  }
}

/** A host may send a bare sentence where it has an object at other times. */
function at(error: unknown, path: MemberPath | undefined): unknown {
  if (path === undefined) return undefined
  return isObject(error) || Array.isArray(error) ? valueAt(error, path) : undefined
}

function sentence(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim().slice(0, maxLength) : ''
  return text === '' ? undefined : text
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined
}
