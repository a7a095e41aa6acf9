import type { Cancellation } from '../foundation/cancellation.ts'
import type { Listed } from '../foundation/roster.ts'
import type { OpenRecord } from './log-sink.ts'
import type { RunContext } from './run-context.ts'

/** One caller's request, whichever surface it came by. A surface makes it; generations and decisions work in it. */
export interface RequestScope extends RunContext, Listed {
  /** There is one for the whole request. `signal` follows it. */
  readonly cancellation: Cancellation
  readonly record: OpenRecord
  /** Set while a model works for the request: its record is not closed before. */
  work: Promise<unknown> | undefined
}
