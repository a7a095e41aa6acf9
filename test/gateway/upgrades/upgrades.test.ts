import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { isLong } from '../../kit/long.ts'
import { noPostgres, startPostgres } from '../../plugins/stores/postgres-server.ts'
import { noValkey, startValkey } from '../../plugins/stores/valkey-server.ts'
import { audit } from '../scaling/audit.ts'
import { capped, checkCap } from '../scaling/caps.ts'
import { Cluster } from '../scaling/cluster.ts'
import type { ReplicaSettings } from '../scaling/replica.ts'
import { buildEarlier, noEarlierBuild } from './earlier-build.ts'
import { Traffic } from './traffic.ts'

// The version before, and this one, on one Postgres and one Valkey: docs/upgrades.md.

const skip = noPostgres || noValkey || noEarlierBuild || (!isLong && 'only in npm run test:long')
const betweenMs = 4_000

t.test('the version before and this one serve together, forwards and back', { skip, timeout: 900_000 }, async t => {
  const earlier = buildEarlier()
  t.teardown(() => earlier.remove())
  const postgres = await startPostgres()
  t.teardown(() => postgres.stop())
  const valkey = await startValkey()
  t.teardown(() => valkey.stop())
  const before: ReplicaSettings = { launcher: earlier.launcher }
  const databaseUrl = await postgres.createDatabase()
  const cluster = await Cluster.start(t, { databaseUrl, valkeyUrl: valkey.url, replicas: [before, before] })
  const org = await cluster.org('traffic')
  const policy = { logging: { value: true } }
  const traffic = new Traffic(cluster)
  const [chains, streams, background, conversations] = await Promise.all(
    ['chains', 'streams', 'background', 'conversations'].map(label => cluster.caller(label, { org, policy })),
  )
  traffic.start({ chains: chains!, streams: streams!, background: background!, conversations: conversations! })
  await sleep(betweenMs)

  await replaced(t, cluster, traffic, 1, {})
  await t.test('one of each, on the way forwards', t => checkTogether(t, cluster, 'forwards'))
  await replaced(t, cluster, traffic, 0, {})
  await sleep(betweenMs)
  await replaced(t, cluster, traffic, 1, before)
  await t.test('one of each, on the way back', t => checkTogether(t, cluster, 'back'))
  await replaced(t, cluster, traffic, 0, before)
  await sleep(betweenMs)
  await replaced(t, cluster, traffic, 0, {})
  await replaced(t, cluster, traffic, 1, {})
  await traffic.stop()

  t.same(traffic.failures, [], 'no request failed')
  t.comment(JSON.stringify(traffic.counts))
  for (const [kind, count] of Object.entries(traffic.counts)) t.ok(count > 5, `${count} rounds of ${kind}`)
  await t.test('afterwards', t => audit(t, cluster))
})

/** As behind a load balancer, which sends nothing to a gateway that announces its end. */
async function replaced(t: Test, cluster: Cluster, traffic: Traffic, index: number, settings: ReplicaSettings): Promise<void> {
  const old = cluster.replicas[index]!
  traffic.serving.delete(old)
  old.process.signal('SIGTERM')
  const { exitCode, stderr } = await old.process.finished
  t.equal(exitCode, 0, 'a gateway stops')
  t.notMatch(stderr, /"level":"error"/, 'and has nothing to complain about')
  await cluster.replace(index, settings)
  traffic.serving.add(cluster.replicas[index]!)
  await sleep(betweenMs)
}

/** Limits and caps, while both versions count. */
async function checkTogether(t: Test, cluster: Cluster, way: string): Promise<void> {
  const org = await cluster.org(`limits-${way}`)
  const exact = await cluster.caller(`exact-${way}`, { org, limits: [{ requests: 50, window_s: 600, exact: true }] })
  t.same((await exact.firm(cluster, 150)).statuses, { 200: 50, 429: 100 }, 'a limit counts at both')
  const caller = await capped(cluster, `cap-${way}`)
  await checkCap(t, cluster, caller, { isQuiet: false })
}
