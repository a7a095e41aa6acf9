import t from 'tap'
import { ProviderWatch } from '../../../core/alerts/provider-watch.ts'
import { EndpointCircuits } from '../../../core/call/attempts/endpoint-circuits.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { LiveMaps } from '../../../core/shared-state/live-maps.ts'
import { AlertStage } from './stage.ts'

const silent = createLogger('silent', new Masks())
const unreachable = { isUnreachable: true, isSuspected: false, hadBegun: false }
const busy = { isUnreachable: false, isSuspected: false, hadBegun: false }

/** One gateway: its circuits, and what watches them. */
class Replica {
  readonly circuits: EndpointCircuits
  readonly #stage: AlertStage
  readonly watch: ProviderWatch

  constructor(stage: AlertStage, process: string) {
    this.#stage = stage
    this.circuits = new EndpointCircuits(stage.clock, silent, new LiveMaps(stage.clock, silent))
    this.watch = new ProviderWatch({ announcer: stage.announcer(), circuits: this.circuits, process, clock: stage.clock })
  }

  fail(model = 'm', provider = 'acme', failure = busy, listed = true): void {
    const now = this.#stage.clock.elapsed()
    const endpoint = { provider, model, listed }
    this.circuits.failed(endpoint, now)
    this.circuits.providerFailed(endpoint, now, 'owner', failure)
  }

  answer(model = 'm', provider = 'acme'): void {
    const now = this.#stage.clock.elapsed()
    const endpoint = { provider, model, listed: true }
    this.circuits.began(endpoint, now)
    this.circuits.completed(endpoint, now)
  }
}

function replicas(count: number): readonly [AlertStage, ...Replica[]] {
  const stage = new AlertStage()
  return [stage, ...Array.from({ length: count }, (_, index) => new Replica(stage, `p${index}`))]
}

/** Each second, as a gateway does it. */
async function pass(stage: AlertStage, all: readonly Replica[], seconds: number, each: () => void = () => {}): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    stage.clock.pass(1_000)
    each()
    await Promise.all(all.map(({ watch }) => watch.check()))
  }
}

t.test('twelve models that fail at once are one alert, and so is their return', async t => {
  const [stage, one, two, three] = replicas(3) as [AlertStage, Replica, Replica, Replica]
  const all = [one, two, three]
  const models = Array.from({ length: 12 }, (_, index) => `m${index}`)
  for (let times = 0; times < 6; times++) for (const model of models) for (const replica of all) replica.fail(model, 'acme', unreachable)
  await pass(stage, all, 2)
  t.same(stage.titles, ['Provider acme is down'])
  t.match(stage.alerts, [
    {
      kind: 'provider',
      subject: 'provider:acme',
      org: null,
      severity: 'critical',
      state: 'open',
      facts: { provider: 'acme', models: models.toSorted() },
    },
  ])
  await pass(stage, all, 300)
  t.same(stage.titles.length, 1, 'an outage that goes on is no news')
  for (const replica of all) for (const model of models) replica.answer(model)
  await pass(stage, all, 200)
  t.same(stage.titles, ['Provider acme is down', 'Provider acme is back'])
  const [down, back] = stage.alerts
  t.match(back, { resolves: down!.id, severity: 'info', state: 'resolved', facts: { state: 'up' } })
  t.match(down, { state: 'resolved' })
})

t.test('a provider comes back only when no gateway sees it down', async t => {
  const [stage, one, two] = replicas(2) as [AlertStage, Replica, Replica]
  for (let times = 0; times < 10; times++) for (const replica of [one, two]) replica.fail('m', 'acme', unreachable)
  await pass(stage, [one, two], 200)
  one.answer()
  await pass(stage, [one, two], 200, () => one.answer())
  t.same(stage.titles, ['Provider acme is down'])
  two.answer()
  await pass(stage, [one, two], 5)
  t.same(stage.titles, ['Provider acme is down', 'Provider acme is back'])
})

t.test('one that flaps is told of once, and again when it has rested', async t => {
  const [stage, one] = replicas(1) as [AlertStage, Replica]
  for (let round = 0; round < 10; round++) {
    for (let times = 0; times < 10; times++) one.fail('m', 'acme', unreachable)
    await pass(stage, [one], 40)
    one.answer()
    await pass(stage, [one], 20)
  }
  t.same(stage.titles, ['Provider acme is down'])
  await pass(stage, [one], 150, () => one.answer())
  t.same(stage.titles, ['Provider acme is down', 'Provider acme is back'])
})

t.test('a single model that fails says so of its provider if no other answers', async t => {
  const [stage, one] = replicas(1) as [AlertStage, Replica]
  for (let times = 0; times < 10; times++) one.fail('a')
  await pass(stage, [one], 120, () => one.answer('b'))
  t.same(stage.titles, [], 'another model answers')
  const [quiet, other] = replicas(1) as [AlertStage, Replica]
  other.answer('a')
  for (let times = 0; times < 30; times++) other.fail('a')
  await pass(quiet, [other], 30)
  t.same(quiet.titles, [])
  await pass(quiet, [other], 40)
  t.same(quiet.titles, ['Provider acme is down'])
  t.match(quiet.alerts, [{ facts: { models: ['a'] } }])
})

t.test('several models that fail say so soon, even where answers came a moment ago', async t => {
  const [stage, one] = replicas(1) as [AlertStage, Replica]
  for (let times = 0; times < 100; times++) one.answer('a')
  await pass(stage, [one], 1)
  for (const model of ['a', 'b', 'c']) for (let times = 0; times < 30; times++) one.fail(model, 'acme', unreachable)
  await pass(stage, [one], 9)
  t.same(stage.titles, [])
  await pass(stage, [one], 2)
  t.same(stage.titles, ['Provider acme is down'])
  const [busyStage, other] = replicas(1) as [AlertStage, Replica]
  for (const model of ['a', 'b']) for (let times = 0; times < 30; times++) other.fail(model)
  await pass(busyStage, [other], 30, () => other.answer('c'))
  t.same(busyStage.titles, [], 'the rest of it answers')
})

t.test('what callers or vendors cause is no outage', async t => {
  const [stage, one] = replicas(1) as [AlertStage, Replica]
  for (let times = 0; times < 30; times++) one.fail('made-up-by-a-caller', 'acme', busy, false)
  one.circuits.rest({ provider: 'acme', model: 'm', listed: true }, 300_000)
  await pass(stage, [one], 200)
  t.same(stage.titles, [])
})

t.test('when the gateway that saw it dies, another tells that it is back once it has an answer', async t => {
  const [stage, one, two] = replicas(2) as [AlertStage, Replica, Replica]
  two.answer()
  for (let times = 0; times < 10; times++) one.fail('m', 'acme', unreachable)
  await pass(stage, [one, two], 3)
  t.same(stage.titles, ['Provider acme is down'])
  // kill -9
  await pass(stage, [two], 600)
  t.same(stage.titles, ['Provider acme is down'])
  two.answer()
  await pass(stage, [two], 11)
  t.same(stage.titles, ['Provider acme is down', 'Provider acme is back'])
})

t.test('a gateway that has not asked since knows nothing, and one that gets answers does', async t => {
  const [stage, idle, busyOne] = replicas(2) as [AlertStage, Replica, Replica]
  for (let times = 0; times < 10; times++) idle.fail('m', 'acme', unreachable)
  await pass(stage, [idle, busyOne], 10)
  await pass(stage, [idle, busyOne], 14 * 60, () => busyOne.answer())
  t.same(stage.titles, ['Provider acme is down'], 'it may be down for one of them')
  await pass(stage, [idle, busyOne], 2 * 60, () => busyOne.answer())
  t.same(stage.titles, ['Provider acme is down', 'Provider acme is back'])
})

t.test('a provider that nobody asks again is not said to be back', async t => {
  const [stage, one] = replicas(1) as [AlertStage, Replica]
  for (let times = 0; times < 10; times++) one.fail('m', 'acme', unreachable)
  await pass(stage, [one], 10)
  stage.clock.pass(20 * 60_000)
  await pass(stage, [one], 60)
  t.equal(stage.titles.length, 1)
  stage.clock.pass(24 * 60 * 60_000)
  await pass(stage, [one], 11)
  t.same(stage.titles.slice(1), ['Provider acme was not asked again'])
  t.match(stage.alerts, [{ state: 'resolved' }, { facts: { state: 'unknown' } }])
})

t.test('without failures, a healthy gateway changes nothing', async t => {
  const [stage, one] = replicas(1) as [AlertStage, Replica]
  await pass(stage, [one], 30, () => one.answer())
  t.same(stage.store.notes(''), [])
})
