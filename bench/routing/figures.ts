import type { Outcome } from './outcome.ts'
import type { Scenario } from './world.ts'

const minuteMs = 60_000

/** The results of a run. */
export interface Figures {
  /** Share of requests that were answered. */
  readonly success: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** US dollars per 1,000 answered requests. */
  readonly usdPerThousand: number
  /** Share of the traffic that changed its provider from one minute to the next, on average. */
  readonly movedPerMinute: number
}

export function figuresOf(outcomes: readonly Outcome[], scenario: Scenario): Figures {
  const answered = outcomes.filter(({ isAnswered }) => isAnswered)
  const times = answered.map(({ totalMs }) => totalMs).toSorted((a, b) => a - b)
  const costs = answered.reduce((sum, { costUsd }) => sum + costUsd, 0)
  const shares = sharesOf(outcomes, scenario)
  const moved = shares.slice(1).map((now, index) => distance(now, shares[index]!))
  return {
    success: answered.length / outcomes.length,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    usdPerThousand: (costs / answered.length) * 1000,
    movedPerMinute: moved.reduce((sum, each) => sum + each, 0) / moved.length,
  }
}

/** Each provider's share of the answers, by minute. */
export function sharesOf(outcomes: readonly Outcome[], { minutes, providers }: Scenario): readonly (readonly number[])[] {
  const counts = Array.from({ length: minutes }, () => providers.map(() => 0))
  for (const { atMs, provider } of outcomes) {
    const index = providers.findIndex(({ id }) => id === provider)
    if (index >= 0) counts[Math.floor(atMs / minuteMs)]![index]!++
  }
  return counts.map(row => {
    const sum = row.reduce((total, count) => total + count, 0)
    return row.map(count => (sum === 0 ? 0 : count / sum))
  })
}

/** How often a provider's share turns around within 10 minutes from `minute`. Less than `noise` is no change. */
export function turnsAfter(shares: readonly (readonly number[])[], provider: number, minute: number, noise = 0.08): number {
  const series = shares.slice(Math.max(0, minute - 1), minute + 10).map(row => row[provider]!)
  let turns = 0
  let direction = 0
  let extreme = series[0]!
  for (const share of series) {
    if (Math.sign(share - extreme) === direction) extreme = share
    else if (Math.abs(share - extreme) > noise) {
      const now = Math.sign(share - extreme)
      if (direction !== 0) turns++
      direction = now
      extreme = share
    }
  }
  return turns
}

/** Minutes from `minute` until a provider has nine tenths of the share that it had in the minute before `before`. Infinity if never. */
export function minutesToRecover(shares: readonly (readonly number[])[], provider: number, before: number, minute: number): number {
  const wanted = shares[before - 1]![provider]! * 0.9
  const found = shares.findIndex((row, index) => index >= minute && row[provider]! >= wanted)
  return found < 0 ? Infinity : found - minute
}

function distance(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, share, index) => sum + Math.abs(share - other[index]!), 0) / 2
}

function quantile(ascending: readonly number[], at: number): number {
  return ascending[Math.max(0, Math.ceil(at * ascending.length) - 1)] ?? Number.NaN
}
