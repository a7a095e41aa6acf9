import { parseJson } from '../../../core/index.ts'
import { membersOf } from '../../../core/kit.ts'

// Packages report the finish only at the end of the body. These are the last events of the dialects that they speak.

const lastTypes: ReadonlySet<unknown> = new Set([
  'message_stop',
  'message-end',
  'response.completed',
  'response.incomplete',
  'response.failed',
])
const maybeLast = /"type"\s*:\s*"(message_stop|message-end|response\.)/
const reason = /"finish_?reason"\s*:\s*"/i
const counts = /"usage(Metadata)?"\s*:\s*\{/

/** Detects the end of the answer in a stream. JSON escapes quotes in text, so text cannot look like a member. */
export class EndOfAnswer {
  #hasReason = false
  /** The last event has arrived. */
  isOver = false
  /** A finish reason has arrived, and usage with it or after it. */
  isComplete = false

  see(data: string): void {
    if (data === '[DONE]') this.isOver = true
    else if (maybeLast.test(data)) this.isOver ||= lastTypes.has(membersOf(parseJson(data))['type'])
    this.#hasReason ||= reason.test(data)
    this.isComplete ||= this.#hasReason && counts.test(data)
  }
}
