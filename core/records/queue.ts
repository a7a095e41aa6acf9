import pTimeout from 'p-timeout'
import { wire } from '../framework/container.ts'
import type { LogSink, OpenRecord, RequestRecord } from '../contracts/log-sink.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { SinkState } from '../contracts/vitals.ts'
import { usesFeature, type Feature } from '../contracts/feature.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { blindedBy, excludedFeatures } from '../contracts/sight.ts'
import { isObject } from '../foundation/json.ts'
import { LogSinks } from '../framework/extension-points.ts'
import { describePluginError, Logger } from '../foundation/logger.ts'
import { token } from '../foundation/token.ts'
import type { Registry } from '../framework/registry.ts'
import { WaitingRecords, withoutContent, type Dropped } from './waiting-records.ts'

/** How long a record waits for others, with which the sinks get it. */
export const RecordDelay = token<number>('record delay')
export const usualRecordDelayMs = 100
const requiredAgainAfterMs = 1_000

/** Told of every record at once. */
export interface RecordWatch {
  closed(record: RequestRecord, open: OpenRecord, scope: Pick<RequestScope, 'traceparent'>): void
}

/**
 * Delivers records to the sinks in batches, off the request path. The queue is bounded: a slow sink loses its oldest records or their
 * content, unless it is required.
 */
export class RecordQueue {
  readonly #queues: readonly SinkQueue[]
  /** Set if the gateway has observers. */
  watch: RecordWatch | undefined

  static {
    wire(this, [LogSinks, Logger, RecordDelay])
  }

  constructor(sinks: Registry<LogSink>, log: Logger, delayMs: number) {
    this.#queues = sinks.values().map(sink => new SinkQueue(sink, log.child(sinks.pluginOf(sink.name) ?? sink.name), delayMs))
  }

  push(record: RequestRecord): void {
    for (const queue of this.#queues) queue.push(record)
  }

  /** The wait for a required sink that cannot keep up, if there is one. New requests wait for the promise. */
  room(): Promise<void> | undefined {
    if (!this.#queues.some(blocks)) return undefined
    return Promise.all(this.#queues.filter(blocks).map(queue => queue.room())).then(() => undefined)
  }

  states(): readonly SinkState[] {
    return this.#queues.map(queue => queue.state)
  }

  /** Delivers the remaining records, or gives up at the deadline. */
  async drain(deadlineMs: number): Promise<void> {
    await pTimeout(this.#deliverAll(), { milliseconds: deadlineMs, message: false })
    for (const queue of this.#queues) queue.stop()
  }

  /** The last requests may end while a slow sink still writes: their records reach the others, too. */
  async #deliverAll(): Promise<void> {
    do await Promise.all(this.#queues.map(queue => queue.drain()))
    while (this.#queues.some(queue => queue.isBusy))
  }
}

function blocks(queue: SinkQueue): boolean {
  return queue.blocks
}

/** One sink and its waiting records. */
class SinkQueue {
  readonly #sink: LogSink
  readonly #log: Logger
  readonly #delayMs: number
  readonly #waiting = new WaitingRecords()
  #dropped: Dropped = { records: 0, contents: 0 }
  /** What was dropped before, and reported. */
  readonly #reported: Dropped = { records: 0, contents: 0 }
  /** Records that were given up and are nowhere else. */
  #failed = 0
  /** Records of the batch that the sink is writing. */
  #underWay = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #room: (() => void)[] = []
  #stopped = false
  /** Ends the wait for the next try. */
  #wake: (() => void) | undefined

  constructor(sink: LogSink, log: Logger, delayMs: number) {
    this.#sink = sink
    this.#log = log
    this.#delayMs = delayMs
  }

  get state(): SinkState {
    return {
      sink: this.#sink.name,
      waiting: this.#waiting.count + this.#underWay,
      dropped: this.#reported.records + this.#dropped.records,
      contentsDropped: this.#reported.contents + this.#dropped.contents,
      failed: this.#failed,
    }
  }

  get blocks(): boolean {
    return this.#sink.required === true && this.#waiting.isFull
  }

  room(): Promise<void> {
    return this.blocks ? new Promise(resolve => this.#room.push(resolve)) : Promise.resolve()
  }

  push(record: RequestRecord): void {
    this.#waiting.add((record.request || record.response || record.kept) && !this.#maySeeContent(record) ? withoutContent(record) : record)
    if (!this.#sink.required && this.#waiting.isFull) this.#waiting.dropOldest(this.#dropped)
    this.#timer ??= setTimeout(() => this.#flush(), this.#delayMs)
  }

  #maySeeContent({ policy, request }: RequestRecord): boolean {
    const { accepts, seesContent } = this.#sink
    if (accepts !== 'content' || policy === null || blindedBy(seesContent, policy)) return false
    const excluded = excludedFeatures(seesContent, policy)
    return excluded.length === 0 || !mayUse(request, excluded)
  }

  get isBusy(): boolean {
    return (!this.#waiting.isEmpty || this.#writing !== undefined) && !this.#stopped
  }

  async drain(): Promise<void> {
    while (this.isBusy) await this.#flush()
  }

  stop(): void {
    this.#stopped = true
    this.#wake?.()
    clearTimeout(this.#timer)
    for (const resolve of this.#room.splice(0)) resolve()
    const records = this.#underWay + this.#waiting.count
    if (records > 0)
      this.#log.error('a log sink did not take the last records in time: they may be lost', { sink: this.#sink.name, records })
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
      if (!this.#waiting.isEmpty && !this.#stopped) this.#timer ??= setTimeout(() => this.#flush(), this.#delayMs)
    })
    return this.#writing
  }

  async #write(): Promise<void> {
    while (!this.#waiting.isEmpty && !this.#stopped) {
      const batch = this.#waiting.nextBatch()
      this.#underWay = batch.length
      await this.#deliver(batch)
      this.#underWay = 0
      if (!this.blocks) for (const resolve of this.#room.splice(0)) resolve()
    }
    this.#reportDropped()
  }

  #reportDropped(): void {
    const { records, contents } = this.#dropped
    const sink = this.#sink.name
    if (records > 0) this.#log.warn('a log sink could not keep up: the oldest records were dropped', { sink, dropped: records })
    if (contents > 0) this.#log.warn('a log sink could not keep up: the content of the oldest records was dropped', { sink, contents })
    this.#reported.records += records
    this.#reported.contents += contents
    this.#dropped = { records: 0, contents: 0 }
  }

  /** Resolves when the sink has the batch, or when it is given up. */
  async #deliver(batch: readonly RequestRecord[]): Promise<void> {
    const sink = this.#sink
    for (let failures = 1; ; failures++) {
      try {
        return await sink.write(batch)
      } catch (error) {
        if (failures === 1 || !sink.retryAfterMs) this.#logFailure('a log sink failed to write', error, batch)
        const waitMs = sink.retryAfterMs ? sink.retryAfterMs(error, failures) : sink.required ? requiredAgainAfterMs : undefined
        if (waitMs === undefined || this.#stopped) return await this.#giveUp(batch, error)
        await this.#pause(waitMs)
      }
    }
  }

  async #giveUp(batch: readonly RequestRecord[], error: unknown): Promise<void> {
    if (!this.#sink.giveUp) this.#failed += batch.length
    try {
      await this.#sink.giveUp?.(batch, error)
    } catch (failure) {
      this.#failed += batch.length
      this.#logFailure('a log sink could not keep records that it had given up', failure, batch)
    }
  }

  /** Until the time is over, or the gateway stops. */
  #pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms).unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #logFailure(message: string, error: unknown, batch: readonly RequestRecord[]): void {
    const holdsContent = batch.some(({ request, response }) => request !== null || response !== null)
    const mayLog = batch.every(({ policy }) => policy?.logging.value !== false)
    this.#log.error(message, { sink: this.#sink.name, records: batch.length, ...describePluginError(error, holdsContent, mayLog) })
  }
}

/** True if the request uses one of the features, or has a form in which core cannot tell. */
function mayUse(request: RequestRecord['request'], features: readonly Feature[]): boolean {
  const input = request?.['input']
  if (!Array.isArray(input) || !input.every(item => isObject(item) && typeof item['type'] === 'string')) return true
  try {
    return features.some(feature => usesFeature(request as unknown as GenerationRequest, feature))
  } catch {
    return true
  }
}
