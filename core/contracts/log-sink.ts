import type { TokenUsage } from './events.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { Policy } from './policy.ts'

/** What is kept of one request. Exactly one is made for each, whatever becomes of it. */
export interface RequestRecord {
  readonly id: string
  /** When it arrived, milliseconds since the epoch. */
  readonly at: number
  readonly method: string
  readonly path: string
  /** As delivered; 499 when the client left first. */
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
  /** Null when the price is unknown, or nothing was answered. */
  readonly costUsd: number | null
  readonly errorCode: string | null
  readonly policy: Policy | null
  /** What plugins noted, without content. */
  readonly notes: readonly { readonly kind: string; readonly summary: JsonObject }[]
  /** Content: null unless the policy's `logging` is on. */
  readonly request: JsonObject | null
  readonly response: JsonObject | null
}

export interface AttemptRecord {
  readonly provider: string
  readonly model: string
  /** `ok`, `left`, or the kind of failure. */
  readonly outcome: string
  readonly status: number | null
  readonly elapsedMs: number
}

/** The record of a request that is under way. */
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
  /** Kept only where the caller's policy has logging on. */
  content(request: JsonObject | undefined, response: JsonObject | undefined): void
}

/** Takes records away, off the request's path. */
export interface LogSink {
  readonly name: string
  /** `metadata`: `request` and `response` are null for this sink. */
  readonly accepts: 'metadata' | 'content'
  /** New requests wait while this sink cannot keep up; otherwise the oldest records are dropped and counted. */
  readonly required?: boolean
  /** Called with one batch at a time. A throw is logged, and a required sink is asked again with the same batch. */
  write(batch: readonly RequestRecord[]): Promise<void>
}
