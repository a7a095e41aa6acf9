import { membersOf, parseJson } from '../../../core/index.ts'

// Packages read a stream to the end of its body and only then tell the finish. These are the last events of the dialects that they speak.

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

/** Watches the events of one stream for the end of the answer. In JSON a quote within text is escaped, so text cannot look like a member. */
export class EndOfAnswer {
  #hasReason = false
  /** The last event has come: what follows belongs to no answer. */
  isOver = false
  /** A reason to stop has come, and the usage with it or after it. */
  isComplete = false

  see(data: string): void {
    if (data === '[DONE]') this.isOver = true
    else if (maybeLast.test(data)) this.isOver ||= lastTypes.has(membersOf(parseJson(data))['type'])
    this.#hasReason ||= reason.test(data)
    this.isComplete ||= this.#hasReason && counts.test(data)
  }
}
