import t from 'tap'
import { isLong } from '../../kit/long.ts'
import { noPostgres, startPostgres } from '../../plugins/stores/postgres-server.ts'
import { noValkey, startValkey } from '../../plugins/stores/valkey-server.ts'
import { audit } from './audit.ts'
import { capped, checkCap } from './caps.ts'
import { Cluster } from './cluster.ts'
import { noPgBouncer, startPgBouncer } from './pg-bouncer.ts'
import { checkAnyReplica } from './steady.ts'

// Hundreds of replicas have more connections than Postgres takes, so there is a pooler between them.

const skip = noPostgres || noValkey || (isLong ? noPgBouncer : 'only in npm run test:long')

t.test('three replicas with two connections in all', { skip, timeout: 900_000 }, async t => {
  const postgres = await startPostgres()
  t.teardown(() => postgres.stop())
  const pooler = await startPgBouncer(postgres.port, 2)
  t.teardown(() => pooler.stop())
  const valkey = await startValkey()
  t.teardown(() => valkey.stop())
  const databaseUrl = (await postgres.createDatabase()).replace(`:${postgres.port}/`, `:${pooler.port}/`)
  const cluster = await Cluster.start(t, { databaseUrl, valkeyUrl: valkey.url })
  await t.test('any replica', t => checkAnyReplica(t, cluster))
  const caller = await capped(cluster, 'capped')
  await caller.all(cluster.replicas, 300)
  await checkCap(t, cluster, caller)
  await t.test('afterwards', t => audit(t, cluster))
})
