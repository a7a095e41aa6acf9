import type { Clock } from '../foundation/clock.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { own, wording } from '../foundation/wording.ts'

/** A credential with a limited lifetime. */
export interface Grant<T> {
  /** Such as a token. */
  readonly value: T
  /** Milliseconds since the epoch. Undefined if the credential does not expire. */
  readonly expiresAtMs: number | undefined
  /** When to ask again, in milliseconds since the epoch. Default: five minutes before it expires. */
  readonly renewAtMs?: number | undefined
  /** Texts to keep out of logs and errors until the credential expires. */
  readonly secrets: readonly string[]
}

/** How to get a credential and how to keep it secret. */
export interface RenewedCredentialOptions<T> {
  /** Such as `AWS`, for messages. */
  readonly vendor: string
  /** Advice for the operator. Ends the error message when the vendor grants no credential. */
  readonly advice: string
  /** Such as `gateway.clock`. */
  readonly clock: Pick<Clock, 'now'>
  /** Asks the vendor. Concurrent requests share one call. */
  ask(): Promise<Grant<T>>
  /** Receives every secret of a new grant, to keep it out of logs and errors. */
  keep(secret: string, expiresAtMs: number | undefined): void
}

const renewBeforeMs = 300_000
/** A credential this close to its expiry is not used, because the request might arrive too late. */
const unusableBeforeMs = 5_000
const shortestIntervalMs = 10_000
const timeoutMs = 30_000

/**
 * A short-lived credential. The first request waits for it; later ones get it from memory. It is renewed in the background before it
 * expires, with one call at a time.
 */
export class RenewedCredential<T> {
  readonly #options: RenewedCredentialOptions<T>
  #grant: Grant<T> | undefined
  #renewAtMs = 0
  #pending: Promise<T> | undefined

  constructor(options: RenewedCredentialOptions<T>) {
    this.#options = options
  }

  /** Throws `ProviderFailure`. An abort throws the signal's reason, while the call to the vendor continues for other requests. */
  value(signal: AbortSignal): T | Promise<T> {
    signal.throwIfAborted()
    const now = this.#options.clock.now()
    const grant = this.#grant
    if (!grant || now >= (grant.expiresAtMs ?? Infinity) - unusableBeforeMs) return untilAborted(this.#renewed(), signal)
    // A failure here is harmless: the old credential is still valid, and another attempt follows soon.
    if (now >= this.#renewAtMs) this.#renewed().catch(() => {})
    return grant.value
  }

  #renewed(): Promise<T> {
    return (this.#pending ??= this.#ask().finally(() => (this.#pending = undefined)))
  }

  async #ask(): Promise<T> {
    const { vendor, advice, clock, ask, keep } = this.#options
    this.#renewAtMs = clock.now() + shortestIntervalMs
    try {
      const grant = await inTime(ask(), vendor)
      const { value, expiresAtMs = Infinity, renewAtMs, secrets } = grant
      for (const secret of secrets) keep(secret, grant.expiresAtMs)
      this.#renewAtMs = Math.max(renewAtMs ?? expiresAtMs - renewBeforeMs, this.#renewAtMs)
      this.#grant = grant
      return value
    } catch (error) {
      throw credentialFailure(vendor, error, advice)
    }
  }
}

async function inTime<T>(promise: Promise<T>, vendor: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(
      new ProviderFailure({
        kind: 'timeout',
        message: wording`${own(vendor)} did not grant credentials within ${own(timeoutMs / 1000)} s.`,
      }),
    )
  }, timeoutMs).unref()
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** A vendor's message may name the account, so the failure has kind `auth`, whose message callers do not see. */
function credentialFailure(vendor: string, error: unknown, advice: string): ProviderFailure {
  if (ProviderFailure.is(error)) return error
  const causes = causesOf(error)
  const status = causes.map(statusOf).find(found => found !== undefined)
  if (status !== undefined && (status >= 500 || status === 429))
    return new ProviderFailure({
      kind: 'unavailable',
      message: wording`${own(vendor)} did not grant credentials (status ${own(status)}).`,
      cause: error,
    })
  if (status === undefined && causes.some(isNetwork))
    return new ProviderFailure({
      kind: 'network',
      message: wording`The connection to ${own(vendor)}'s token service failed.`,
      cause: error,
    })
  const reason = error instanceof Error ? error.message : String(error)
  const message = wording`${own(vendor)} did not grant credentials: ${reason.replace(/\.?\s*$/, '.')} ${own(advice)}`
  return new ProviderFailure({ kind: 'auth', message, ...(status !== undefined && { status }), cause: error })
}

/** The error and its causes, outermost first. */
function causesOf(error: unknown, depth = 0): readonly object[] {
  if (typeof error !== 'object' || error === null || depth > 8) return []
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown }
  const inner = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])]
  return [error, ...inner.flatMap(each => causesOf(each, depth + 1))]
}

/** Every library puts the status somewhere else. */
function statusOf(error: object): number | undefined {
  const { status, statusCode, response, $metadata } = error as Readonly<Record<string, unknown>>
  const places = [
    status,
    statusCode,
    (response as { status?: unknown } | null)?.status,
    ($metadata as { httpStatusCode?: unknown } | null)?.httpStatusCode,
  ]
  return places.find(each => typeof each === 'number' && each >= 100) as number | undefined
}

function isNetwork(error: object): boolean {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  const network = /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|EPIPE|UND_ERR_|TimeoutError$)/
  return [code, name].some(each => typeof each === 'string' && network.test(each))
}
