import type { GatewayLoad } from './gateway-load.ts'
import type { ProviderState } from './provider-state.ts'
import type { StoreService } from './store-services.ts'
import { token } from '../foundation/token.ts'

/**
 * How this process is doing right now, for metrics and alerts. Core provides it. While no loaded plugin names it in `needs` or `wants`, core
 * does not time its stores.
 */
export interface Vitals {
  /** Call it from `onStart` on. The event loop is watched from the first call on, so the first answer knows nothing of it. */
  read(): VitalSigns
}
export const Vitals = token<Vitals>('vitals')

/** Without secrets, and without names that callers made up. */
export interface VitalSigns {
  /** Of this process alone. */
  readonly load: Omit<GatewayLoad, 'processes'>
  /** Streamed replies that their clients have not read to the end. */
  readonly streams: number
  /** As this process knows them. `circuits` lists models of catalogs only, and `*` for a provider as a whole. */
  readonly providers: readonly ProviderState[]
  /** Zeros at the first reading. */
  readonly eventLoop: EventLoopDelay
  /** By `process.memoryUsage()`. */
  readonly memory: ProcessMemory
  /** Empty while no plugin names `Vitals` in `needs` or `wants`. */
  readonly stores: readonly StoreTime[]
  /** One for each log sink. */
  readonly sinks: readonly SinkState[]
}

/** How late timers fire, over the last minute. 0 before anything was measured. */
export interface EventLoopDelay {
  /** Of all measurements. */
  readonly meanMs: number
  /** The worst 99th percentile of all spans of ten seconds. */
  readonly p99Ms: number
  /** The worst measurement. */
  readonly maxMs: number
}

/** The memory of this process. */
export interface ProcessMemory {
  /** All memory that the process has, as the system counts it. */
  readonly rssBytes: number
  /** Used by objects of JavaScript. */
  readonly heapUsedBytes: number
  /** Reserved for objects of JavaScript. */
  readonly heapTotalBytes: number
  /** Outside the heap, as for buffers. */
  readonly externalBytes: number
}

/** The calls of one store service since the start. */
export interface StoreTime {
  /** Such as `keys`, as in the option `services` of stores. */
  readonly service: StoreService
  /** Of all methods, those under way not counted. */
  readonly calls: number
  /** Calls that threw. */
  readonly failed: number
  /** The time of all calls together. */
  readonly totalMs: number
}

/** The records of one log sink since the start. */
export interface SinkState {
  /** Its name. */
  readonly sink: string
  /** Records that are queued or being written. */
  readonly waiting: number
  /** Lost because the sink could not keep up. */
  readonly dropped: number
  /** Records that lost only their content for this reason. */
  readonly contentsDropped: number
  /** Lost because the sink failed to write them, and kept them nowhere else. */
  readonly failed: number
}
