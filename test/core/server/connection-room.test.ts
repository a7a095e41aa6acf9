import t from 'tap'
import { Together } from '../../../core/coordination/together.ts'
import { systemClock } from '../../../core/foundation/clock.ts'
import { ConnectionRoom } from '../../../core/server/connections/connection-room.ts'
import { Coordinated, MemoryCoordination } from '../../../core/stores.ts'
import { silent } from '../../plugins/stores/databases.ts'
import { WeakService } from '../coordination/weak-service.ts'
import { echo } from './echo-protocol.ts'

const ada = { keyId: 'key-of-ada', org: 'example' }
const bob = { keyId: 'key-of-bob', org: 'example' }
const protocol = echo({ maxPerKey: 4 })

t.test('the connections of a key count in all processes together', async t => {
  const engine = new MemoryCoordination(systemClock)
  const processes = []
  for (const name of ['one', 'two', 'three']) {
    const service = new WeakService(engine.member(name), 3)
    const coordinated = new Coordinated(systemClock, silent)
    await coordinated.connect(service, 'test')
    t.teardown(() => coordinated.stop())
    const together = new Together(coordinated, systemClock, undefined)
    processes.push({ service, coordinated, room: new ConnectionRoom(100, () => together) })
  }
  const [one, two, three] = processes as [(typeof processes)[number], (typeof processes)[number], (typeof processes)[number]]
  const open = [await one.room.take(ada, protocol), await one.room.take(ada, protocol), await two.room.take(ada, protocol)]
  open.push(await three.room.take(ada, protocol))
  for (const { room } of processes)
    await t.rejects(Promise.resolve(room.take(ada, protocol)), { status: 429, message: /has 4 connections open, which is the most/ })
  await three.room.take(bob, protocol)
  for (const leave of open.splice(0, 2)) leave()
  await one.coordinated.flush()
  open.push(await three.room.take(ada, protocol))

  for (const { service, coordinated } of processes) {
    await coordinated.beat()
    service.mode = 'fails'
    await coordinated.beat()
  }
  await t.rejects(Promise.resolve(three.room.take(ada, protocol)), { message: /has 4 connections open/ })
  await two.room.take(ada, protocol)
  await t.rejects(Promise.resolve(two.room.take(ada, protocol)), { message: /has 4 connections open/ })
})

t.test('without a service, and for protocols without a limit, nothing waits', t => {
  const room = new ConnectionRoom(10, () => undefined)
  for (let count = 0; count < 4; count++) t.type(room.take(ada, protocol), 'function')
  t.throws(() => room.take(ada, protocol), { message: /has 4 connections open/ })
  t.type(room.take(ada, echo()), 'function')
  t.throws(() => room.take(ada, echo()), { message: /too many open connections/ }, 'half of the room')
  t.end()
})
