import t from 'tap'
import { checkCertificate } from '../../../core/alerts/certificate-check.ts'
import { KeyCheck } from '../../../core/alerts/key-check.ts'
import { RecordsWatch } from '../../../core/alerts/records-watch.ts'
import type { ApiKey } from '../../../core/stores.ts'
import { noRecords } from '../../../core/records/no-records.ts'
import { leanKey } from '../../../core/testing/stores/key-store-suite.ts'
import { MemoryKeys } from '../../../plugins/stores/memory/keys.ts'
import { AlertStage, dayMs, minuteMs } from './stage.ts'

t.test('keys that expire are told of a week and a day before', async t => {
  const stage = new AlertStage()
  const now = stage.clock.now()
  const keys = new MemoryKeys()
  const add = (id: string, members: Partial<ApiKey>): void =>
    void keys.add({ ...leanKey, id, name: id, org: 'example', createdAt: now - 100 * dayMs, ...members })
  add('later', { expiresAt: now + 20 * dayMs })
  add('week', { expiresAt: now + 6.9 * dayMs })
  add('disabled', { expiresAt: now + 6 * dayMs, disabled: true })
  add('over', { expiresAt: now - 1 })
  add('short', { expiresAt: now + dayMs / 2, createdAt: now - minuteMs })
  add('never', {})
  const checks = [1, 2, 3].map(() => new KeyCheck({ announcer: stage.announcer(), keys, records: noRecords, unusedDays: undefined }))
  const day = async (): Promise<void> => {
    for (const check of checks) await check.check()
    stage.clock.pass(dayMs)
  }
  await day()
  t.same(stage.titles, ['API key "week" (week) expires in 7 days'])
  for (let days = 0; days < 5; days++) await day()
  t.equal(stage.titles.length, 1)
  await day()
  t.same(stage.titles.slice(1), ['API key "week" (week) expires in 22 hours'])
  for (let days = 0; days < 9; days++) await day()
  t.same(stage.titles.slice(2), ['API key "later" (later) expires in 7 days'])
  keys.update('later', { expiresAt: stage.clock.now() + 3 * dayMs })
  await day()
  t.equal(stage.titles.length, 4, 'another time')
})

t.test('keys that nobody uses are told of once, and a few of them at a time', async t => {
  const stage = new AlertStage()
  const now = stage.clock.now()
  const keys = new MemoryKeys()
  const used = new Map<string, number>()
  for (let index = 0; index < 250; index++)
    keys.add({
      ...leanKey,
      id: `k${index}`,
      name: 'k',
      org: index < 30 ? 'crowded' : 'fine',
      createdAt: now - (index < 30 ? 40 : 5) * dayMs + index,
    })
  keys.add({ ...leanKey, id: 'busy', name: 'k', org: 'fine', createdAt: now - 300 * dayMs })
  keys.add({ ...leanKey, id: 'idle', name: 'k', org: 'fine', createdAt: now - 300 * dayMs })
  used.set('busy', now - dayMs).set('idle', now - 31 * dayMs)
  const records = {
    ...noRecords,
    keyUse: (ids: readonly string[]) =>
      new Map(ids.flatMap(id => (used.has(id) ? [[id, { requests: 1, costUsd: 0, lastUsedAt: used.get(id)! }] as const] : []))),
  }
  const check = new KeyCheck({ announcer: stage.announcer(), keys, records, unusedDays: 30 })
  await check.check()
  t.equal(stage.alerts.filter(({ org }) => org === 'crowded').length, 20)
  t.match(
    stage.alerts.filter(({ org }) => org === 'fine'),
    [{ subject: 'key:idle', kind: 'key-unused', severity: 'info', title: 'API key "k" (idle) has not been used for 30 days' }],
  )
  await check.check()
  await check.check()
  t.equal(stage.titles.length, 31)
  used.set('idle', stage.clock.now())
  stage.clock.pass(20 * dayMs)
  await check.check()
  t.equal(stage.titles.length, 31)
  stage.clock.pass(10 * dayMs)
  await check.check()
  t.ok(
    stage.alerts.slice(31).some(({ subject }) => subject === 'key:idle'),
    'it was used, and then not again',
  )
})

t.test('a certificate is told of three times, once for all gateways that serve it', async t => {
  const stage = new AlertStage()
  const certificate = { name: 'gateway.example.com', fingerprint: 'AA:BB', expiresAt: stage.clock.now() + 30.5 * dayMs }
  const gateways = [stage.announcer(), stage.announcer()]
  for (let days = 0; days < 33; days++) {
    for (const announcer of gateways) await checkCertificate(announcer, certificate)
    stage.clock.pass(dayMs)
  }
  t.same(stage.titles, [
    'The TLS certificate of gateway.example.com expires in 21 days',
    'The TLS certificate of gateway.example.com expires in 7 days',
    'The TLS certificate of gateway.example.com expires in 12 hours',
  ])
  await checkCertificate(gateways[0]!, { ...certificate, fingerprint: 'CC', expiresAt: stage.clock.now() - 1 })
  t.match(stage.alerts.at(-1), { severity: 'critical', title: 'The TLS certificate of gateway.example.com has expired' })
})

t.test('lost records are told of once an hour for each sink', async t => {
  const stage = new AlertStage()
  const lost = { slow: { dropped: 0, contentsDropped: 0, failed: 0 }, other: { dropped: 0, contentsDropped: 0, failed: 0 } }
  const states = () => Object.entries(lost).map(([sink, each]) => ({ sink, waiting: 0, ...each }))
  const gateways = [1, 2].map(() => new RecordsWatch(stage.announcer(), states))
  const check = async (): Promise<void> => void (await Promise.all(gateways.map(gateway => gateway.check())))
  await check()
  t.same(stage.titles, [])
  lost.slow.dropped = 400
  lost.slow.failed = 100
  await check()
  lost.slow.dropped = 1_000
  lost.other.contentsDropped = 3
  await check()
  t.same(stage.titles, ['Log sink slow loses records', 'Log sink other loses records'])
  t.match(stage.alerts, [{ kind: 'records', subject: 'sink:slow', facts: { records: 500, contents: 0 } }, { facts: { contents: 3 } }])
  stage.clock.pass(61 * minuteMs)
  await check()
  t.match(stage.alerts[2], { facts: { sink: 'slow' } })
})
