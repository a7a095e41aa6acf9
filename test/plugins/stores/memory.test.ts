import t from 'tap'
import { nameOf } from '../../../core/foundation/token.ts'
import type { Token } from '../../../core/index.ts'
import {
  AccountStore,
  AdminTokenStore,
  AlertOutbox,
  AlertStore,
  AlertTargetStore,
  AuditTrail,
  ConversationStore,
  BackgroundStore,
  KeyStore,
  Ledger,
  MetricStore,
  RateLimiter,
  ResponseStore,
  SignOuts,
} from '../../../core/stores.ts'
import {
  accountStoreSuite,
  adminTokenStoreSuite,
  alertOutboxSuite,
  alertStoreSuite,
  alertTargetStoreSuite,
  auditTrailSuite,
  conversationStoreSuite,
  backgroundStoreSuite,
  keyStoreSuite,
  recordStoreSuite,
  responseStoreSuite,
  signOutsSuite,
} from '../../../core/testing/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { MemoryRecords } from '../../../plugins/stores/memory/records.ts'
import { MemoryResponses } from '../../../plugins/stores/memory/responses.ts'
import { FakeClock, setUp } from '../../kit/set-up.ts'
import { leanKey } from '../../../core/testing/stores/key-store-suite.ts'
import { response } from '../../../core/testing/stores/response-store-suite.ts'

const services = [KeyStore, ResponseStore, MetricStore, RateLimiter, Ledger]

t.test('provides all five services, or those it is asked for', async t => {
  const { container } = await setUp([memory({})])
  t.same(
    services.filter(service => container.has(service)),
    services,
  )
  const { container: some } = await setUp([memory({ services: ['metrics', 'limits'] })])
  t.same(
    services.filter(service => some.has(service)).map(service => nameOf(service)),
    ['metric-store', 'rate-limiter'],
  )
})

t.test('refuses an unknown service', async t => {
  await t.rejects(setUp([memory({ services: ['sessions' as 'keys'] })]), {
    message:
      'plugin memory has bad options: services[0] must be one of keys, accounts, responses, conversations, background, metrics, limits, ledger, records, audit, admin-tokens, sign-outs, alerts, alert-targets, alert-outbox',
  })
})

t.test('keys', async t => {
  const keys = (await setUp([memory({})])).container.get(KeyStore)
  t.equal(keys.persistent, false)
  await keys.add(leanKey)
  t.throws(() => keys.add({ ...leanKey, name: 'Again' }), { message: 'a key with the id lean already exists' })
})

const get = async <T>(service: Token<T>): Promise<T> => (await setUp([memory({})])).container.get(service)

void t.test('the suite of key stores', async t => keyStoreSuite(t, { open: async () => ({ keys: await get(KeyStore) }) }))

void t.test('the suite of account stores', async t =>
  accountStoreSuite(t, {
    async open() {
      const { container } = await setUp([memory({})])
      return { accounts: container.get(AccountStore), keys: container.get(KeyStore) }
    },
  }),
)

void t.test('the suite of audit trails', async t => auditTrailSuite(t, { open: async () => ({ audit: await get(AuditTrail) }) }))

void t.test('the suite of admin tokens', async t => adminTokenStoreSuite(t, { open: async () => ({ tokens: await get(AdminTokenStore) }) }))

void t.test('the suite of sign-outs', async t => signOutsSuite(t, { open: async () => ({ signOuts: await get(SignOuts) }) }))

void t.test('the suite of alert targets', async t =>
  alertTargetStoreSuite(t, { open: async () => ({ targets: await get(AlertTargetStore) }) }),
)

void t.test('the suite of alert outboxes', async t =>
  alertOutboxSuite(t, {
    async open() {
      const clock = new FakeClock()
      const { container } = await setUp([memory({})], clock)
      return { outbox: container.get(AlertOutbox), pass: milliseconds => clock.pass(milliseconds) }
    },
  }),
)

void t.test('the suite of alert stores', async t =>
  alertStoreSuite(t, {
    async open() {
      const clock = new FakeClock()
      const { container } = await setUp([memory({})], clock)
      return { alerts: container.get(AlertStore), pass: milliseconds => clock.pass(milliseconds) }
    },
  }),
)

void t.test('the suite of background stores', async t =>
  backgroundStoreSuite(t, {
    async open() {
      const clock = new FakeClock()
      const { container } = await setUp([memory({})], clock)
      return { background: container.get(BackgroundStore), pass: milliseconds => clock.pass(milliseconds) }
    },
  }),
)

void t.test('the suite of response stores', async t =>
  responseStoreSuite(t, { open: async () => ({ responses: await get(ResponseStore) }) }),
)

void t.test('the suite of conversation stores', async t =>
  conversationStoreSuite(t, {
    async open() {
      const clock = new FakeClock()
      const { container } = await setUp([memory({})], clock)
      return { conversations: container.get(ConversationStore), pass: milliseconds => clock.pass(milliseconds) }
    },
  }),
)

t.test('responses: the longest unused go first, and take their chain and their items along', async t => {
  const store = new MemoryResponses(2)
  await store.put('ada', response('a'))
  await store.put('ada', response('b', 'a'))
  t.equal((await store.chain('ada', 'b'))?.length, 2)
  await store.put('ada', response('c', 'b'))
  t.equal(await store.chain('ada', 'c'), undefined)
  t.strictSame([...(await store.items('ada', ['msg_a', 'msg_b', 'msg_c'])).keys()], ['msg_a', 'msg_c'])
})

void t.test('the suite of record stores', async t =>
  recordStoreSuite(t, {
    keepsContent: false,
    open() {
      const records = new MemoryRecords(10_000)
      return { records, sink: records }
    },
  }),
)
