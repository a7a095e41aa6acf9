import type { Outcome } from './outcome.ts'
import { arrivalsOf, costOf, type Condition, type Scenario, World } from './world.ts'

/** The providers that a strategy asks first, second, and so on. `turn` counts requests. */
export type Strategy = (world: World, atMs: number, turn: number) => readonly string[]

/** Sends the requests of a scenario in the order that a strategy says, without a gateway. */
export function runStrategy(scenario: Scenario, strategy: Strategy): readonly Outcome[] {
  const world = new World(scenario)
  return arrivalsOf(scenario).map((atMs, request) => {
    let nowMs = atMs
    for (const provider of strategy(world, atMs, request)) {
      const result = world.ask(provider, request, nowMs)
      if (result.kind === 'answer') {
        const totalMs = nowMs + result.totalMs - atMs
        return { request, atMs, isAnswered: true, provider, totalMs, costUsd: result.costUsd }
      }
      nowMs += result.afterMs
    }
    return { request, atMs, isAnswered: false, provider: undefined, totalMs: nowMs - atMs, costUsd: 0 }
  })
}

export const roundRobin: Strategy = ({ scenario: { providers } }, _atMs, turn) =>
  providers.map((_, index) => providers[(turn + index) % providers.length]!.id)

/** Knows how every provider does at the moment. `worth`: the lower the better. */
export function oracle(worth: (condition: Condition) => number): Strategy {
  return (world, atMs) => {
    const { providers, requestsPerSecond } = world.scenario
    return providers
      .map(({ id }) => {
        const condition = world.conditionOf(id, atMs)
        const isFull = condition.requestsPerMinute < requestsPerSecond * 60
        return { id, worth: isFull ? Infinity : worth(condition) / (1 - condition.failing) ** 3 }
      })
      .toSorted((a, b) => (a.worth === b.worth ? 0 : a.worth - b.worth))
      .map(({ id }) => id)
  }
}

const usualTokens = 300

export const fastest = oracle(({ latencyMs, tokensPerSecond }) => latencyMs + (usualTokens / tokensPerSecond) * 1000)
export const soonest = oracle(({ latencyMs }) => latencyMs)
export const cheapest = oracle(condition => costOf(condition, usualTokens))
