import type { Clock } from '../foundation/clock.ts'
import type { TokenUsage } from '../contracts/events.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { AttemptRecord, OpenRecord, RequestRecord } from '../contracts/log-sink.ts'
import type { Caller } from '../contracts/run-context.ts'
import type { RecordQueue } from './queue.ts'

/** The record of one request while it runs. Closed exactly once. */
export class RecordDraft implements OpenRecord {
  readonly #clock: Clock
  readonly #queue: RecordQueue
  readonly #id: string
  readonly #method: string
  readonly #path: string
  readonly #at: number
  readonly #start: number
  #closed = false
  caller: Caller | undefined
  stream = false
  requestedModel: string | null = null
  model: string | null = null
  provider: string | null = null
  usage: TokenUsage | null = null
  costUsd: number | null = null
  errorCode: string | null = null
  readonly attempts: AttemptRecord[] = []
  readonly notes: { kind: string; summary: JsonObject }[] = []
  #request: JsonObject | null = null
  #response: JsonObject | null = null

  constructor(clock: Clock, queue: RecordQueue, id: string, method: string, path: string) {
    this.#clock = clock
    this.#queue = queue
    this.#id = id
    this.#method = method
    this.#path = path
    this.#at = clock.now()
    this.#start = clock.elapsed()
  }

  /** Keeps content only if the caller's policy has logging on. Otherwise it is dropped before anything could store it. */
  content(request: JsonObject | undefined, response: JsonObject | undefined): void {
    if (!this.caller?.policy.logging.value) return
    if (request) this.#request = request
    if (response) this.#response = response
  }

  close(status: number): void {
    if (this.#closed) return
    this.#closed = true
    this.#queue.push(this.#record(status))
  }

  #record(status: number): RequestRecord {
    return {
      id: this.#id,
      at: this.#at,
      method: this.#method,
      path: this.#path,
      status,
      elapsedMs: Math.round((this.#clock.elapsed() - this.#start) * 1000) / 1000,
      keyId: this.caller?.key.id ?? null,
      owner: this.caller?.owner ?? null,
      stream: this.stream,
      requestedModel: this.requestedModel,
      model: this.model,
      provider: this.provider,
      attempts: this.attempts,
      usage: this.usage,
      costUsd: this.costUsd,
      errorCode: this.errorCode,
      policy: this.caller?.policy ?? null,
      notes: this.notes,
      request: this.#request,
      response: this.#response,
    }
  }
}
