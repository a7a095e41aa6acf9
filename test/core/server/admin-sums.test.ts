import t, { type Test } from 'tap'
import { systemClock } from '../../../core/foundation/clock.ts'
import type { GenerationEvent } from '../../../core/index.ts'
import { Coordination, MemoryCoordination } from '../../../core/stores.ts'
import { adminGateway, type AdminGateway } from '../../kit/admin-gateway.ts'
import { hello, scripted } from '../../kit/gateway.ts'
import { ask, listing, providing } from '../../kit/stage.ts'

// The admin API of one process shows what all processes do that count together.

interface Processes {
  readonly all: readonly AdminGateway[]
  /** Lets the requests that are under way end. */
  finish(): void
}

async function processes(t: Test, count: number): Promise<Processes> {
  const engine = new MemoryCoordination(systemClock)
  const open = Promise.withResolvers<void>()
  const waiting = async function* (): AsyncGenerator<GenerationEvent> {
    await open.promise
    yield* hello
  }
  const failing = async function* (): AsyncGenerator<GenerationEvent> {
    throw new Error('out of order')
  }
  const all: AdminGateway[] = []
  for (let number = 0; number < count; number++) {
    const under = await adminGateway({
      plugins: [
        scripted('acme', waiting, { maxConcurrent: 2, maxQueued: 5 }),
        scripted('globex', failing),
        listing({ model: 'm', endpoints: [{ provider: 'acme' }] }, { model: 'broken', endpoints: [{ provider: 'globex' }] }),
        providing(Coordination, engine.member(`process ${number}`)),
      ],
    })
    t.teardown(under.stop)
    all.push(under)
  }
  t.teardown(open.resolve)
  // As the sockets of callers would: those that wait for a place do not.
  const held = setInterval(() => {}, 60_000)
  t.teardown(() => clearInterval(held))
  return { all, finish: open.resolve }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(resolve => setTimeout(resolve, 20))
}

t.test('queues, failing endpoints and requests of all processes are added up', async t => {
  const { all, finish } = await processes(t, 3)
  const [first, second, third] = all as [AdminGateway, AdminGateway, AdminGateway]
  const asked = [second, second, third, third].map(under => ask(under, { model: 'm' }))
  t.equal((await ask(third, { model: 'broken' })).status, 424)
  const provider = async (under: AdminGateway, id: string): Promise<any> =>
    (await under.call('GET', '/providers')).body.data.find((each: any) => each.id === id)
  await until(async () => (await provider(first, 'acme')).queue.waiting === 2)
  for (const under of all) {
    t.same((await provider(under, 'acme')).queue, { running: 2, waiting: 2, max_concurrent: 2, max_queued: 15 })
    await until(async () => (await under.call('GET', '/load')).body.requests === 4)
    t.match((await under.call('GET', '/load')).body, { processes: 3, requests: 4, connections: 0, body_bytes: 0 })
  }
  await until(async () => (await provider(first, 'globex')).circuits.length > 0)
  t.same((await provider(first, 'globex')).circuits, [{ model: 'broken', state: 'closed', open_for_ms: 0 }])
  finish()
  for (const { status } of await Promise.all(asked)) t.equal(status, 200)
  await until(async () => (await first.call('GET', '/load')).body.requests === 0)
})

t.test('without others, a process shows what it has itself, at once', async t => {
  const under = await adminGateway({
    plugins: [
      scripted(
        'acme',
        async function* () {
          yield* hello
        },
        { maxConcurrent: 2 },
      ),
    ],
  })
  t.teardown(under.stop)
  t.match((await under.call('GET', '/load')).body, { processes: 1, requests: 0, connections: 0, answer_bytes: 0, body_bytes: 0 })
  const acme = (await under.call('GET', '/providers')).body.data.find(({ id }: any) => id === 'acme')
  t.same(acme.queue, { running: 0, waiting: 0, max_concurrent: 2, max_queued: 100 })
  t.equal((await under.call('GET', '/load?nothing=1')).status, 400)
})
