import t from 'tap'
import { Lanes } from '../../../plugins/alerts/webhook/lanes.ts'
import { giveUpMs, waitAfter } from '../../../plugins/alerts/webhook/waits.ts'
import { alertOf, receiver, recipientOf, stage } from './webhook-stage.ts'

const hour = 3_600_000

t.test('waits grow, differ, and end after a day', t => {
  const waits = Array.from({ length: 11 }, (_, index) => waitAfter(index + 1, 0, undefined, () => 0.5)!)
  t.same(waits, [5_000, 30_000, 120_000, 300_000, 900_000, 1_800_000, hour, 2 * hour, 4 * hour, 6 * hour, 8 * hour])
  t.ok(waits.reduce((sum, wait) => sum + wait, 0) < giveUpMs)
  t.equal(
    waitAfter(12, 0, undefined, () => 0.5),
    undefined,
  )
  t.same(
    [0, 1].map(random => waitAfter(1, 0, undefined, () => random)),
    [4_000, 6_000],
  )
  t.equal(
    waitAfter(1, 0, 60_000, () => 0.5),
    60_000,
  )
  t.equal(
    waitAfter(1, 0, 1_000, () => 0.5),
    5_000,
    'not sooner than usual',
  )
  t.equal(
    waitAfter(1, 0, giveUpMs + 1, () => 0.5),
    undefined,
    'it asks for more time than there is',
  )
  t.equal(
    waitAfter(9, giveUpMs - hour, undefined, () => 0.5),
    undefined,
  )
  t.end()
})

t.test('work for one name is done one after the other', async t => {
  const lanes = new Lanes()
  const log: string[] = []
  const work = (name: string) => async (): Promise<void> => {
    log.push(`${name} begins`)
    await new Promise(resolve => setImmediate(resolve))
    log.push(`${name} ends`)
  }
  for (const name of ['a1', 'a2', 'b1']) lanes.run(name[0]!, work(name))
  t.same([lanes.total, lanes.lengthOf('a'), lanes.lengthOf('c')], [3, 2, 0])
  await lanes.ended()
  t.same(
    log,
    ['a1 begins', 'b1 begins', 'a1 ends', 'b1 ends', 'a2 begins', 'a2 ends'].toSorted((x, y) => log.indexOf(x) - log.indexOf(y)),
  )
  t.ok(log.indexOf('a1 ends') < log.indexOf('a2 begins') && log.indexOf('b1 begins') < log.indexOf('a2 begins'))
  t.same([lanes.total, lanes.lengthOf('a')], [0, 0])
})

t.test('a target that hangs with hundreds of messages leaves room for others', async t => {
  const hanging = await receiver(t, () => {})
  const other = await receiver(t, 200)
  const operators = [recipientOf(hanging.url), recipientOf(other.url, { id: 'cfg_two' })]
  const { outbox, alerts, sender, tell } = stage(t, operators, { timeoutMs: 1_000 })
  alerts.raise({ alert: alertOf('demo'), channels: [] })
  const message = { target: 'cfg_one', org: null, kind: 'cap', about: 'acme', alert: 'demo' } as const
  for (let index = 0; index < 400; index++) outbox.add({ ...message, id: `m${index}` }, { most: 1_000, windowMs: hour })
  sender.wake()
  await hanging.until(1)
  const telling = tell(alertOf('urgent'))
  await other.until(1)
  t.equal(hanging.got.length, 1)
  await telling
  t.equal(outbox.standings(['cfg_one']).get('cfg_one')?.waiting, 400)
})

t.test('an alert that is gone, and a target that is disabled or deleted', async t => {
  const { url, got } = await receiver(t, 200)
  const { outbox, targets, tell, pass } = stage(t, [recipientOf(url)])
  const message = { org: null, kind: 'cap', about: 'acme', alert: 'gone' } as const
  outbox.add({ ...message, id: 'one', target: 'cfg_one' }, { most: 20, windowMs: hour })
  outbox.add({ ...message, id: 'two', target: 'at_deleted', org: 'acme' }, { most: 20, windowMs: hour })
  const settings = { format: 'json', secrets: [], kinds: null, minSeverity: 'info', createdAt: 1 } as const
  await targets.add({ ...settings, id: 'at_1', org: 'acme', name: 'one', url: 'https://hooks.invalid/1', disabled: true }, 20)
  outbox.add({ ...message, id: 'three', target: 'at_1', org: 'acme' }, { most: 20, windowMs: hour })
  await tell()
  await pass(1_000)
  t.same(
    ['one', 'two', 'three'].map(id => outbox.find(id)?.failure),
    ['the alert is not stored any more', 'the target was deleted', 'the target is disabled'],
  )
  t.equal(got.length, 0)
})
