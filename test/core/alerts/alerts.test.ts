import t from 'tap'
import { AlertChannels, type Alert } from '../../../core/admin.ts'
import { AlertStore, storeServiceNames, type StoredAlert } from '../../../core/stores.ts'
import { LogSinks } from '../../../core/index.ts'
import { createGateway } from '../../../core/gateway.ts'
import { toldTo } from '../../../core/alerts/told-to.ts'
import { MemoryAlerts } from '../../../plugins/stores/memory/alerts.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import sandbox from '../../../plugins/providers/sandbox/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import { lateStores } from '../../kit/late-stores.ts'
import { gateway } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { adding, providing } from '../../kit/stage.ts'

const channel = adding(AlertChannels, { name: 'chat', deliver: async () => {} })

t.test('rules that cannot work end the start', async t => {
  const thresholds = async (...all: readonly object[]): Promise<unknown> =>
    await gateway({ settings: { alerts: { spentPercent: [], thresholds: all as never } } })
  await t.rejects(thresholds({ of: 'gateway', minRequests: 1, windowMinutes: 5 }), {
    message: 'server.alerts.thresholds[0] has neither errorShare nor p95Ms. Set one of them, or both.',
  })
  await t.rejects(thresholds({ of: 'models', p95Ms: 200_000, minRequests: 1, windowMinutes: 5 }), {
    message: 'server.alerts.thresholds[0] looks for 200000 ms within 5 min, which it would see too late. Set windowMinutes to at least 7.',
  })
  const only = async (of: string, name: string): Promise<unknown> =>
    await thresholds({ of, only: [name], errorShare: 0.1, minRequests: 1, windowMinutes: 5 })
  await t.rejects(only('gateway', 'acme'), {
    message: /^server\.alerts\.thresholds\[0\] is of the gateway as a whole, which `only` cannot/,
  })
  await t.rejects(only('models', 'm'), { message: /names "m" in only\. Name models as provider\/model\.$/ })
  await t.rejects(only('providers', 'acme/m'), { message: /names "acme\/m" in only\. Name providers by their id, without a model\.$/ })
})

t.test('names that a threshold waits for in vain are in the log', async t => {
  const rule = { errorShare: 0.1, minRequests: 1, windowMinutes: 5 }
  const thresholds = [
    { of: 'providers', only: ['sandbox', 'sandbocks'], ...rule },
    { of: 'models', only: ['sandbox/echo', 'sandbox/other', 'sandbox/ekko', 'acme/m'], ...rule },
  ] as const
  const logs: string[] = []
  const plugins = [memory({}), localSealer({ masterKey: 'ab'.repeat(32) }), sandbox({}), channel]
  const running = await createGateway({
    plugins,
    writeLog: line => logs.push(line),
    settings: { alerts: { spentPercent: [], thresholds } },
  })
  t.teardown(() => running.stop())
  const warnings = logs.map(line => JSON.parse(line) as Record<string, unknown>).filter(({ names }) => names !== undefined)
  t.match(warnings, [
    { option: 'server.alerts.thresholds[0].only', names: ['sandbocks'] },
    { option: 'server.alerts.thresholds[1].only', names: ['sandbox/ekko', 'acme/m'] },
  ])
})

t.test('a channel without a store ends the start', async t => {
  const services = storeServiceNames.filter(name => name !== 'alerts')
  const plugins = [memory({ services }), localSealer({ masterKey: 'ab'.repeat(32) })]
  await t.rejects(createGateway({ plugins: [...plugins, channel], settings: { logLevel: 'silent' } }), {
    message: /^The plugin adding-\d+ delivers alerts, but no plugin stores them\. Add a plugin that provides alert-store/,
  })
  const without = await createGateway({ plugins, settings: { logLevel: 'silent' } })
  await without.stop()
})

t.test('without a channel, nothing asks the store', async t => {
  const asked: PropertyKey[] = []
  const store = new Proxy(new MemoryAlerts(new FakeClock()), {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]): unknown => {
        asked.push(name)
        return member.apply(target, args)
      }
    },
  })
  const under = await gateway({ plugins: [providing(AlertStore, store)], key: { spendCapUsd: 1 } })
  await under.request('/v1/responses', { body: { model: 'sandbox/echo', input: 'hi' } })
  await under.stop()
  t.same(asked, [])
})

t.test('a store whose answers are promises of another kind', { timeout: 60_000 }, async t => {
  const got: Alert[] = []
  const telling = adding(AlertChannels, { name: 'chat', deliver: async alert => void got.push(alert) })
  const losing = adding(LogSinks, { name: 'losing', accepts: 'metadata', write: () => Promise.reject(new Error('no')) })
  const under = await gateway({ plugins: [lateStores({}), telling, losing], settings: { logLevel: 'silent' } })
  t.teardown(under.stop)
  await under.request('/v1/models')
  for (let tries = 0; got.length === 0 && tries < 300; tries++) await new Promise(resolve => setTimeout(resolve, 50))
  t.match(got, [{ kind: 'records', subject: 'sink:losing', facts: { records: 1 } }])
})

t.test('who is told', t => {
  const alert = { kind: 'cap', subject: 'key:a', org: 'example' } as StoredAlert
  const silence = { id: 's', at: 0, until: 1, kind: null, subject: null, org: null, note: null, by: 'x', reach: 'all' } as const
  t.same(toldTo(alert, []), { audience: 'all', silencedBy: null })
  t.same(toldTo(alert, [{ ...silence, subject: 'key:b' }]), { audience: 'all', silencedBy: null })
  t.same(toldTo(alert, [{ ...silence, org: 'example', reach: 'org' }]), { audience: 'operators', silencedBy: 's' })
  t.same(toldTo({ ...alert, org: null }, [{ ...silence, org: 'example' }]), { audience: 'all', silencedBy: null })
  const earlier = { audience: 'operators', silencedBy: 'e' } as const
  t.same(toldTo(alert, [], earlier), earlier)
  t.same(toldTo(alert, [{ ...silence, org: 'example', reach: 'org' }], { audience: 'nobody', silencedBy: 'e' }).audience, 'nobody')
  t.end()
})
