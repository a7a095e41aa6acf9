import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Coordinated, MemoryCoordination, type Claim } from '../../../core/stores.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { WeakService } from './weak-service.ts'

interface Process {
  readonly coordinated: Coordinated
  readonly weak: WeakService
  readonly logs: readonly string[]
}

async function process(t: Tap, engine: MemoryCoordination, id: string, clock = new FakeClock()): Promise<Process> {
  const logs: string[] = []
  const log = createLogger('info', new Masks(), line => void logs.push(line))
  const coordinated = new Coordinated(clock, log)
  const weak = new WeakService(engine.member(id))
  await coordinated.connect(weak, 'weak')
  t.teardown(() => coordinated.stop())
  return { coordinated, weak, logs }
}
type Tap = { teardown(run: () => unknown): void }

const window = { bucket: 'w', tokens: 10, windowMs: 60_000 }
let places = 0
function claim(amount: number, limit = 2): Claim {
  return { group: 'g', places: [{ bucket: 'p', limit, place: `place ${++places}` }], windows: [{ ...window, amount }] }
}

t.test('without a service, everything is down and nothing waits', async t => {
  const coordinated = new Coordinated(new FakeClock(), createLogger('silent', new Masks()))
  t.same([coordinated.isProvided, coordinated.isUp, coordinated.processes, coordinated.share(7)], [false, false, 1, 7])
  t.equal(await coordinated.claim(claim(1)), undefined)
  t.equal(await coordinated.gauges(), undefined)
  await coordinated.stop()
})

t.test('processes count together, and know how many they are', async t => {
  const engine = new MemoryCoordination(new FakeClock())
  const one = await process(t, engine, 'one')
  const two = await process(t, engine, 'two')
  await one.coordinated.beat()
  t.same([one.coordinated.processes, two.coordinated.processes, one.coordinated.isUp], [2, 2, true])
  t.equal(one.coordinated.share(7), 4)
  t.match(await one.coordinated.claim(claim(10)), { windows: [{ used: 10 }] })
  t.match(await two.coordinated.claim(claim(1)), { fullWindows: ['w'] })
  t.same([one.logs, two.logs], [[], []])
})

t.test('a late answer opens the breaker for all who wait, and nobody waits after that', async t => {
  const engine = new MemoryCoordination(new FakeClock())
  const { coordinated, weak, logs } = await process(t, engine, 'one')
  weak.mode = 'stalls'
  const first = coordinated.claim(claim(3))
  await sleep(30)
  t.equal(await Promise.race([first, 'waiting']), 'waiting')
  t.same(await Promise.all([first, coordinated.claim(claim(1))]), [undefined, undefined])
  t.equal(coordinated.isUp, false)
  const asked = weak.asked.length
  t.equal(await coordinated.claim(claim(1)), undefined)
  t.equal(weak.asked.length, asked, 'the service is not asked')
  t.equal(logs.length, 1)
  t.match(JSON.parse(logs[0]!), {
    plugin: 'weak',
    processes: 1,
    error: 'no answer within 50 ms',
    message: /^processes cannot count together now/,
  })
})

t.test('what a late answer took is given back', async t => {
  const engine = new MemoryCoordination(new FakeClock())
  const { coordinated, weak } = await process(t, engine, 'one')
  weak.mode = 'stalls'
  t.equal(await coordinated.claim(claim(3, 1)), undefined)
  weak.resume()
  await until(
    () => coordinated.isUp,
    () => coordinated.beat(),
  )
  await coordinated.flush()
  const [state] = await engine.member('two').states('g', [window])
  t.equal(state?.used, 0)
  t.match(await engine.member('two').claim(claim(10, 1)), { windows: [{ used: 10 }] })
})

t.test('a failure opens the breaker at once, and probes close it', async t => {
  const engine = new MemoryCoordination(new FakeClock())
  const { coordinated, weak, logs } = await process(t, engine, 'one')
  const back: boolean[] = []
  coordinated.onBack(isLost => back.push(isLost))
  weak.mode = 'fails'
  t.equal(await coordinated.claim(claim(1)), undefined)
  t.equal(coordinated.isUp, false)
  coordinated.change({ group: 'g', bucket: 'w', windowMs: 60_000, run: undefined, endsInMs: 60_000, amount: 4 })
  await coordinated.flush()
  await coordinated.beat()
  t.equal(coordinated.isUp, false)
  weak.mode = 'works'
  await until(
    () => coordinated.isUp,
    () => coordinated.beat(),
  )
  await coordinated.flush()
  t.same(back, [false])
  t.equal((await engine.member('one').states('g', [window]))[0]?.used, 4, 'what was counted meanwhile is added')
  t.same(
    logs.map(line => (JSON.parse(line) as { message: string }).message.slice(0, 29)),
    ['processes cannot count togeth', 'processes count together agai'],
  )
})

t.test('a service that lost what it counted says so', async t => {
  const { coordinated, weak } = await process(t, new MemoryCoordination(new FakeClock()), 'one')
  const back: boolean[] = []
  coordinated.onBack(isLost => back.push(isLost))
  coordinated.change({ group: 'g', bucket: 'w', windowMs: 60_000, run: undefined, endsInMs: 60_000, amount: 4 })
  const engine = new MemoryCoordination(new FakeClock())
  weak.service = engine.member('one')
  await coordinated.beat()
  await coordinated.flush()
  t.same(back, [true])
  t.equal((await engine.member('one').states('g', [window]))[0]?.used, 0, 'changes of before mean nothing')
})

t.test('after a long silence, as of a process that was stopped, it is back', async t => {
  const clock = new FakeClock()
  const { coordinated } = await process(t, new MemoryCoordination(new FakeClock()), 'one', clock)
  const back: boolean[] = []
  coordinated.onBack(isLost => back.push(isLost))
  clock.pass(1_000)
  await coordinated.beat()
  t.same(back, [])
  clock.pass(120_000)
  await coordinated.beat()
  t.same(back, [false])
})

t.test('a number of processes that is none changes nothing', async t => {
  const { coordinated, weak } = await process(t, new MemoryCoordination(new FakeClock()), 'one')
  for (const processes of [0, -1, Number.NaN, undefined as never]) {
    weak.service = { ...weak.service, beat: async () => ({ processes, generation: 'x' }) }
    await coordinated.beat()
    t.equal(coordinated.processes, 1)
  }
  weak.service = { ...weak.service, beat: async () => ({ processes: 2.5, generation: 'x' }) }
  await coordinated.beat()
  t.equal(coordinated.share(10), 4)
})

t.test('an absent service does not prevent a start', async t => {
  const logs: string[] = []
  const coordinated = new Coordinated(
    new FakeClock(),
    createLogger('info', new Masks(), line => void logs.push(line)),
  )
  const weak = new WeakService(new MemoryCoordination(new FakeClock()).member('one'), 4)
  weak.mode = 'fails'
  await coordinated.connect(weak, 'weak')
  t.same([coordinated.isProvided, coordinated.isUp, coordinated.processes, coordinated.share(10)], [true, false, 4, 3])
  t.equal(logs.length, 1)
  weak.mode = 'works'
  await until(
    () => coordinated.isUp,
    () => coordinated.beat(),
  )
  t.equal(coordinated.processes, 4, 'the others will come')
  await coordinated.stop()
  t.same([coordinated.isUp, coordinated.isProvided], [false, false])
})

t.test('a place is given back in the turn in which the request ends', async t => {
  const engine = new MemoryCoordination(new FakeClock())
  const { coordinated } = await process(t, engine, 'one')
  const asked = claim(1, 1)
  await coordinated.claim(asked)
  coordinated.place({ group: 'g', bucket: 'p', place: asked.places[0]!.place, isHeld: false })
  t.match(await coordinated.claim(claim(1, 1)), { windows: [{ used: 2 }] })
})

async function until(isSo: () => boolean, step: () => Promise<void>): Promise<void> {
  for (let steps = 0; !isSo(); steps++) {
    if (steps > 100) throw new Error('this takes too long')
    await step()
  }
}

t.test('what was asked before a failure says nothing of now', async t => {
  const engine = new MemoryCoordination(new FakeClock())
  const { coordinated, weak } = await process(t, engine, 'one')
  weak.mode = 'stalls'
  t.equal(await coordinated.claim(claim(1)), undefined)
  weak.mode = 'works'
  await until(
    () => coordinated.isUp,
    () => coordinated.beat(),
  )
  weak.breakOff()
  await sleep(0)
  t.equal(coordinated.isUp, true)
})

t.test('a place that was given back while nobody knew whether it had arrived is not held again', async t => {
  const engine = new MemoryCoordination(new FakeClock())
  const { coordinated, weak } = await process(t, engine, 'one')
  const held = { group: 'g', bucket: 'p', place: 'held', isHeld: true }
  weak.mode = 'stalls'
  coordinated.place(held)
  await until(
    () => !coordinated.isUp,
    () => sleep(5),
  )
  weak.mode = 'works'
  await until(
    () => coordinated.isUp,
    () => coordinated.beat(),
  )
  coordinated.place({ ...held, isHeld: false })
  await sleep(0)
  weak.breakOff()
  await coordinated.flush()
  t.match(await engine.member('two').claim(claim(1, 1)), { windows: [{ used: 1 }] })
})

t.test('a process that is busy does not take the service for slow', async t => {
  const { coordinated, weak } = await process(t, new MemoryCoordination(new FakeClock()), 'one')
  const { claim } = weak.service
  const busyTurn = async (): Promise<void> => {
    await new Promise(resolve => setImmediate(resolve))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30)
  }
  weak.service = {
    ...weak.service,
    async claim(asked) {
      for (let turn = 0; turn < 3; turn++) await busyTurn()
      return await claim.call(weak.service, asked)
    },
  }
  const window = { bucket: 'b', tokens: 5, windowMs: 60_000, amount: 1 }
  t.match(await coordinated.claim({ group: 'g', places: [], windows: [window] }), { windows: [{ used: 1 }] })
  t.ok(coordinated.isUp)
})
