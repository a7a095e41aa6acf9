import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { GatewayError } from '../../../core/index.ts'
import type { GatewayServices, RequestScope } from '../../../core/kit.ts'
import { Cancellation } from '../../../core/runtime/cancellation.ts'
import type { ConversationStore } from '../../../core/stores.ts'
import { message } from '../../../core/testing/stores/response-store-suite.ts'
import { stored } from '../../../core/testing/stores/conversation-store-suite.ts'
import { KeptConversations } from '../../../plugins/endpoints/conversations/kept-conversations.ts'
import { RunThread } from '../../../plugins/endpoints/conversations/run-thread.ts'
import { MemoryConversations } from '../../../plugins/stores/memory/conversations.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { silent } from '../stores/databases.ts'

const at = { owner: 'ada', id: 'conv_1' }

async function stage(t: Test, change: (store: ConversationStore) => Partial<ConversationStore> = () => ({})) {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const clock = new FakeClock()
  const store = new MemoryConversations(10, clock)
  await store.create('ada', stored('conv_1'), [message('a', 'a')])
  const changed = change(store)
  const given = new Proxy<ConversationStore>(store, {
    get(target, name) {
      const value: unknown = Reflect.get(changed, name) ?? Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  let ids = 0
  const gateway = { storeTimeoutMs: 2_000, clock, ids: { make: (prefix: string) => `${prefix}_${++ids}` } } as unknown as GatewayServices
  const kept = new KeptConversations(given, gateway, { items: 100, bytes: 1_000_000 }, silent)
  const thread = () => {
    const scope = { caller: { owner: 'ada' }, cancellation: new Cancellation() } as unknown as RequestScope
    return { scope, thread: new RunThread(kept, scope, 'conv_1', true) }
  }
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      clock.pass(1_000)
      mock.timers.tick(1_000)
      await settled()
    }
  }
  return { store, thread, pass }
}

/** Lets everything that waits for a promise go on. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await Promise.resolve()
}

t.test('a run keeps its lease for as long as it takes', async t => {
  const { store, thread, pass } = await stage(t)
  const { scope, thread: running } = thread()
  t.same(await running.earlier(), [message('a', 'a')])
  await pass(300)
  t.equal(await store.acquire(at, 1), 'busy')
  t.equal(scope.cancellation.aborted, false)
  await running.keep({ input: [message('b', 'b')], output: [message('a', 'c')] })
  t.same(
    (await store.items(at))!.map(({ id }) => id),
    ['a', 'b', 'msg_1'],
    'an id that is taken gives way',
  )
  await running.over()
  t.type(await store.acquire(at, 1), 'object')
})

t.test('a run that has lost its lease ends', async t => {
  const { store, thread, pass } = await stage(t, () => ({ renew: async () => false }))
  const { scope, thread: running } = thread()
  await running.earlier()
  await pass(10)
  t.ok(scope.cancellation.aborted)
  t.match(scope.cancellation.reason, { status: 409, code: 'conversation_locked' })
  await running.over()
  t.type(await store.acquire(at, 1), 'object')
})

t.test('a store that fails to renew costs nothing while nobody else comes', async t => {
  const { store, thread, pass } = await stage(t, () => ({ renew: () => Promise.reject(new Error('down')) }))
  const { scope, thread: running } = thread()
  await running.earlier()
  await pass(60)
  t.equal(scope.cancellation.aborted, false)
  await running.keep({ input: [message('b', 'b')], output: [] })
  t.equal((await store.items(at))!.length, 2)
})

t.test('a store that cannot end a lease is asked again', async t => {
  let failures = 1
  const { store, thread, pass } = await stage(t, inner => ({
    release: (...given) => (failures-- > 0 ? Promise.reject(new Error('down')) : inner.release(...given)),
  }))
  const { thread: failed } = thread()
  await failed.earlier()
  const leaving = failed.over()
  const { thread: next } = thread()
  const waiting = next.earlier()
  await settled()
  t.equal(await store.acquire(at, 1), 'busy')
  await pass(3)
  await leaving
  t.equal((await waiting).length, 1, 'the next run of this gateway waits for it')
})

t.test('a lease that comes too late is given back', async t => {
  const late = Promise.withResolvers<void>()
  const { store, thread, pass } = await stage(t, inner => ({
    acquire: (...given) => late.promise.then(() => inner.acquire(...given)),
  }))
  const { thread: running } = thread()
  const waiting = running.earlier().catch((error: unknown) => error)
  await pass(2)
  const error = await waiting
  t.ok(error instanceof GatewayError && error.status === 503)
  late.resolve()
  await settled()
  t.type(await store.acquire(at, 1), 'object')
})
