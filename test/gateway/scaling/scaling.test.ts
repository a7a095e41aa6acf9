import t from 'tap'
import { isLong } from '../../kit/long.ts'
import { noPostgres, startPostgres } from '../../plugins/stores/postgres-server.ts'
import { noValkey, startValkey } from '../../plugins/stores/valkey-server.ts'
import { audit } from './audit.ts'
import { Cluster } from './cluster.ts'
import { checkCanary, checkCommands, listenTo } from './commands.ts'
import { checkFault } from './faults.ts'
import { checkPerSecond } from './per-second.ts'
import { valkeyFaults } from './valkey-faults.ts'
import { Relay } from './relay.ts'
import { checkAnyReplica, checkSteady } from './steady.ts'

const replicas = 3
const shortFaults: readonly string[] = ['killed', 'cut off from one']

t.test('three replicas on one Postgres and one Valkey', { skip: noPostgres || noValkey, timeout: 900_000 }, async t => {
  const postgres = await startPostgres()
  t.teardown(() => postgres.stop())
  const valkey = await startValkey()
  t.teardown(() => valkey.stop())
  const relays = await Promise.all(Array.from({ length: replicas }, () => Relay.to(valkey.port)))
  t.teardown(() => relays.forEach(relay => relay.close()))
  const cluster = await Cluster.start(t, {
    databaseUrl: await postgres.createDatabase(),
    replicas: relays.map(({ port }) => ({ environment: { VALKEY_URL: `redis://127.0.0.1:${port}` } })),
  })
  const heard = await listenTo(valkey)
  await t.test('all is well', t => checkSteady(t, cluster))
  if (isLong) await t.test('in seconds', t => checkPerSecond(t, cluster))
  await t.test('any replica', t => checkAnyReplica(t, cluster))
  await t.test('what Valkey is asked', t => checkCommands(t, cluster, valkey))
  await t.test('what Valkey knows', async t => checkCanary(t, cluster, await heard()))
  for (const [name, fault] of Object.entries(valkeyFaults(valkey, relays)))
    if (isLong || shortFaults.includes(name)) await t.test(`Valkey is ${name}`, t => checkFault(t, cluster, fault))
  await t.test('afterwards', t => audit(t, cluster))
})
