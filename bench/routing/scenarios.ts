import type { Condition, Scenario } from './world.ts'

const unlimited = Number.POSITIVE_INFINITY

function usual(latencyMs: number, tokensPerSecond: number, usdPerMillion: number, failing = 0.002): Condition {
  return { latencyMs, tokensPerSecond, usdPerMillion, failing, requestsPerMinute: unlimited }
}

/** An hour in which something happens to the best provider again and again. */
export const hour: Scenario = {
  minutes: 60,
  requestsPerSecond: 5,
  seed: 20_260_101,
  providers: [
    { id: 'swift', usual: usual(300, 120, 10) },
    { id: 'steady', usual: usual(450, 100, 8, 0.001) },
    { id: 'thrifty', usual: usual(700, 60, 2) },
    { id: 'flaky', usual: usual(250, 130, 6, 0.15) },
    { id: 'remote', usual: usual(1_200, 50, 5) },
  ],
  episodes: [
    { provider: 'swift', title: 'outage', fromMinute: 10, untilMinute: 15, condition: { failing: 1 } },
    { provider: 'swift', title: 'brown-out', fromMinute: 22, untilMinute: 28, condition: { latencyMs: 2_400, tokensPerSecond: 30 } },
    { provider: 'swift', title: 'rate limit', fromMinute: 36, untilMinute: 41, condition: { requestsPerMinute: 60 } },
    { provider: 'remote', title: 'much faster', fromMinute: 47, untilMinute: 60, condition: { latencyMs: 150, tokensPerSecond: 220 } },
    { provider: 'thrifty', title: 'dearer', fromMinute: 50, untilMinute: 60, condition: { usdPerMillion: 12 } },
  ],
}

/** The same in short, for tests. */
export const quarter: Scenario = {
  ...hour,
  minutes: 16,
  episodes: [
    { provider: 'swift', title: 'outage', fromMinute: 3, untilMinute: 5, condition: { failing: 1 } },
    { provider: 'swift', title: 'brown-out', fromMinute: 9, untilMinute: 12, condition: { latencyMs: 2_400, tokensPerSecond: 30 } },
  ],
}
