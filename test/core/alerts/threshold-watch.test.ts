import t from 'tap'
import { Duties } from '../../../core/alerts/duty.ts'
import { ThresholdWatch } from '../../../core/alerts/threshold-watch.ts'
import type { AlertThreshold } from '../../../core/contracts/alert-rules.ts'
import type { RequestRecord } from '../../../core/index.ts'
import { testRecord } from '../../../core/testing/index.ts'
import { MemoryRecords } from '../../../plugins/stores/memory/records.ts'
import { AlertStage, minuteMs } from './stage.ts'

const listed = new Set(['acme/m', 'acme/n', 'globex/m'])

function stage(threshold: Partial<AlertThreshold> & Pick<AlertThreshold, 'of'>) {
  const shared = new AlertStage()
  const records = new MemoryRecords(10_000)
  const thresholds = [{ minRequests: 10, windowMinutes: 5, ...threshold }]
  const catalog = {
    endpoint: (provider: string, model: string) =>
      listed.has(`${provider}/${model}`) ? ({ model } as never) : model === 'alias' ? ({ model: 'm' } as never) : undefined,
  }
  const watch = new ThresholdWatch({ announcer: shared.announcer(), records, catalog, thresholds })
  let made = 0
  /** Requests that end now. */
  const lists = async (count: number): Promise<void> => {
    const list = (): RequestRecord => testRecord({ id: `req_${made++}`, at: shared.clock.now(), path: '/v1/models', org: 'example' })
    await records.write(Array.from({ length: count }, list))
  }
  const requests = async (count: number, outcome: string, { provider = 'acme', model = 'm', ms = 100 } = {}): Promise<void> => {
    const record = (): RequestRecord =>
      testRecord({
        id: `req_${made++}`,
        at: shared.clock.now(),
        status: outcome === 'ok' ? 200 : outcome === 'invalid-request' ? 400 : 424,
        errorCode: outcome === 'ok' ? null : outcome === 'invalid-request' ? 'invalid_value' : 'provider_error',
        org: 'example',
        provider,
        model,
        elapsedMs: ms,
        attempts: [
          { provider, model, outcome, status: null, elapsedMs: ms, ...(!listed.has(`${provider}/${model}`) && { listed: false as const }) },
        ],
      })
    await records.write(Array.from({ length: count }, record))
  }
  const minutes = async (count: number): Promise<void> => {
    for (let minute = 0; minute < count; minute++) {
      shared.clock.pass(minuteMs)
      await watch.check()
    }
  }
  return { shared, requests, lists, minutes }
}

t.test('an error rate over the threshold is told, and when it is well below', async t => {
  const { shared, requests, lists, minutes } = stage({ of: 'gateway', errorShare: 0.2, p95Ms: 10_000 })
  await lists(500)
  await requests(4, 'unavailable')
  await minutes(1)
  t.same(shared.titles, [], 'too few')
  await requests(16, 'ok')
  await requests(100, 'invalid-request')
  await minutes(1)
  t.same(shared.titles, ['Error rate of the gateway is over 20%'])
  t.match(shared.alerts, [
    {
      kind: 'errors',
      subject: 'gateway',
      org: null,
      severity: 'critical',
      message: '4 of 20 requests in the last 5 minutes failed, which is 20%.',
    },
  ])
  await requests(3, 'ok')
  await minutes(1)
  t.equal(shared.titles.length, 1, 'it is below, but only just')
  await requests(10, 'ok')
  await minutes(1)
  t.same(shared.titles, ['Error rate of the gateway is over 20%', 'Error rate of the gateway is normal again'])
  const [over, normal] = shared.alerts
  t.match([over!.state, normal!.resolves, normal!.severity], ['resolved', over!.id, 'info'])
  await requests(30, 'unavailable')
  await minutes(1)
  t.equal(shared.titles.length, 3)
  await minutes(10)
  t.match(shared.alerts.at(-1), { message: 'There were only 0 requests in the last 5 minutes. The threshold is 20%.' })
})

t.test('each provider, or each model, by itself', async t => {
  const providers = stage({ of: 'providers', errorShare: 0.5 })
  await providers.requests(20, 'ok', { provider: 'globex' })
  await providers.requests(20, 'unavailable')
  await providers.minutes(2)
  t.same(providers.shared.titles, ['Error rate of provider acme is over 50%'])
  const models = stage({ of: 'models', errorShare: 0.5, only: ['acme/n', 'acme/other'] })
  await models.requests(20, 'unavailable', { model: 'm' })
  await models.requests(20, 'unavailable', { model: 'n' })
  t.same(models.shared.titles, [])
  await models.minutes(1)
  t.same(models.shared.titles, ['Error rate of model acme/n is over 50%'])
  for (let index = 0; index < 15; index++) await models.requests(1, 'unavailable', { model: `secret-of-a-caller-${index}` })
  await models.minutes(1)
  t.same(models.shared.titles.slice(1), ['Error rate of model acme/other is over 50%'])
  t.notMatch(JSON.stringify(models.shared.alerts), /secret-of/)
})

t.test('a provider that is down is not told of twice', async t => {
  const { shared, requests, minutes } = stage({ of: 'models', errorShare: 0.5 })
  const since = shared.clock.now()
  shared.store.change('provider/acme', undefined, { on: true, told: true, since, waits: false, alert: 'a', toldAt: since, seen: {} })
  await requests(20, 'unavailable')
  await requests(20, 'unavailable', { provider: 'globex' })
  await minutes(1)
  t.same(shared.titles, ['Error rate of model globex/m is over 50%'])
  const back = shared.clock.now()
  shared.store.change('provider/acme', 1, { on: false, told: false, since: back, waits: false, alert: null, toldAt: back, seen: {} })
  await minutes(3)
  t.equal(shared.titles.length, 1, 'the failures are those of the outage')
  await minutes(7)
  await requests(20, 'unavailable')
  await minutes(1)
  t.match(shared.titles.at(-1), 'Error rate of model acme/m is over 50%')
})

t.test('latency', async t => {
  const { shared, requests, minutes } = stage({ of: 'models', p95Ms: 2_000 })
  await requests(30, 'ok', { ms: 900 })
  await requests(4, 'ok', { ms: 9_000 })
  await minutes(1)
  t.same(shared.titles, ['Latency of model acme/m is over 2 s'])
  t.match(shared.alerts, [{ kind: 'latency', severity: 'warning', facts: { threshold: 2_000, attempts: 34 } }])
  await requests(100, 'ok', { ms: 900 })
  await minutes(1)
  t.same(shared.titles.slice(1), ['Latency of model acme/m is normal again'])
})

t.test('a threshold that is gone from the config is forgotten', async t => {
  const { shared, requests, minutes } = stage({ of: 'gateway', errorShare: 0.2 })
  await requests(30, 'unavailable')
  await minutes(1)
  t.equal(shared.store.notes('threshold/').length, 1)
  const other = new ThresholdWatch({
    announcer: shared.announcer(),
    records: new MemoryRecords(1),
    catalog: { endpoint: () => undefined },
    thresholds: [],
  })
  await other.check()
  t.equal(shared.store.notes('threshold/').length, 1, 'a gateway with the earlier config may still run')
  shared.clock.pass(25 * 60 * minuteMs)
  await other.check()
  t.same(shared.store.notes('threshold/'), [])
  t.equal(shared.titles.length, 1)
})

t.test('one process at a time does what is due, and another if it dies', async t => {
  const { clock, store } = new AlertStage()
  const done: string[] = []
  let dies = false
  const duties = (name: string): Duties =>
    new Duties(store, [
      { name: 'quick', everyMs: minuteMs, run: async () => void done.push(`${name} quick`) },
      {
        name: 'other',
        everyMs: 10 * minuteMs,
        run: async () => {
          if (dies) throw new Error('killed')
          done.push(`${name} other`)
        },
      },
    ])
  const [one, two] = [duties('one'), duties('two')]
  await Promise.all([one.check(), two.check()])
  t.same(done.map(each => each.split(' ')[1]).toSorted(), ['other', 'quick'])
  done.length = 0
  clock.pass(minuteMs)
  await two.check()
  await one.check()
  t.same(done.splice(0), ['two quick'])
  clock.pass(10 * minuteMs)
  dies = true
  await t.rejects(one.check(), { message: 'killed' })
  dies = false
  await two.check()
  t.same(done.splice(0), ['one quick'])
  clock.pass(10 * minuteMs)
  await two.check()
  t.same(done, ['two quick', 'two other'])
})

t.test('a threshold may name a model by another of its names', async t => {
  const { shared, requests, minutes } = stage({ of: 'models', errorShare: 0.5, only: ['acme/alias'] })
  await requests(10, 'timeout')
  await requests(10, 'timeout', { provider: 'globex' })
  await minutes(1)
  t.same(shared.titles, ['Error rate of model acme/m is over 50%'])
})
