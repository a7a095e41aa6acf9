import t from 'tap'
import { figuresOf, minutesToRecover, sharesOf, turnsAfter } from '../../bench/routing/figures.ts'
import { runGateway } from '../../bench/routing/gateway-run.ts'
import { cheapest, fastest, roundRobin, runStrategy } from '../../bench/routing/ideal-run.ts'
import { quarter } from '../../bench/routing/scenarios.ts'
import { arrivalsOf, World } from '../../bench/routing/world.ts'

t.test('the same scenario has the same requests and results', async t => {
  t.same(arrivalsOf(quarter), arrivalsOf(quarter))
  const [one, other] = [new World(quarter), new World(quarter)]
  for (let request = 0; request < 50; request++) t.same(one.ask('swift', request, 0), other.ask('swift', request, 0))
  t.equal(one.ask('swift', 1, 4 * 60_000).kind, 'unavailable')
})

t.test('performance answers everything, nearly as fast as if it knew everything', async t => {
  const outcomes = await runGateway(quarter)
  t.equal(outcomes.length, arrivalsOf(quarter).length)
  const figures = figuresOf(outcomes, quarter)
  t.ok(figures.success >= 0.999, `${figures.success} answered`)
  const best = figuresOf(runStrategy(quarter, fastest), quarter)
  const blind = figuresOf(runStrategy(quarter, roundRobin), quarter)
  t.ok(figures.p50Ms < best.p50Ms * 1.1, `p50 is ${figures.p50Ms} ms, and the oracle's ${best.p50Ms} ms`)
  t.ok(figures.p50Ms < blind.p50Ms)
  t.ok(figures.p99Ms < blind.p99Ms)

  const shares = sharesOf(outcomes, quarter)
  for (const { provider, title, fromMinute, untilMinute } of quarter.episodes) {
    const index = quarter.providers.findIndex(({ id }) => id === provider)
    t.ok(shares[fromMinute + 1]![index]! < 0.1, `${title}: traffic leaves`)
    const minutes = minutesToRecover(shares, index, fromMinute, untilMinute)
    t.ok(minutes <= 2, `${title}: traffic is back after ${minutes} minutes`)
    // Up to the next step.
    const next = quarter.episodes.find(episode => episode.fromMinute > fromMinute)?.fromMinute
    const turns = Math.max(...quarter.providers.map((_, each) => turnsAfter(shares.slice(0, next), each, fromMinute)))
    t.ok(turns <= 2, `${title}: traffic turns ${turns} times`)
  }
})

t.test('cost costs what the cheapest endpoint costs', async t => {
  const short = { ...quarter, minutes: 6 }
  const figures = figuresOf(await runGateway(short, { sort: 'cost' }), short)
  t.ok(figures.success >= 0.999)
  const best = figuresOf(runStrategy(short, cheapest), short)
  t.ok(figures.usdPerThousand < best.usdPerThousand * 1.02, `${figures.usdPerThousand} USD, and the oracle's ${best.usdPerThousand}`)
})

t.test('figures', async t => {
  const outcome = { request: 0, atMs: 0, isAnswered: true, provider: 'swift', totalMs: 10, costUsd: 0.001 }
  const two = { ...quarter, minutes: 2 }
  const outcomes = [
    outcome,
    { ...outcome, provider: 'steady', totalMs: 30 },
    { ...outcome, atMs: 60_000, provider: 'steady' },
    { ...outcome, isAnswered: false, provider: undefined },
  ]
  t.match(figuresOf(outcomes, two), { success: 0.75, p50Ms: 10, p99Ms: 30, movedPerMinute: 0.5 })
  t.same(sharesOf(outcomes, two), [
    [0.5, 0.5, 0, 0, 0],
    [0, 1, 0, 0, 0],
  ])
  const series = (...shares: readonly number[]) => shares.map(share => [share])
  t.equal(turnsAfter(series(1, 0, 0, 0), 0, 1), 0)
  t.equal(turnsAfter(series(1, 0, 0.5, 0, 1), 0, 1), 3)
  t.equal(turnsAfter(series(0.5, 0.52, 0.49, 0.51), 0, 1), 0, 'noise')
  t.equal(minutesToRecover(series(1, 0, 0, 0.5, 0.95), 0, 1, 3), 1)
  t.equal(minutesToRecover(series(1, 0, 0), 0, 1, 2), Infinity)
})
