import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { isLong } from '../../kit/long.ts'
import { noPostgres, startPostgres } from '../../plugins/stores/postgres-server.ts'
import { startStandby } from '../../plugins/stores/postgres-standby.ts'
import { audit } from './audit.ts'
import type { Caller } from './caller.ts'
import { capped, checkCap } from './caps.ts'
import { Cluster } from './cluster.ts'
import { Relay } from './relay.ts'
import type { Replica } from './replica.ts'
import { until } from './until.ts'

// The gateways reach Postgres at one address, which leads to the standby after a failover.

const skip = noPostgres || (!isLong && 'only in npm run test:long')

t.test('Postgres stops, and fails over', { skip, timeout: 600_000 }, async t => {
  const postgres = await startPostgres()
  t.teardown(() => postgres.stop())
  const standby = await startStandby(postgres)
  t.teardown(() => standby.stop())
  const relay = await Relay.to(postgres.port)
  t.teardown(() => relay.close())
  const databaseUrl = (await postgres.createDatabase()).replace(`:${postgres.port}/`, `:${relay.port}/`)
  const cluster = await Cluster.start(t, { databaseUrl })

  for (const [name, fault] of Object.entries({
    restarted: async () => {
      await postgres.kill()
      await sleep(3_000)
      await postgres.restart()
    },
    'failed-over': async () => {
      await postgres.kill()
      await standby.promote()
      relay.turnTo(standby.port)
    },
  }))
    await t.test(name, async t => {
      const caller = await capped(cluster, name, { policy: { logging: { value: true } } })
      const stop = { now: false }
      const load = Promise.all(cluster.replicas.map(replica => steady(replica, caller, stop)))
      await until('some answers', () => caller.served >= 30)
      await fault()
      const before = caller.served
      await until('answers after it', () => caller.served >= before + 30 || caller.replies.at(-1)?.status === 402)
      stop.now = true
      await load
      await checkCap(t, cluster, caller)
      const stored = caller.replies.filter(({ status, text }) => status === 200 && /"store":\s*true/.test(text))
      const found = await Promise.all(stored.map(({ id }, index) => read(cluster.replicas[index % 3]!, caller.key, id!)))
      t.same([...new Set(found)].join(), 'completed', `each of ${stored.length} stored answers can be read`)
    })
  await audit(t, cluster)
})

/** Asks one question after the other. */
async function steady(replica: Replica, caller: Caller, stop: { readonly now: boolean }): Promise<void> {
  while (!stop.now) await caller.ask(replica)
}

/** The status of a stored response, or of the refusal. */
async function read({ url }: Replica, key: string, id: string): Promise<string> {
  for (;;) {
    const reply = await fetch(`${url}/v1/responses/${id}`, { headers: { authorization: `Bearer ${key}` } })
    const body = (await reply.json()) as { readonly status: string }
    if (reply.status < 500) return reply.ok ? body.status : `${reply.status} for ${id}`
    await sleep(100)
  }
}
