import { contract } from '../foundation/token.ts'
import type { CountDelta, CountSum } from './coordination.ts'

/** The outcome of one attempt at one endpoint. */
export interface AttemptSample {
  /** The id of the provider. */
  readonly provider: string
  /** The vendor's name of the model. */
  readonly model: string
  /** True if a catalog lists the endpoint. Callers can name any others, which must not displace the metrics of listed ones. */
  readonly listed: boolean
  /** Milliseconds since the epoch. */
  readonly at: number
  /** `fault`: the provider's fault. `neutral`: the caller's fault, or the client disconnected. */
  readonly outcome: 'ok' | 'fault' | 'neutral'
  /** Time to the first semantic event. Streamed attempts only. */
  readonly latencyMs?: number | undefined
  /** Time to the last event. */
  readonly totalMs: number
  /** With those read from a cache. */
  readonly inputTokens: number
  /** With reasoning tokens. */
  readonly outputTokens: number
}

/**
 * Metrics of an endpoint over a period that ends now. Undefined where there is no data. A window may be live: its values may change with
 * the next attempt, so read them when you need them and do not keep the window.
 */
export interface MetricWindow {
  /** All attempts. */
  readonly requests: number
  /** Attempts that the endpoint answered. Throughput, times and mean output are theirs alone. */
  readonly samples: number
  /** Share of attempts without a fault of the provider, from 0 to 1. */
  readonly uptime: number | undefined
  /** Of all attempts together. */
  readonly inputTokens: number
  /** Of all attempts together. */
  readonly outputTokens: number
  /** Per answer. */
  readonly meanOutputTokens: number | undefined
  /** Output tokens per second after the first token. */
  readonly throughput: number | undefined
  /** Time to the first semantic event, in milliseconds. Whole replies have none. */
  readonly averageLatencyMs: number | undefined
  /** Time to the last event, in milliseconds. */
  readonly averageTotalMs: number | undefined
  /** Time to the first semantic event. `quantile` from 0 to 1; values within 2%. */
  latencyMs(quantile: number): number | undefined
  /** Time to the last event. `quantile` from 0 to 1; values within 2%. */
  totalMs(quantile: number): number | undefined
}

/** An endpoint's newest answers. All values are means. */
export interface LatestAnswers {
  /** How many answers. */
  readonly samples: number
  /** Time to the first semantic event. Undefined if no answer was streamed. */
  readonly latencyMs: number | undefined
  /** Output tokens per second after the first token. */
  readonly throughput: number | undefined
  /** Time to the last event, in milliseconds. */
  readonly totalMs: number
}

/** How the metrics of this process become those of all processes. Core calls it about once a second. */
export interface MetricSharing {
  /** Some of what this process recorded since the last call: all of it if it is less than `most`. Core sees to it that it is added to the sums once. */
  take(most: number): readonly CountDelta[]
  /** Takes sums of all processes, with all that was taken before. From now on, windows and `latest` count them. */
  receive(sums: readonly CountSum[]): void
  /** The sums are lost: `take` begins anew, with all that other processes still need. */
  forget(): void
}

/**
 * Live metrics per endpoint. Synchronous, so that routing never waits for a store. `metricStoreSuite` of `turnpike/testing` checks an
 * implementation.
 *
 * The default interval and shorter ones include the latest attempt. Longer ones may be up to 15 minutes old. A period starts with the
 * full minute in which it begins, and the longer ago that is, with the full hour, day or week.
 */
export interface MetricStore {
  /** Called once for each attempt that ended, on its way, except at unlisted models that the vendor does not have. */
  record(sample: AttemptSample): void
  /** `now`: for callers that read many windows and the clock only once. In milliseconds since the epoch. */
  window(provider: string, model: string, intervalMs: number, now?: number): MetricWindow
  /** The latest figures, to notice changes: the newest minutes that have 3 answers together, of the last 15. Undefined if there are none. */
  latest(provider: string, model: string, now?: number): LatestAnswers | undefined
  /** Called once, if processes count together. Without it, each process counts for itself. */
  share?(): MetricSharing
}
export const MetricStore = contract<MetricStore>('metric-store', { version: 1, stability: 'stable' })
