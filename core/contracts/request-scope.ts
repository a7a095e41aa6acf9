import type { GatewayError } from '../foundation/errors.ts'
import type { Cancellation } from '../runtime/cancellation.ts'
import type { Listed } from '../runtime/roster.ts'
import type { OpenRecord } from './log-sink.ts'
import type { RunContext } from './run-context.ts'

/** One request, on any surface. The surface creates it; generations and decisions use it. */
export interface RequestScope extends RunContext, Listed {
  /** One for the whole request. `signal` follows it. */
  readonly cancellation: Cancellation
  /** Becomes the one `RequestRecord` of the request, when it is closed. */
  readonly record: OpenRecord
  /** The session that the headers name, in the caller's words. It counts more than the name in the body. Never log or store it. */
  readonly sentSession?: string | undefined
  /** The header `traceparent` as the caller sent it, which may be anything. Observers get what it says. Never log or send it. */
  readonly traceparent?: string | null | undefined
  /** Set while a model works on the request. The record stays open until it settles. */
  work: Promise<unknown> | undefined
}

/** Describes a request that did not come through a `Route`: from a queue, a socket or a timer. */
export interface ScopeOpening {
  /** The API key, as in the header `Authorization`: `Bearer tp_…`. */
  readonly authorization: string
  /** How the request came in, for the record, such as `QUEUE`. HTTP requests have their method here. */
  readonly method: string
  /** Where it came in, for the record, such as `orders`. */
  readonly path: string
  /** The public API that it is recorded under, such as `orders`. Default: none. */
  readonly surface?: string | undefined
  /** The caller's name for the session that the request belongs to. The record keeps an HMAC of it. */
  readonly session?: string | undefined
  /** The header `traceparent` that came with it, for observers. */
  readonly traceparent?: string | undefined
  /** The prefix of the request's id. Default: `req`. */
  readonly idPrefix?: string | undefined
  /** Aborts when nobody waits for the answer any more. The request then ends and is recorded with status 499. */
  readonly signal?: AbortSignal | undefined
}

/** A scope that a plugin opened, for one generation or one decision. */
export interface OpenScope extends RequestScope {
  /**
   * Ends the request, and must be called for every scope. `outcome`: the HTTP status that fits what the caller got, or the error. If a
   * model still works on the request, the record follows when it has finished. Only the first call counts.
   */
  close(outcome: number | GatewayError): void
}
