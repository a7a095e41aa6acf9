import type { Cancellation } from '../runtime/cancellation.ts'
import type { Listed } from '../runtime/roster.ts'
import type { OpenRecord } from './log-sink.ts'
import type { RunContext } from './run-context.ts'

/** One request, on any surface. The surface creates it; generations and decisions use it. */
export interface RequestScope extends RunContext, Listed {
  /** One for the whole request. `signal` follows it. */
  readonly cancellation: Cancellation
  readonly record: OpenRecord
  /** Set while a model works on the request. The record stays open until it settles. */
  work: Promise<unknown> | undefined
}
