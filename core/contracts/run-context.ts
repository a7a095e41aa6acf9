import type { Logger } from '../foundation/logger.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { ApiKey } from './key-store.ts'
import type { KeyWindow } from './key-window.ts'
import type { Spending } from './ledger.ts'
import type { Policy } from './policy.ts'

/** The sender of a request: the key, its policy, and the owner of its stored responses. */
export interface Caller {
  /** As the key store has it, with its restrictions. Has no secret. */
  readonly key: ApiKey
  /** That of the key, after all levels above it. */
  readonly policy: Policy
  /** The user, or else the team, or else the organization. Stored responses belong to it, not to the key, so they survive the key. */
  readonly owner: string
  /** The caps and the credit that the cost of the request counts against. Undefined for keys without caps, which most are. */
  readonly spending?: Spending | undefined
}

/** Passed to everything that works on one request. */
export interface RunContext {
  /** Such as `req_…`: the id in the header `x-request-id`, in logs and records. */
  readonly id: string
  /** Authenticated. Its key and policy do not change during the request. */
  readonly caller: Caller
  /** Aborted when the client disconnects, the run takes too long, or the gateway shuts down. */
  readonly signal: AbortSignal
  /** Its lines have the id of the request. */
  readonly log: Logger
  /** How the windows of the key stand after what the request reserved. Core sets it for keys with windows. */
  windows?: readonly KeyWindow[] | undefined
  /** How long the request waited for others to give credit back, in milliseconds. Core adds to it. */
  creditWaitMs?: number | undefined
  /** Adds a note to the record of this request. Never include content. */
  note(kind: string, summary: JsonObject): void
  /** Keeps content in the record, in addition to the request and the response. Dropped unless the policy's `logging` is on. */
  keep(kind: string, content: JsonObject): void
}
