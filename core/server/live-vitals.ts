import type { ProviderStates } from '../call/attempts/provider-states.ts'
import type { Vitals, VitalSigns } from '../contracts/vitals.ts'
import type { StoreTimes } from '../framework/store-times.ts'
import type { RecordQueue } from '../records/queue.ts'
import { EventLoopWatch } from '../runtime/event-loop-watch.ts'
import type { LiveLoad } from './admin/live-load.ts'
import type { Heartbeat } from './heartbeat.ts'

interface Parts {
  readonly load: LiveLoad
  readonly heartbeat: Heartbeat
  readonly providers: ProviderStates
  readonly records: RecordQueue
}

/** Reads how this process is doing from the parts that know. */
export class LiveVitals implements Vitals {
  readonly #stores: StoreTimes
  readonly #eventLoop = new EventLoopWatch()
  #parts: Parts | undefined

  constructor(stores: StoreTimes) {
    this.#stores = stores
  }

  /** Plugins get this before there are any parts. */
  arrive(parts: Parts): void {
    this.#parts = parts
  }

  read(): VitalSigns {
    if (!this.#parts) throw new Error('the gateway is not assembled yet: read Vitals from `onStart` on, not in `setup`')
    const { load, heartbeat, providers, records } = this.#parts
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
    return {
      load: load.own,
      streams: heartbeat.count,
      providers: providers.named(),
      eventLoop: this.#eventLoop.read(),
      memory: { rssBytes: rss, heapUsedBytes: heapUsed, heapTotalBytes: heapTotal, externalBytes: external },
      stores: this.#stores.all(),
      sinks: records.states(),
    }
  }

  stop(): void {
    this.#eventLoop.stop()
  }
}
