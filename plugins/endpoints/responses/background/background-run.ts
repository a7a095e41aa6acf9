import { GatewayError, type Exchange, type JsonObject, type TokenUsage } from '../../../../core/index.ts'
import { type Commitment, type FinishedAnswer, type GenerationSink, type ItemEvent, type Outcome, wording } from '../../../../core/kit.ts'
import type { BackgroundAftermath, BackgroundStore, EventChunk, FinalStatus } from '../../../../core/stores.ts'
import { cancelledCode } from '../errors.ts'
import type { ResponseBuilder } from '../response-builder.ts'
import type { LogWriter } from './log-writer.ts'

type Item = Parameters<NonNullable<GenerationSink['accepted']>>[0][number]

export interface RunParts {
  readonly exchange: Exchange
  readonly store: BackgroundStore
  readonly builder: ResponseBuilder
  readonly writer: LogWriter
  readonly leaseMs: number
  /** How the store treats the response after its end. */
  aftermath(): BackgroundAftermath
  now(): number
}

/** One response that runs in the background. Its events go to the store, and from there to all who follow it. */
export class BackgroundRun implements GenerationSink {
  readonly owner: string
  readonly exchange: Exchange
  readonly writer: LogWriter
  readonly #parts: RunParts
  readonly #builder: ResponseBuilder
  readonly #accepted = Promise.withResolvers<JsonObject>()
  /** Aborts when the client leaves that created the response. */
  left: AbortSignal | undefined
  #isBegun = false
  #end: { readonly status: FinalStatus; readonly body?: JsonObject } | undefined

  constructor(parts: RunParts) {
    this.#parts = parts
    this.exchange = parts.exchange
    this.owner = parts.exchange.caller.owner
    this.writer = parts.writer
    this.#builder = parts.builder
    parts.builder.response.status = 'queued'
  }

  get id(): string {
    return this.#builder.id
  }

  /** Resolves with the response as it was entered into the store. */
  get isAccepted(): Promise<JsonObject> {
    return this.#accepted.promise
  }

  get full(): boolean {
    return this.writer.log.full
  }

  drained(): Promise<void> {
    return this.writer.log.drained()
  }

  async accepted(input: readonly Item[]): Promise<void> {
    const { store, exchange, now, leaseMs } = this.#parts
    const body = { ...this.#builder.response }
    const { org } = exchange.caller.key
    await store.begin(this.owner, { id: this.id, org, input, body, createdAt: now() }, leaseMs)
    this.#isBegun = true
    this.writer.open()
    this.left = exchange.detach()
    this.#accepted.resolve(body)
  }

  begin(commitment: Commitment): void {
    const { response } = this.#builder
    response.status = 'in_progress'
    this.#builder.begin(commitment)
    this.writer.begun({ ...response, output: [] })
  }

  write(event: ItemEvent): void {
    this.#builder.write(event)
  }

  close(outcome: Outcome): FinishedAnswer {
    return this.#builder.close(outcome)
  }

  async completing(): Promise<void> {
    if (!(await this.#parts.store.complete(this.owner, this.id))) throw await this.unwanted()
  }

  end(stored: boolean): void {
    this.#builder.end(stored)
    const { response } = this.#builder
    this.#end = { status: response.status as FinalStatus, ...(!stored && { body: response }) }
  }

  fail(error: GatewayError, usage: TokenUsage, costUsd: number | null): void {
    this.#builder.fail(error, usage, costUsd)
    const { response } = this.#builder
    this.#end = { status: response.status as FinalStatus, body: response }
  }

  async settled(): Promise<void> {
    if (!this.#isBegun || !this.#end) return
    await this.writer.finish({ ...this.#end, ...this.#parts.aftermath() })
  }

  abandon(): void {
    this.writer.log.abandon()
  }

  /** Ends the response with an error, before its time. */
  stop(reason: GatewayError): void {
    this.exchange.cancellation.abort(reason)
  }

  /** The reason why the store says that the response should not run on. */
  async unwanted(): Promise<GatewayError> {
    const state = await this.#parts.store.get(this.owner, this.id)
    return state?.status === 'cancelled' ? cancelled() : lost()
  }

  /** The last events, if they are in memory. */
  recent(from: { readonly part: number; readonly sequence: number }): readonly EventChunk[] | undefined {
    return this.writer.log.recent(from)
  }
}

export function cancelled(): GatewayError {
  return new GatewayError({
    status: 499,
    type: 'invalid_request_error',
    code: cancelledCode,
    message: wording`The response was cancelled.`,
  })
}

function lost(): GatewayError {
  return new GatewayError({
    status: 500,
    type: 'server_error',
    code: 'server_error',
    message: wording`The gateway could not renew its hold on this background response in time, so it was given up. Create it again.`,
  })
}
