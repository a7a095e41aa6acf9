import type { Logger } from '../foundation/logger.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { ApiKey } from './key-store.ts'
import type { Policy } from './policy.ts'

/** Who asks: the key, what it may do, and whose stored things it sees. */
export interface Caller {
  readonly key: ApiKey
  readonly policy: Policy
  /** The user, else the team, else the organization: stored responses belong to it, so that a rotated key keeps its history. */
  readonly owner: string
}

/** Handed to everything that works for one request. */
export interface RunContext {
  readonly id: string
  readonly caller: Caller
  /** Aborted when the client is gone, the run takes too long, or the gateway shuts down. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Puts facts into the record of this request. Never content. */
  note(kind: string, summary: JsonObject): void
}
