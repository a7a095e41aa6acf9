import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Gate } from '../../../core/testing/index.ts'
import { isLong } from '../../kit/long.ts'
import { noPostgres, startPostgres } from '../../plugins/stores/postgres-server.ts'
import { startStandby } from '../../plugins/stores/postgres-standby.ts'
import { audit, held } from './audit.ts'
import type { Caller } from './caller.ts'
import { Cluster } from './cluster.ts'
import { fakeTime } from './fake-time.ts'
import { Relay } from './relay.ts'
import type { Replica } from './replica.ts'
import { until } from './until.ts'
import { answerNano } from './vendor.ts'

// Caps are exact whatever happens to a replica, its clock or Postgres. `npm test` has the short form of it in test/plugins/stores.

const skip = noPostgres || (!isLong && 'only in npm run test:long')
/** Pays for 300 answers; 1,500 are wanted. At once it pays for about 30, since more is held than is used. */
const capUsd = (300 * answerNano) / 1e9
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
      t.same([...new Set(found)], ['completed'], `each of ${stored.length} stored answers can be read`)
    })
  await audit(t, cluster)
})

async function capped(cluster: Cluster, label: string, settings: object = {}): Promise<Caller> {
  await cluster.org(label, { spend_cap_usd: capUsd })
  return await cluster.caller(label, { ...settings, org: label })
}

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

/** Asks until all are refused. Holds of a killed replica come back meanwhile. */
async function usedUp(cluster: Cluster, caller: Caller): Promise<void> {
  await until('the cap to be used up', async () => (await caller.all(cluster.replicas, 30)).of(402) === 30 && (await held(cluster)) === 0, 300_000)
}

async function checkCap(t: Test, cluster: Cluster, caller: Caller): Promise<void> {
  await usedUp(cluster, caller)
  const { org, served, replies } = caller
  const spent = Math.round((await cluster.admin.ask('GET', `/orgs/${org}`)).spent_usd * 1e9)
  const most = Math.round(capUsd * 1e9)
  t.ok(spent <= most, `${spent} of ${most} nano-dollars are spent`)
  t.ok(served * answerNano <= spent, `${served} answers were heard of ${replies.length}`)
  t.ok(spent > most * 0.9, 'and not much less')
}

/** Asks one question after the other. */
async function steady(replica: Replica, caller: Caller, stop: { readonly now: boolean }): Promise<void> {
  while (!stop.now) await caller.ask(replica)
}

async function read({ url }: Replica, key: string, id: string): Promise<string> {
  const reply = await fetch(`${url}/v1/responses/${id}`, { headers: { authorization: `Bearer ${key}` } })
  return ((await reply.json()) as { readonly status: string }).status
}
