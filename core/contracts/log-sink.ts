import type { TokenUsage } from './events.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { Policy } from './policy.ts'

/** The record of one request. Every request makes exactly one, however it ends. */
export interface RequestRecord {
  readonly id: string
  /** Arrival time, in milliseconds since the epoch. */
  readonly at: number
  readonly method: string
  readonly path: string
  /** As delivered; 499 if the client disconnected first. */
  readonly status: number
  readonly elapsedMs: number
  readonly keyId: string | null
  readonly owner: string | null
  readonly stream: boolean
  /** As the caller wrote it. */
  readonly requestedModel: string | null
  readonly model: string | null
  readonly provider: string | null
  readonly attempts: readonly AttemptRecord[]
  readonly usage: TokenUsage | null
  /** Null if the price is unknown or there was no answer. */
  readonly costUsd: number | null
  readonly errorCode: string | null
  readonly policy: Policy | null
  /** Notes from plugins, without content. */
  readonly notes: readonly { readonly kind: string; readonly summary: JsonObject }[]
  /** Content. Null unless the policy's `logging` is on. */
  readonly request: JsonObject | null
  readonly response: JsonObject | null
}

export interface AttemptRecord {
  readonly provider: string
  readonly model: string
  /** `ok`, `left` if it was abandoned, or the kind of failure. */
  readonly outcome: string
  readonly status: number | null
  readonly elapsedMs: number
}

/** The record of a request in progress. */
export interface OpenRecord {
  stream: boolean
  requestedModel: string | null
  model: string | null
  provider: string | null
  usage: TokenUsage | null
  costUsd: number | null
  errorCode: string | null
  readonly attempts: AttemptRecord[]
  readonly notes: { kind: string; summary: JsonObject }[]
  /** Kept only if the caller's policy has `logging` on. */
  content(request: JsonObject | undefined, response: JsonObject | undefined): void
}

/** Receives records in the background, after the reply. */
export interface LogSink {
  readonly name: string
  /** `metadata`: `request` and `response` are null for this sink. */
  readonly accepts: 'metadata' | 'content'
  /** True: new requests wait while this sink cannot keep up. Otherwise the oldest records are dropped and counted. */
  readonly required?: boolean
  /** Called with one batch at a time. A throw is logged. A required sink gets the same batch again. */
  write(batch: readonly RequestRecord[]): Promise<void>
}
