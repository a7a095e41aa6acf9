import t from 'tap'
import { Courier } from '../../../core/alerts/courier.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { OpenRegistry } from '../../../core/framework/open-registry.ts'
import type { Alert, AlertChannel } from '../../../core/admin.ts'
import { AlertStage, minuteMs } from './stage.ts'

type Deliver = AlertChannel['deliver']

/** A gateway that delivers to these channels. */
function gateway(stage: AlertStage, channels: Readonly<Record<string, Deliver>>, logs: string[] = []): Courier {
  const registry = new OpenRegistry<AlertChannel>('alert channel', ({ name }) => name)
  for (const [name, deliver] of Object.entries(channels)) registry.add({ name, deliver }, `plugin-${name}`)
  registry.seal()
  return new Courier(
    stage.store,
    registry,
    createLogger('debug', new Masks(), line => void logs.push(line)),
  )
}

async function raise(stage: AlertStage, ...channels: readonly string[]): Promise<Alert> {
  const { alert } = await stage.announcer().drawUp({
    kind: 'records',
    subject: 'sink:slow',
    org: null,
    severity: 'critical',
    title: 'Log sink slow loses records',
    message: 'A test.',
    facts: {},
  })
  stage.store.raise({ alert, channels })
  return alert
}

async function look(...couriers: readonly Courier[]): Promise<void> {
  for (const courier of couriers) courier.wake()
  await Promise.all(couriers.map(courier => courier.idle()))
}

t.test('of three gateways, one delivers to each channel', async t => {
  const stage = new AlertStage()
  const got: string[] = []
  const to =
    (name: string): Deliver =>
    async alert =>
      void got.push(`${name} ${alert.id}`)
  const couriers = [1, 2, 3].map(() => gateway(stage, { chat: to('chat'), pager: to('pager') }))
  const alerts = [await raise(stage, 'chat', 'pager'), await raise(stage, 'chat')]
  await look(...couriers)
  const [first, second] = alerts.map(({ id }) => id)
  t.same(got.toSorted(), [`chat ${first}`, `chat ${second}`, `pager ${first}`].toSorted())
  await look(...couriers)
  t.equal(got.length, 3)
})

t.test('more alerts than one look takes', async t => {
  const stage = new AlertStage()
  const got: string[] = []
  const courier = gateway(stage, { chat: async alert => void got.push(alert.id) })
  for (let index = 0; index < 65; index++) await raise(stage, 'chat')
  await look(courier)
  t.equal(new Set(got).size, 65)
})

t.test('a failure is tried again, later each time, with the same id, for a day', async t => {
  const stage = new AlertStage()
  const logs: string[] = []
  const got: string[] = []
  const at: number[] = []
  let isDown = true
  const courier = gateway(
    stage,
    {
      chat: async alert => {
        got.push(alert.id)
        at.push(stage.clock.now())
        if (isDown) throw new Error('https://hooks.example.com/secret answered 500')
      },
    },
    logs,
  )
  const start = stage.clock.now()
  const { id } = await raise(stage, 'chat')
  for (let seconds = 0; seconds < 3_600; seconds += 10) {
    await look(courier)
    stage.clock.pass(10_000)
  }
  t.same(
    at.slice(0, 9).map(time => (time - start) / 1_000),
    [0, 10, 30, 70, 150, 310, 630, 1_230, 1_830],
  )
  isDown = false
  for (let minute = 0; minute < 20; minute++) {
    await look(courier)
    stage.clock.pass(minuteMs)
  }
  t.same([...new Set(got)], [id])
  const delivered = got.length
  await look(courier)
  t.equal(got.length, delivered)

  isDown = true
  got.length = 0
  await raise(stage, 'chat')
  for (let minutes = 0; minutes < 26 * 60; minutes += 5) {
    await look(courier)
    stage.clock.pass(5 * minuteMs)
  }
  t.ok(got.length > 100 && got.length < 170, `${got.length} tries`)
  t.match(logs.at(-1), /gave up an alert that could not be delivered for a day/)
  t.match(logs.at(-1), /plugin-chat/)
})

t.test('an alert whose gateway died is delivered by another', async t => {
  const stage = new AlertStage()
  const got: string[] = []
  const dying = gateway(stage, { chat: () => new Promise(() => {}) })
  const other = gateway(stage, { chat: async alert => void got.push(alert.id) })
  const { id } = await raise(stage, 'chat')
  dying.wake()
  await new Promise(resolve => setImmediate(resolve))
  await look(other)
  t.same(got, [], 'it is taken')
  stage.clock.pass(61_000)
  await look(other)
  t.same(got, [id])
})

t.test('a channel that throws at once, and one that ignores the stop', async t => {
  const stage = new AlertStage()
  const odd = gateway(stage, {
    chat: () => {
      throw new TypeError('not a promise')
    },
    slow: () => new Promise(() => {}),
  })
  await raise(stage, 'chat', 'slow')
  odd.wake()
  await odd.stop()
  stage.clock.pass(61_000)
  t.equal(stage.store.take(['slow'], 1).length, 1, 'it is still to be delivered')
  t.equal(stage.store.take(['chat'], 1).length, 1)
})

t.test('while the store is down, the log has one line', async t => {
  const stage = new AlertStage()
  const logs: string[] = []
  const got: string[] = []
  const courier = gateway(stage, { chat: async alert => void got.push(alert.id) }, logs)
  const { take } = stage.store
  await raise(stage, 'chat')
  stage.store.take = () => {
    throw new Error('down')
  }
  await look(courier)
  await look(courier)
  t.equal(logs.length, 1)
  stage.store.take = take
  await look(courier)
  t.equal(got.length, 1)
})
