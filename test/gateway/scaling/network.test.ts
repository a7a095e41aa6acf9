import t from 'tap'
import { isLong } from '../../kit/long.ts'
import { noPostgres, startPostgres } from '../../plugins/stores/postgres-server.ts'
import { noValkey, startValkey } from '../../plugins/stores/valkey-server.ts'
import { audit } from './audit.ts'
import { Cluster } from './cluster.ts'
import { checkFault } from './faults.ts'
import { Network, noNetwork } from './network.ts'
import { Relay } from './relay.ts'
import { Vendor } from './vendor.ts'

// Cut off by a network, unlike by a stopped server or a relay: packets vanish, and nobody is told.

const replicas = 3
const skip = noPostgres || noValkey || (isLong ? noNetwork : 'only in npm run test:long')

t.test('three replicas in network namespaces', { skip, timeout: 900_000 }, async t => {
  const postgres = await startPostgres()
  t.teardown(() => postgres.stop())
  const network = new Network(replicas)
  t.teardown(() => network.remove())
  const valkey = await startValkey({ elsewhere: { launcher: network.besideValkey, host: network.valkeyForHost } })
  t.teardown(() => valkey.stop())
  const databaseUrl = await postgres.createDatabase()
  const vendor = await Vendor.start()
  const settings = await Promise.all(
    Array.from({ length: replicas }, async (_, index) => {
      const host = network.hostFor(index)
      const toPostgres = await Relay.to(postgres.port, host)
      const toVendor = await Relay.to(Number(new URL(vendor.url).port), host)
      t.teardown(() => [toPostgres, toVendor].forEach(relay => relay.close()))
      return {
        launcher: network.in(index),
        address: network.replica(index),
        environment: {
          TEST_HOST: '0.0.0.0',
          TEST_VENDOR: `http://${host}:${toVendor.port}`,
          DATABASE_URL: databaseUrl.replace(/@[^/]+/, `@${host}:${toPostgres.port}`),
          VALKEY_URL: `redis://${network.valkeyFor(index)}:${valkey.port}`,
        },
      }
    }),
  )
  const cluster = await Cluster.start(t, { databaseUrl, replicas: settings, vendor })

  for (const [name, cut] of Object.entries({ one: [0], all: [0, 1, 2] }))
    await t.test(`${name} cut off from Valkey`, async t => {
      await checkFault(t, cluster, {
        name: `cut-${name}`,
        alone: all => cut.map(index => all[index]!),
        begin: () => cut.forEach(index => network.cut(index)),
        end: () => cut.forEach(index => network.heal(index)),
      })
    })
  await t.test('afterwards', async t => await audit(t, cluster))
})
