import type { KeyWindow } from '../contracts/key-window.ts'
import type { OpenScope } from '../contracts/request-scope.ts'
import type { Caller } from '../contracts/run-context.ts'
import { asGatewayError, GatewayError } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { Logger } from '../foundation/logger.ts'
import type { RecordDraft } from '../records/record.ts'
import { Cancellation } from '../runtime/cancellation.ts'
import type { HeaderReader } from './channel.ts'

/** One request of one caller. Its cancellation covers all of it, including the run. */
export class LiveScope implements OpenScope {
  place = -1
  readonly id: string
  readonly log: Logger
  readonly record: RecordDraft
  readonly cancellation = new Cancellation()
  work: Promise<unknown> | undefined
  windows: readonly KeyWindow[] | undefined
  sentSession: string | undefined
  /** The headers that may have a `traceparent`. */
  traceHeaders: HeaderReader | undefined
  #caller: Caller | undefined

  constructor(id: string, log: Logger, record: RecordDraft) {
    this.id = id
    this.log = log
    this.record = record
  }

  get creditWaitMs(): number | undefined {
    return this.record.creditWaitMs ?? undefined
  }

  set creditWaitMs(waitedMs: number | undefined) {
    this.record.creditWaitMs = waitedMs ?? null
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  get caller(): Caller {
    if (!this.#caller) throw new Error('nobody was authenticated here, so there is no caller')
    return this.#caller
  }

  get traceparent(): string | null {
    return this.traceHeaders?.get('traceparent') ?? null
  }

  admitted(caller: Caller): void {
    this.#caller = caller
    this.record.caller = caller
  }

  note(kind: string, summary: JsonObject): void {
    this.record.notes.push({ kind, summary })
  }

  keep(kind: string, content: JsonObject): void {
    this.record.keep(kind, content)
  }

  /** The client has disconnected. */
  leave(): void {
    if (!this.cancellation.aborted) this.cancellation.abort(clientGone())
  }

  /** Closes the record with a status or an error. What became of work that outlives the reply is known when it has finished. */
  close(outcome: number | GatewayError, isRecorded = true): void {
    const { work, cancellation } = this
    let status: number
    if (typeof outcome === 'number' && isStatus(outcome)) status = outcome
    else {
      const error = this.#errorOf(outcome)
      status = error.status
      this.record.failed(error)
    }
    if (!work) this.#end(cancellation.aborted ? 499 : status, isRecorded)
    else void work.then(outcome => this.#end(outcome instanceof GatewayError && outcome.status === 499 ? 499 : status, isRecorded))
  }

  /** Plugins may be plain JavaScript. Stores refuse a record without a status, and others that they write together with it. */
  #errorOf(outcome: unknown): GatewayError {
    if (outcome instanceof GatewayError && isStatus(outcome.status)) return outcome
    const got = typeof outcome === 'number' ? String(outcome) : outcome instanceof Error ? 'another error' : typeof outcome
    this.log.error('a request was closed with neither an HTTP status nor a GatewayError, so it is recorded as a 500', {
      request: this.id,
      got,
    })
    return asGatewayError(undefined)
  }

  /** Gives back what the request held. */
  protected release(): void {}

  #end(status: number, isRecorded: boolean): void {
    this.release()
    if (isRecorded) this.record.close(status, this)
  }
}

function isStatus(value: number): boolean {
  return Number.isInteger(value) && value >= 100 && value <= 599
}

/** True if the log may show what was thrown: the policy of the key decides, if there is one. */
export function mayShow({ record: { key, caller } }: LiveScope): boolean {
  return caller ? caller.policy.logging.value : key === undefined
}

/** Recorded as 499, never delivered: docs/protocol/http.md#disconnects. */
function clientGone(): GatewayError {
  return new GatewayError({
    status: 499,
    type: 'invalid_request_error',
    code: 'client_closed_request',
    message: wording`The client closed the connection before the answer.`,
  })
}
