import { GatewayError, type Caller, type Clock, type Exchange, type Logger } from '../../../../core/index.ts'
import { describeError, isPending, RepeatedError, type GatewayServices, own, wording } from '../../../../core/kit.ts'
import {
  Concurrency,
  type BackgroundAftermath,
  type BackgroundState,
  type BackgroundStore,
  type RateLimiter,
} from '../../../../core/stores.ts'
import type { EventSet } from '../create.ts'
import type { RequestBody } from '../request-body.ts'
import { ResponseBuilder } from '../response-builder.ts'
import { BackgroundRun, cancelled } from './background-run.ts'
import { LogWriter } from './log-writer.ts'
import type { BackgroundOptions } from './options.ts'
import { isOver } from './shown.ts'

/** A gateway that does not renew its leases for so long is dead. */
const leaseMs = 30_000
/** How soon a run notices that it was cancelled through another gateway, or that its key was revoked. */
const renewEveryMs = 2_000
/** Of a stream, by a `response.in_progress`. */
const silenceMs = 15_000
/** A request waits so long for the end of a response that is just ending. */
const endingMs = 5_000
const hourMs = 60 * 60 * 1000

export interface BackgroundParts {
  readonly store: BackgroundStore
  readonly limits: RateLimiter
  readonly clock: Clock
  readonly log: Logger
  readonly options: BackgroundOptions
  readonly services: GatewayServices
  /** Called when a response is over that someone wants to know of. */
  readonly notify: (() => void) | undefined
}

/** The background responses of this gateway, and those of others on the same store: docs/protocol/background.md. */
export class Background {
  readonly store: BackgroundStore
  readonly #parts: BackgroundParts
  readonly #runs = new Map<string, BackgroundRun>()
  /** The limit of this process alone, whatever other processes do. */
  readonly #all = new Concurrency()
  readonly #failing: RepeatedError
  #timer: NodeJS.Timeout | undefined
  #beatAt = 0

  constructor(parts: BackgroundParts) {
    this.#parts = parts
    this.store = parts.store
    this.#failing = new RepeatedError(parts.log, 'could not reach the store of background responses; retrying')
  }

  /** Counts one more response. Throws a 429 if there are too many. Call the returned function when it is over. */
  async enter({ key }: Caller): Promise<() => void> {
    const { limits, options } = this.#parts
    const ofKey = await limits.enter(`background:key:${key.id}`, options.maxRunningPerKey, key.org)
    if (!ofKey) throw tooMany(`This API key may have ${options.maxRunningPerKey} background responses in progress at once.`)
    const ofAll = this.#all.enter('background', options.maxRunning)
    if (!ofAll) {
      ofKey()
      throw tooMany(`This gateway may have ${options.maxRunning} background responses in progress at once.`)
    }
    return () => {
      ofKey()
      ofAll()
    }
  }

  /** The sink of a new response. `conversation`: the id of the one that it is added to. */
  open(exchange: Exchange, body: RequestBody, events: EventSet, conversation: string | undefined): BackgroundRun {
    const { store, clock, options, services } = this.#parts
    const { owner } = exchange.caller
    // The writer calls these only once the response runs.
    const stop = (reason: GatewayError): void => run.stop(reason)
    const id = services.ids.make('resp')
    const writer = new LogWriter({
      store,
      owner,
      id,
      maxCharacters: options.maxEventBytes,
      overflow: () => stop(tooLong(options.maxEventBytes)),
      unwanted: () => void run.unwanted().then(stop, this.failed),
      failed: this.failed,
    })
    const builder = new ResponseBuilder(
      body,
      { make: prefix => (prefix === 'resp' ? id : services.ids.make(prefix)) },
      clock,
      events,
      writer.log,
    )
    if (conversation !== undefined) builder.response.conversation = { id: conversation }
    const run: BackgroundRun = new BackgroundRun({
      exchange,
      store,
      builder,
      writer,
      leaseMs,
      aftermath: () => this.aftermath(),
      now: () => clock.now(),
    })
    return run
  }

  /** Keeps a response that was accepted alive until its work is over. */
  watch(run: BackgroundRun, work: Promise<unknown>): void {
    const address = addressOf(run.owner, run.id)
    this.#runs.set(address, run)
    this.#timer ??= setInterval(() => void this.#renew(), renewEveryMs).unref()
    void work.then(() => {
      this.#runs.delete(address)
      this.#parts.notify?.()
      if (this.#runs.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    })
  }

  /** The run of a response, if it is in this gateway. */
  runOf(owner: string, id: string): BackgroundRun | undefined {
    return this.#runs.get(addressOf(owner, id))
  }

  /** Undefined if there is no such response. One whose gateway has died has failed. */
  async find(owner: string, id: string): Promise<BackgroundState | undefined> {
    const state = await this.#inTime(this.store.get(owner, id))
    if (!state || isOver(state) || state.leaseLeftMs! >= 0) return state
    await this.#inTime(this.store.lapse(this.aftermath()))
    this.#parts.notify?.()
    return await this.#inTime(this.store.get(owner, id))
  }

  /** Cancels a response that runs, here or in another gateway. Does nothing if it is over. */
  async cancel(owner: string, id: string): Promise<BackgroundState | undefined> {
    const wasRunning = await this.#inTime(this.store.cancel(owner, id))
    const run = this.runOf(owner, id)
    if (run && wasRunning) run.stop(cancelled())
    const state = await this.find(owner, id)
    if (!run || !state || isOver(state)) return state
    // Its output and what it cost are known at once.
    await Promise.race([run.writer.over, timeOver(endingMs)])
    return await this.find(owner, id)
  }

  /** Call when the gateway stops: ends what still runs. */
  async stop(): Promise<void> {
    const runs = [...this.#runs.values()]
    for (const run of runs) run.stop(stopping())
    await Promise.race([Promise.all(runs.map(({ writer }) => writer.over)), timeOver(endingMs)])
    clearInterval(this.#timer)
  }

  /** How the store treats a response after its end. */
  aftermath(): BackgroundAftermath {
    const { keepHours, webhook } = this.#parts.options
    return { keepMs: keepHours * hourMs, ...(webhook && { noticeMs: 0 }) }
  }

  readonly failed = (error: unknown): void => this.#failing.report(describeError(error))

  async #renew(): Promise<void> {
    const runs = [...this.#runs.values()]
    this.#beat(runs)
    void this.#readmit(runs)
    try {
      const wanted = new Set((await this.store.renew(runs, leaseMs)).map(({ owner, id }) => addressOf(owner, id)))
      for (const run of runs) if (!wanted.has(addressOf(run.owner, run.id))) run.stop(await run.unwanted())
    } catch (error) {
      this.failed(error)
    }
  }

  /** A stream is never silent for long. */
  #beat(runs: readonly BackgroundRun[]): void {
    const now = this.#parts.clock.elapsed()
    if (now - this.#beatAt < silenceMs) return
    this.#beatAt = now
    for (const { writer } of runs) {
      if (writer.log.isSilent) writer.log.beat()
      writer.log.isSilent = true
    }
  }

  /** Ends the responses of keys that were revoked. */
  async #readmit(runs: readonly BackgroundRun[]): Promise<void> {
    for (const [, [first, ...others]] of Map.groupBy(runs, ({ exchange }) => exchange.caller.key.id)) {
      try {
        const admitted = this.#parts.services.readmit(first!.exchange.caller)
        if (isPending(admitted)) await admitted
      } catch (error) {
        // Otherwise the store of keys did not answer, and is asked again.
        if (error instanceof GatewayError && error.status === 401) for (const run of [first!, ...others]) run.stop(error)
      }
    }
  }

  async #inTime<T>(answer: Promise<T>): Promise<T> {
    try {
      return await Promise.race([answer, timeOver(endingMs).then(() => Promise.reject(new Error('the store did not answer in time')))])
    } catch (cause) {
      this.failed(cause)
      const message = wording`Background responses cannot be read at the moment. Try again.`
      throw new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
    }
  }
}

function timeOver(afterMs: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, afterMs).unref())
}

function addressOf(owner: string, id: string): string {
  return JSON.stringify([owner, id])
}

function tooMany(limit: string): GatewayError {
  return new GatewayError({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    message: wording`${own(limit)} Wait until one of them ends, or cancel one.`,
    reason: { kind: 'concurrency' },
    retryAfterMs: 1_000,
  })
}

function stopping(): GatewayError {
  const message = wording`The gateway is shutting down. Try again.`
  return new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message })
}

function tooLong(maxCharacters: number): GatewayError {
  return new GatewayError({
    status: 500,
    type: 'server_error',
    code: 'server_error',
    message: wording`The events of this background response have more than ${own(maxCharacters)} characters, so it was ended. Ask for a shorter answer, or without background.`,
  })
}
