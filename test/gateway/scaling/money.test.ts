import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Gate } from '../../../core/testing/index.ts'
import { fakeTime } from '../../kit/fake-time.ts'
import { isLong } from '../../kit/long.ts'
import { noPostgres, startPostgres } from '../../plugins/stores/postgres-server.ts'
import { audit } from './audit.ts'
import type { Caller } from './caller.ts'
import { capped, checkCap } from './caps.ts'
import { Cluster } from './cluster.ts'
import { until } from './until.ts'

// Caps are exact whatever happens to a replica, its clock or Postgres. `npm test` has the short form of it in test/plugins/stores.

const skip = noPostgres || (!isLong && 'only in npm run test:long')
const perReplica = 500
const clockErrors = { ahead: '+5m', behind: '-5m' }

t.test('replicas that die, stop, and go wrong', { skip, timeout: 1_200_000 }, async t => {
  const postgres = await startPostgres()
  t.teardown(() => postgres.stop())
  const cluster = await Cluster.start(t, { databaseUrl: await postgres.createDatabase() })

  await t.test('3 × 500 at once', async t => {
    const caller = await capped(cluster, 'all-well')
    await whileAsking(cluster, caller, async () => {})
    await checkCap(t, cluster, caller)
  })

  await t.test('kill -9 of one', async t => {
    const caller = await capped(cluster, 'killed')
    await whileAsking(cluster, caller, async () => {
      await cluster.replicas[2]!.kill()
      await cluster.replace(2)
    })
    await checkCap(t, cluster, caller)
  })

  await t.test('one stopped for two minutes', async t => {
    const caller = await capped(cluster, 'stopped')
    await whileAsking(cluster, caller, async () => {
      cluster.replicas[1]!.process.signal('SIGSTOP')
      await sleep(120_000)
      // Others have had its holds for a while.
      await caller.all([cluster.replicas[0]!, cluster.replicas[2]!], perReplica)
      cluster.replicas[1]!.process.signal('SIGCONT')
    })
    await checkCap(t, cluster, caller)
  })

  await t.test('afterwards', async t => await audit(t, cluster, { killedUnder: ['killed', 'stopped'] }))
})

for (const [name, offset] of Object.entries(clockErrors))
  t.test(`a clock ${name}`, { skip: skip || fakeTime.missing, timeout: 600_000 }, async t => {
    const postgres = await startPostgres()
    t.teardown(() => postgres.stop())
    const cluster = await Cluster.start(t, {
      databaseUrl: await postgres.createDatabase(),
      replicas: [{}, {}, { environment: fakeTime.by(offset) }],
    })
    const caller = await capped(cluster, 'clock')
    // Longer than a wrong clock would need to give the holds of others away.
    await whileAsking(cluster, caller, async () => await sleep(90_000))
    await checkCap(t, cluster, caller)
    await audit(t, cluster)
  })

/** Lets all replicas hold as much as they may, with no answer, and then answers. */
async function whileAsking({ replicas, vendor }: Cluster, caller: Caller, act: () => Promise<void>): Promise<void> {
  const gate = (vendor.count(caller.label).gate = new Gate())
  const replies = caller.all(replicas, 3 * perReplica)
  const seen = vendor.count(caller.label)
  await until('every request to be let through or refused', () => seen.inProgress + caller.replies.length >= 3 * perReplica)
  await act()
  gate.open()
  await replies
}
