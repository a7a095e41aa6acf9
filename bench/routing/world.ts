import type { FailureKind } from '../../core/index.ts'
import { logNormal, randomFrom } from './random.ts'

/** How a generated provider does for a while. */
export interface Condition {
  /** Median time to the first event. */
  readonly latencyMs: number
  readonly tokensPerSecond: number
  /** Share of requests that fail at once with a 503. */
  readonly failing: number
  /** Beyond it, requests get a 429. */
  readonly requestsPerMinute: number
  /** US dollars per million output tokens; input costs a quarter. */
  readonly usdPerMillion: number
}

export interface SimulatedProvider {
  readonly id: string
  readonly usual: Condition
}

/** Something that happens to a provider. */
export interface Episode {
  readonly provider: string
  readonly title: string
  readonly fromMinute: number
  readonly untilMinute: number
  readonly condition: Partial<Condition>
}

export interface Scenario {
  readonly minutes: number
  readonly requestsPerSecond: number
  readonly providers: readonly SimulatedProvider[]
  readonly episodes: readonly Episode[]
  readonly seed: number
}

export type Result =
  | { readonly kind: FailureKind; readonly status: number; readonly afterMs: number; readonly retryAfterMs?: number }
  | {
      readonly kind: 'answer'
      readonly latencyMs: number
      readonly totalMs: number
      readonly outputTokens: number
      readonly costUsd: number
    }

export const inputTokens = 1_000
/** How heavy the tails of latency, speed and length are. */
const sigma = 0.35
const failsAfterMs = 80
const minuteMs = 60_000

/** The behavior of a scenario's providers. The same request at the same provider and time has the same result for every sender. */
export class World {
  readonly scenario: Scenario
  /** Requests that each provider took in the running minute. */
  readonly #taken = new Map<string, { minute: number; count: number }>()

  constructor(scenario: Scenario) {
    this.scenario = scenario
  }

  conditionOf(provider: string, atMs: number): Condition {
    const { providers, episodes } = this.scenario
    const { usual } = providers.find(({ id }) => id === provider)!
    const minute = atMs / minuteMs
    return episodes
      .filter(each => each.provider === provider && minute >= each.fromMinute && minute < each.untilMinute)
      .reduce((condition, each) => ({ ...condition, ...each.condition }), usual)
  }

  /** `atMs`: since the start of the scenario. */
  ask(provider: string, request: number, atMs: number): Result {
    const condition = this.conditionOf(provider, atMs)
    const index = this.scenario.providers.findIndex(({ id }) => id === provider)
    const random = randomFrom(this.scenario.seed + request * 7919 + index * 104_729)
    const minute = Math.floor(atMs / minuteMs)
    if (this.#countIn(provider, minute) > condition.requestsPerMinute)
      return { kind: 'rate-limit', status: 429, afterMs: failsAfterMs, retryAfterMs: (minute + 1) * minuteMs - atMs }
    if (random() < condition.failing) return { kind: 'unavailable', status: 503, afterMs: failsAfterMs }
    const latencyMs = logNormal(condition.latencyMs, sigma, random)
    const outputTokens = Math.max(1, Math.round(logNormal(300, sigma, randomFrom(this.scenario.seed - request))))
    const totalMs = latencyMs + (outputTokens / logNormal(condition.tokensPerSecond, sigma / 2, random)) * 1000
    return { kind: 'answer', latencyMs, totalMs, outputTokens, costUsd: costOf(condition, outputTokens) }
  }

  /** True if at least one provider answers reliably and within its limit. */
  isAnyHealthy(atMs: number): boolean {
    const { providers, requestsPerSecond } = this.scenario
    return providers.some(({ id }) => {
      const { failing, requestsPerMinute } = this.conditionOf(id, atMs)
      return failing < 0.02 && requestsPerMinute > requestsPerSecond * 90
    })
  }

  #countIn(provider: string, minute: number): number {
    let taken = this.#taken.get(provider)
    if (taken?.minute !== minute) this.#taken.set(provider, (taken = { minute, count: 0 }))
    return ++taken.count
  }
}

export function costOf({ usdPerMillion }: Condition, outputTokens: number): number {
  return (usdPerMillion * (outputTokens + inputTokens / 4)) / 1_000_000
}

/** When requests arrive, in milliseconds since the start: at random, at the scenario's mean rate. */
export function arrivalsOf({ minutes, requestsPerSecond, seed }: Scenario): readonly number[] {
  const random = randomFrom(seed)
  const arrivals: number[] = []
  for (let at = 0; ;) {
    at += (-Math.log(1 - random()) * 1000) / requestsPerSecond
    if (at >= minutes * minuteMs) return arrivals
    arrivals.push(at)
  }
}
