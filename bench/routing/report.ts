import { figuresOf, minutesToRecover, sharesOf, turnsAfter } from './figures.ts'
import { runGateway } from './gateway-run.ts'
import { cheapest, fastest, roundRobin, runStrategy, soonest } from './ideal-run.ts'
import type { Outcome } from './outcome.ts'
import type { Scenario } from './world.ts'

export interface Run {
  readonly name: string
  readonly outcomes: readonly Outcome[]
}

/** Every strategy in the same scenario: what knows nothing, what knows everything, and the gateway with its sorts. */
export async function runAll(scenario: Scenario): Promise<readonly Run[]> {
  const runs: Run[] = [
    { name: 'round-robin', outcomes: runStrategy(scenario, roundRobin) },
    { name: 'oracle for `performance`', outcomes: runStrategy(scenario, fastest) },
    { name: 'oracle for `latency`', outcomes: runStrategy(scenario, soonest) },
    { name: 'oracle for `cost`', outcomes: runStrategy(scenario, cheapest) },
    { name: '`performance`', outcomes: await runGateway(scenario) },
    { name: '`performance` by the interval alone', outcomes: await runGateway(scenario, { interval: '16m' }) },
  ]
  for (const sort of ['latency', 'cost', 'p95_e2e_latency'])
    runs.push({ name: `\`${sort}\``, outcomes: await runGateway(scenario, { sort }) })
  return runs
}

/** A table in Markdown. */
export function figuresTable(runs: readonly Run[], scenario: Scenario): string {
  const rows = runs.map(({ name, outcomes }) => {
    const { success, p50Ms, p99Ms, usdPerThousand, movedPerMinute } = figuresOf(outcomes, scenario)
    return [name, percent(success, 2), seconds(p50Ms), seconds(p99Ms), `$${usdPerThousand.toFixed(2)}`, percent(movedPerMinute, 1)]
  })
  return table([['', 'answered', 'p50', 'p99', 'per 1,000 answers', 'traffic moved per minute'], ...rows])
}

/** The traffic after each step of the scenario. */
export function stepsTable({ outcomes }: Run, scenario: Scenario): string {
  const shares = sharesOf(outcomes, scenario)
  const rows = scenario.episodes.map(({ provider, title, fromMinute, untilMinute }) => {
    const index = scenario.providers.findIndex(({ id }) => id === provider)
    const minutes = untilMinute < scenario.minutes ? minutesToRecover(shares, index, fromMinute, untilMinute) : undefined
    return [
      `${provider}: ${title}`,
      untilMinute < scenario.minutes ? `${fromMinute} to ${untilMinute}` : `from ${fromMinute}`,
      String(Math.max(...scenario.providers.map((_, each) => turnsAfter(shares, each, fromMinute)))),
      minutes === undefined ? '' : String(minutes),
    ]
  })
  return table([['step', 'minutes', 'most changes of direction in 10 minutes', 'minutes until its share is back'], ...rows])
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
}

function percent(share: number, digits: number): string {
  return `${(share * 100).toFixed(digits)}%`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
