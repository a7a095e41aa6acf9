import t from 'tap'
import { EndpointCircuits } from '../../../core/call/attempts/endpoint-circuits.ts'
import type { Logger } from '../../../core/index.ts'
import { LiveMaps } from '../../../core/shared-state/live-maps.ts'

const acme = { provider: 'acme', model: 'm', listed: true }
const second = 1_000

/** Circuits on a clock that the test moves. */
function stage() {
  const lines: string[] = []
  const times: unknown[] = []
  const log = {
    warn(message: string, fields: { readonly forMs?: number }) {
      lines.push(message)
      times.push(fields.forMs)
    },
  } as unknown as Logger
  const at = { ms: 1_000_000 }
  const clock = { now: () => at.ms, elapsed: () => at.ms }
  const circuits = new EndpointCircuits(clock, log, new LiveMaps(clock, log))
  const fail = (often = 1): void => {
    for (let count = 0; count < often; count++) circuits.failed(acme, at.ms)
  }
  const state = (): string | undefined => circuits.views()[0]?.state
  return { circuits, at, fail, state, lines, times }
}

t.test('a circuit opens after five failures, and a single request probes the endpoint when the pause is over', async t => {
  const { circuits, at, fail, state, lines } = stage()
  t.ok(circuits.allHealthy)
  t.same([circuits.isOpen(acme), circuits.admits(acme)], [false, true])
  fail(4)
  t.same([circuits.isOpen(acme), state()], [false, 'closed'])
  fail()
  t.same([circuits.isOpen(acme), circuits.admits(acme), state()], [true, false, 'open'])
  t.same(circuits.views(), [{ provider: 'acme', model: 'm', state: 'open', openForMs: 5 * second }])
  at.ms += 5 * second - 1
  t.ok(circuits.isOpen(acme))
  at.ms += 1
  t.same([circuits.isOpen(acme), state()], [false, 'half-open'])
  t.equal(circuits.admits(acme), true, 'this is the probe')
  t.same([circuits.isOpen(acme), circuits.admits(acme)], [true, false], 'all others wait for its outcome')
  circuits.began(acme, at.ms)
  t.same([circuits.isOpen(acme), circuits.admits(acme), state()], [false, true, 'closed'])
  t.same(lines, ['a circuit opened', 'a circuit closed'])
  for (let count = 0; count < 20; count++) circuits.completed(acme, at.ms)
  t.ok(circuits.allHealthy, 'and nothing is left of it')
})

t.test('each failed probe doubles the pause, up to a minute', async t => {
  const { circuits, at, fail } = stage()
  fail(5)
  for (const seconds of [5, 10, 20, 40, 60, 60]) {
    at.ms += seconds * second - 1
    t.ok(circuits.isOpen(acme))
    at.ms += 1
    t.ok(circuits.admits(acme), `the probe after ${seconds} s`)
    fail()
  }
})

t.test('a probe that showed nothing, or that never ends, makes way for another', async t => {
  const { circuits, at, fail } = stage()
  fail(5)
  at.ms += 5 * second
  t.same([circuits.admits(acme), circuits.admits(acme)], [true, false])
  circuits.abandoned(acme)
  t.same([circuits.admits(acme), circuits.admits(acme)], [true, false])
  at.ms += 10 * second
  t.same([circuits.admits(acme), circuits.admits(acme)], [true, false])
})

t.test('requests under way when the circuit opened neither close it nor lengthen the pause', async t => {
  const { circuits, at, fail, state } = stage()
  const before = at.ms
  at.ms += second
  fail(5)
  circuits.began(acme, before)
  circuits.completed(acme, before)
  t.equal(state(), 'open')
  at.ms += 5 * second
  t.ok(circuits.admits(acme))
  circuits.failed(acme, before)
  t.equal(state(), 'half-open')
  circuits.completed(acme, at.ms)
  t.equal(state(), 'closed')
})

t.test('an endpoint that answers more often than not stays closed, and old failures do not count', async t => {
  const { circuits, at, fail } = stage()
  for (let count = 0; count < 100; count++) {
    circuits.completed(acme, at.ms)
    circuits.completed(acme, at.ms)
    fail()
  }
  t.notOk(circuits.isOpen(acme))
  for (let count = 0; count < 20; count++) {
    at.ms += 61 * second
    fail()
  }
  t.notOk(circuits.isOpen(acme))
  fail(4)
  t.ok(circuits.isOpen(acme))
})

t.test('a vendor that asks for a pause gets it, up to five minutes', async t => {
  const { circuits, at } = stage()
  circuits.rest(acme, 30 * second)
  t.ok(circuits.isOpen(acme))
  circuits.rest(acme, second)
  at.ms += 30 * second - 1
  t.ok(circuits.isOpen(acme), 'a shorter wish does not cut it')
  at.ms += 1
  t.notOk(circuits.isOpen(acme))
  circuits.rest(acme, 86_400 * second)
  at.ms += 300 * second
  t.notOk(circuits.isOpen(acme))
})

t.test('an answer ends the pause that the vendor asked for', async t => {
  const { circuits, at, fail, state } = stage()
  circuits.rest(acme, 60 * second)
  at.ms += second
  circuits.began(acme, at.ms)
  t.equal(state(), 'closed')
  fail(6)
  t.match(circuits.views(), [{ state: 'open', openForMs: 5 * second }])
})

t.test('names that callers made up do not push out listed endpoints', async t => {
  const { circuits, at, fail } = stage()
  fail(5)
  for (let count = 0; count < 5_000; count++) circuits.failed({ provider: 'acme', model: `made-up-${count}`, listed: false }, at.ms)
  t.ok(circuits.isOpen(acme))
  t.equal(circuits.views().length, 1_001)
  t.match(circuits.views().at(-1), { provider: 'acme', model: /^made-up-/, state: 'closed' })
})

t.test('after failures in the middle of answers, only a complete one closes the circuit', async t => {
  const { circuits, at, fail, state } = stage()
  for (let count = 0; count < 5; count++) circuits.failed(acme, at.ms, true)
  at.ms += 5 * second
  t.ok(circuits.admits(acme))
  circuits.began(acme, at.ms)
  t.same([state(), circuits.admits(acme)], ['half-open', false], 'its first words show nothing new')
  circuits.completed(acme, at.ms)
  t.same([state(), circuits.admits(acme)], ['closed', true])
  fail(5)
  circuits.began(acme, at.ms)
  t.equal(state(), 'closed', 'any answer that begins closes it after failures before the first word')
})

t.test('the log has whole milliseconds', async t => {
  const { at, fail, times } = stage()
  // Near a power of two, a sum of fractions is rounded.
  at.ms = 65_536 - 2_500 + 1 / 3
  t.not(at.ms + 5 * second - at.ms, 5 * second)
  fail(5)
  t.same(times, [5 * second])
})
