import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ProviderQueues } from '../../../core/call/attempts/provider-queues.ts'
import type { Slot } from '../../../core/call/attempts/provider-queue.ts'
import { systemClock } from '../../../core/foundation/clock.ts'
import { Coordinated, MemoryCoordination } from '../../../core/stores.ts'
import { Cancellation } from '../../../core/runtime/cancellation.ts'
import { LiveMaps } from '../../../core/shared-state/live-maps.ts'
import { SharingGroup } from '../../kit/sharing-group.ts'
import { silent, testSealer } from '../../plugins/stores/databases.ts'
import { WeakService } from '../coordination/weak-service.ts'

// Places at a provider, shared by processes that count together.

interface Process {
  readonly coordinated: Coordinated
  readonly service: WeakService
  enter(owner: string, run?: Cancellation, mayWait?: boolean): Promise<Slot | undefined>
  readonly running: number
  readonly waiting: number
}

async function processes(t: Test, count: number, maxConcurrent: number): Promise<readonly Process[]> {
  const engine = new MemoryCoordination(systemClock)
  const group = new SharingGroup()
  const all: Process[] = []
  for (let number = 0; number < count; number++) {
    const maps = new LiveMaps(systemClock, silent)
    const coordinated = new Coordinated(systemClock, silent)
    const queues = new ProviderQueues(systemClock, coordinated, maps)
    maps.connect(group.join(), 'test', testSealer())
    const service = new WeakService(engine.member(`process ${number}`), count)
    await coordinated.connect(service, 'test')
    t.teardown(() => coordinated.stop())
    const provider = { id: 'acme', maxConcurrent, maxQueued: 100 }
    all.push({
      coordinated,
      service,
      enter: async (owner, run = new Cancellation(), mayWait) => await queues.of(provider).enter(owner, run, mayWait),
      get running() {
        return queues.of(provider).running
      },
      get waiting() {
        return queues.of(provider).waiting
      },
    })
  }
  for (const { coordinated } of all) await coordinated.beat()
  return all
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(2)
}

t.test('a provider with 4 places never gets 5 requests, and all of them run', async t => {
  const all = await processes(t, 3, 4)
  let running = 0
  let most = 0
  const work = async (process: Process, index: number): Promise<void> => {
    const slot = await process.enter(`owner ${index % 3}`)
    most = Math.max(most, ++running)
    await sleep(index % 4)
    running--
    slot!.release()
  }
  await Promise.all(all.flatMap(process => Array.from({ length: 60 }, (_, index) => work(process, index))))
  t.equal(most, 4)
  t.same(
    all.map(({ running, waiting }) => [running, waiting]),
    all.map(() => [0, 0]),
  )
})

t.test('a request that waits gets the place that another process gives back, also from one with many that wait', async t => {
  const [busy, other] = await processes(t, 3, 4)
  const slots: Slot[] = []
  const enter = (): void => void busy!.enter('a').then(slot => slots.push(slot!))
  for (let count = 0; count < 50; count++) enter()
  await until(() => busy!.running === 4)
  let isIn = false
  void other!.enter('b').then(() => (isIn = true))
  await until(() => other!.waiting === 1)
  let released = 0
  while (!isIn) {
    await until(() => slots.length > 0 || isIn)
    slots.shift()?.release()
    released++
    await sleep(5)
  }
  t.ok(released <= 8, `${released} had to end before it got a place`)
})

t.test('nobody asks while nobody waits, and a request that may not wait does not', async t => {
  const [one, two, three] = await processes(t, 3, 2)
  const slots = [await one!.enter('a'), await two!.enter('b')]
  t.equal(await three!.enter('c', undefined, false), undefined)
  const claims = (): number => [one, two, three].reduce((sum, each) => sum + each!.service.asked.filter(name => name === 'claim').length, 0)
  t.equal(claims(), 3)
  await sleep(150)
  for (const slot of slots) slot!.release()
  await sleep(50)
  t.equal(claims(), 3)
})

t.test('a request that is aborted while it waits, or while the service is asked, leaves no place taken', async t => {
  const [one, two] = await processes(t, 3, 1)
  const slot = await one!.enter('a')
  const runs = [new Cancellation(), new Cancellation()]
  const waits = runs.map(run => two!.enter('b', run))
  await until(() => two!.waiting === 2)
  for (const run of runs) run.abort(new Error('gone'))
  for (const wait of waits) await t.rejects(wait, { message: 'gone' })
  slot!.release()
  const run = new Cancellation()
  const asking = two!.enter('b', run)
  run.abort(new Error('gone'))
  await t.rejects(asking, { message: 'gone' })
  const again = await one!.enter('a')
  t.ok(again)
  again!.release()
})

t.test('while the service is down each process has its share, and what was taken before counts', async t => {
  const all = await processes(t, 3, 4)
  const first = await all[0]!.enter('a')
  for (const { service, coordinated } of all) {
    service.mode = 'fails'
    await coordinated.beat()
  }
  const slots: Slot[] = [first!]
  for (const process of all) for (let count = 0; count < 5; count++) void process.enter('a').then(slot => slots.push(slot!))
  await until(() => all.every(({ waiting }) => waiting >= 3))
  t.same(
    all.map(({ running }) => running),
    [2, 2, 2],
    'together at most the limit and one less than there are processes',
  )
  for (const { service, coordinated } of all) {
    service.resume()
    do await coordinated.beat()
    while (!coordinated.isUp)
  }
  let most = 0
  while (all.some(({ waiting }) => waiting > 0)) {
    slots.shift()?.release()
    await sleep(5)
    most = Math.max(
      most,
      all.reduce((sum, { running }) => sum + running, 0),
    )
  }
  t.ok(most <= 5, `${most} at once after the first one has ended`)
  for (const slot of slots.splice(0)) slot.release()
})

t.test('hundreds at once, of which many leave while the service comes and goes, leave no place taken', async t => {
  const all = await processes(t, 3, 4)
  let running = 0
  let most = 0
  const work = async (process: Process, index: number): Promise<void> => {
    const run = new Cancellation()
    if (index % 3 === 0) setTimeout(() => run.abort(new Error('gone')), index % 17)
    const slot = await process.enter(`owner ${index % 5}`, run).catch(() => undefined)
    if (!slot) return
    most = Math.max(most, ++running)
    await sleep(index % 3)
    running--
    slot.release()
  }
  const working = Promise.all(all.flatMap(process => Array.from({ length: 100 }, (_, index) => work(process, index))))
  for (let times = 0; times < 3; times++) {
    await sleep(20)
    for (const { service, coordinated } of all) {
      service.mode = times === 1 ? 'stalls' : 'fails'
      void coordinated.beat()
    }
    await sleep(70)
    for (const { service, coordinated } of all) {
      service.resume()
      do await coordinated.beat()
      while (!coordinated.isUp)
    }
  }
  await working
  t.ok(most <= 4 + 6, `${most} at once: at most what was under way, and each one's share`)
  for (const { coordinated } of all) await coordinated.flush()
  const slots: (Slot | undefined)[] = []
  for (let count = 0; count < 4; count++) slots.push(await all[0]!.enter('last'))
  t.ok(slots.every(Boolean))
  t.equal(await all[1]!.enter('last', undefined, false), undefined)
  for (const slot of slots) slot!.release()
  t.same(
    all.map(({ running, waiting }) => [running, waiting]),
    all.map(() => [0, 0]),
  )
})
