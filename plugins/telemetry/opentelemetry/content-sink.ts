import type { LogSink, RequestRecord } from '../../../core/index.ts'
import type { Conventions } from './conventions.ts'
import { conversationOf } from './messages.ts'
import { names } from './names.ts'
import type { Outbox } from './outbox.ts'
import { info, logAttributes, openLog } from './request-log.ts'
import type { RequestTrace } from './request-trace.ts'

/** Records wait for at most a moment before they come here. */
const maxFinished = 20_000
/** A longer conversation is left out. */
const maxBytes = 1024 * 1024

/** Sends the words of requests and answers, as log records that belong to their spans. Core gives it only what the policy lets it see. */
export class ContentSink implements Pick<LogSink, 'write'> {
  readonly #outbox: Outbox
  readonly #conventions: Conventions
  readonly #finished = new Map<string, Pick<RequestTrace, 'traceId' | 'spanId' | 'isSampled'>>()

  constructor(outbox: Outbox, conventions: Conventions) {
    this.#outbox = outbox
    this.#conventions = conventions
  }

  finished(id: string, { traceId, spanId, isSampled }: RequestTrace): void {
    if (this.#finished.size >= maxFinished) this.#finished.delete(this.#finished.keys().next().value!)
    this.#finished.set(id, { traceId, spanId, isSampled })
  }

  async write(batch: readonly RequestRecord[]): Promise<void> {
    for (const record of batch) {
      const trace = this.#finished.get(record.id)
      this.#finished.delete(record.id)
      if (!trace || !maySend(record)) continue
      try {
        this.#send(record, trace)
      } catch {
        // Arguments of a tool may be nested too deeply. The error may quote them.
        this.#outbox.failed()
      }
    }
  }

  #send(
    { id, at, elapsedMs, request, response, session }: RequestRecord,
    trace: Pick<RequestTrace, 'traceId' | 'spanId' | 'isSampled'>,
  ): void {
    const { instructions, input, output } = conversationOf(request, response)
    if (JSON.stringify([instructions, input, output]).length > maxBytes) return
    const writer = this.#outbox.open()
    if (!writer) return
    const start = openLog(writer, trace, { at: at + elapsedMs, event: this.#conventions.detailsEvent, severity: info })
    names.operation.text(writer, logAttributes, 'chat')
    names.requestId.text(writer, logAttributes, id)
    if (session !== null) names.conversation.text(writer, logAttributes, session)
    if (instructions.length > 0) names.systemInstructions.json(writer, logAttributes, instructions)
    names.inputMessages.json(writer, logAttributes, input)
    names.outputMessages.json(writer, logAttributes, output)
    writer.close(start)
    this.#outbox.added()
  }
}

/** Under redaction, the record has the words of the caller, which redaction has not touched. */
function maySend({ kind, request, policy }: RequestRecord): boolean {
  return kind === 'generation' && request !== null && policy !== null && policy.logging.value && !policy.redaction.value
}
