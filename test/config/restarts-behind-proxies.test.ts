import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { isLong } from '../kit/long.ts'
import { noProxies } from './restarts/proxy.ts'
import { Stage } from './restarts/stage.ts'

// Gateways on one database are restarted one after the other behind nginx and HAProxy, which have the configs of the docs, under load.

const size = isLong ? { replicas: 3, perSecond: 200, sockets: 8, workers: 2 } : { replicas: 2, perSecond: 20, sockets: 2 }
const rounds = isLong ? 3 : 1

t.test('restarts behind proxies lose and repeat nothing', { skip: noProxies, timeout: isLong ? 600_000 : 120_000 }, async t => {
  const stage = await Stage.open(t, size)
  for (let round = 0; round < rounds; round++)
    for (const replica of stage.replicas) {
      await sleep(2_000)
      const { exitCode, stderr } = await stage.restart(replica)
      t.equal(exitCode, 0)
      t.notMatch(stderr, /"level":"error"|drain timeout/)
    }
  await sleep(1_000)
  await stage.stop()

  for (const [index, { name, output }] of stage.proxies.entries()) {
    const { ids, failures } = stage.callers[index]!
    t.same(failures, [], `${name}: not one of ${ids.length} requests failed${failures.length > 0 ? `\n${output}` : ''}`)
  }
  t.same(
    stage.socketCallers.flatMap(({ failures }) => failures),
    [],
  )
  t.ok(
    stage.socketCallers.every(({ answered, reconnected }) => answered > 0 && reconnected > 0),
    'every WebSocket was told to connect again, and did',
  )
  t.same(stage.notOnce, [], 'the vendor was asked once for each')
})

if (isLong)
  t.test('a gateway that is killed loses what it had, and nothing is repeated', { skip: noProxies, timeout: 300_000 }, async t => {
    const stage = await Stage.open(t, size)
    // The workers of the first one let their requests finish when their parent dies, and keep the port meanwhile.
    for (const replica of stage.replicas.slice(1)) {
      await sleep(2_000)
      const open = stage.callers.map(callers => callers.open)
      const lost = stage.callers.map(({ failures }) => failures.length)
      await stage.restart(replica, 'SIGKILL')
      const after = stage.callers.map(({ failures }) => failures.length)
      await sleep(2_000)
      for (const [index, { name }] of stage.proxies.entries()) {
        const { failures } = stage.callers[index]!
        const count = after[index]! - lost[index]!
        t.ok(count <= open[index]!, `${name}: ${count} requests were lost, and ${open[index]} were open`)
        t.same(failures.slice(after[index]), [], `${name}: later ones are not`)
      }
    }
    await stage.stop()
    t.same(stage.repeated, [], 'the vendor was asked at most once for each')
  })
