import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { storeServiceNames } from '../../../core/stores.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { noPostgres, startPostgres } from '../../plugins/stores/postgres-server.ts'
import { write } from '../../plugins/stores/sql.ts'
import { canary, gateways, type Delivered } from './gateways.ts'

const services = [...storeServiceNames]

// They wait most of the time.
t.jobs = 3

t.test('three gateways on one SQLite file tell each alert once', { timeout: 120_000 }, async t => {
  const file = join(t.testdir({}), 'turnpike.db')
  await toldOnce(t, 3, () => [sql({ file, services })])
})

t.test('two gateways on one Postgres server tell each alert once', { skip: noPostgres, timeout: 120_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const url = await server.createDatabase()
  await toldOnce(t, 2, () => [sql({ url, services })])
})

async function toldOnce(t: Test, count: number, stores: () => readonly PluginUse[]): Promise<void> {
  const { all, delivered, acme, stop } = await gateways(count, stores)
  t.teardown(stop)
  const [first] = all
  const until = async (kind: string, times: number): Promise<readonly Delivered[]> => {
    const found = (): readonly Delivered[] => delivered.filter(({ alert }) => alert.kind === kind)
    for (let tries = 0; found().length < times && tries < 400; tries++) await setTimeout(50)
    // Another gateway might tell it, too.
    await setTimeout(200)
    return found()
  }
  await first!.call('POST', '/orgs', { id: 'acme', name: 'acme' })
  const { id, key } = (await first!.call('POST', '/keys', { name: 'demo', org: 'acme', spend_cap_usd: 0.1 })).body
  let asked = 0
  const spend = async (requests: number): Promise<number[]> =>
    await Promise.all(Array.from({ length: requests }, () => all[asked++ % count]!.ask(key)))
  t.same(await spend(5), [200, 200, 200, 200, 200])
  t.match(await until('cap', 1), [{ alert: { subject: `key:${id}`, org: 'acme', facts: { percent: 50, spent_usd: 0.05, cap_usd: 0.1 } } }])
  await spend(3)
  t.match((await until('cap', 2)).slice(1), [{ alert: { facts: { percent: 80 } } }])
  const statuses = await spend(8)
  t.ok(statuses.includes(402))
  t.match((await until('cap', 3)).slice(2), [{ alert: { severity: 'critical', facts: { percent: 100 } } }])
  await first!.call('PATCH', `/keys/${id}`, { spend_cap_usd: 0.2 })
  // Other gateways see it within a second.
  await setTimeout(1_100)
  await spend(2)
  t.match((await until('cap', 4)).slice(3), [{ alert: { facts: { percent: 50, cap_usd: 0.2 } } }], 'a raised cap starts anew')

  await first!.call('POST', '/orgs', { id: 'paying', name: 'paying' })
  await first!.call('POST', '/orgs/paying/credits', { amount_usd: 0.1 })
  const payer = (await first!.call('POST', '/keys', { name: 'payer', org: 'paying' })).body.key
  await Promise.all(Array.from({ length: 6 }, () => all[asked++ % count]!.ask(payer)))
  t.match(await until('credit', 1), [{ alert: { subject: 'org:paying', org: 'paying', facts: { percent: 50, full_usd: 0.1 } } }])
  await first!.call('POST', '/orgs/paying/credits', { amount_usd: 0.06 })
  await Promise.all(Array.from({ length: 6 }, () => all[asked++ % count]!.ask(payer)))
  t.match(
    (await until('credit', 2)).slice(1),
    [{ alert: { facts: { percent: 50, full_usd: 0.1, balance_usd: 0.04 } } }],
    'credit was added',
  )

  acme.isDown = true
  for (const under of all)
    await Promise.all(Array.from({ length: 12 }, (_, index) => Promise.all([1, 2, 3].map(() => under.ask(under.apiKey, `m${index}`)))))
  // Callers can make up names of models, and they fail, too.
  await Promise.all([1, 2, 3, 4, 5, 6].map(() => first!.ask(first!.apiKey, `acme/${canary}`)))
  t.match(await until('provider', 1), [{ alert: { title: 'Provider acme is down', org: null } }])
  t.notMatch(JSON.stringify(delivered), new RegExp(`${canary}|${key}|tp_`))
  // Callers get errors, which may be told by now, too.
  const [errors, others] = [
    delivered.filter(({ alert }) => alert.kind === 'errors'),
    delivered.filter(({ alert }) => alert.kind !== 'errors'),
  ]
  t.same(
    others.map(({ alert }) => alert.kind),
    ['cap', 'cap', 'cap', 'cap', 'credit', 'credit', 'provider'],
  )
  t.equal(new Set(errors.map(({ alert }) => alert.title)).size, errors.length)
  t.equal(new Set(delivered.map(({ alert }) => alert.id)).size, delivered.length)
}

t.test('an alert that a gateway took is delivered by another after kill -9', { timeout: 60_000 }, async t => {
  const file = join(t.testdir({}), 'turnpike.db')
  const child = fork(fileURLToPath(import.meta.resolve('./dying-gateway.ts')), [file], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--conditions=turnpike-source'],
  })
  const [id] = (await once(child, 'message')) as [string]
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { delivered, stop } = await gateways(1, () => [sql({ file, services })])
  t.teardown(stop)
  await setTimeout(100)
  t.same(delivered, [], 'the other may be alive')
  const database = new DatabaseSync(file, { readOnly: true })
  const [{ due_at: dueAt }] = database.prepare('select due_at from alert_delivery').all() as [{ due_at: number }]
  database.close()
  t.ok(Math.abs(dueAt - Date.now() - 60_000) < 15_000, 'a minute later')
  await write(file, 'update alert_delivery set due_at = due_at - 60000')
  for (let tries = 0; delivered.length === 0 && tries < 300; tries++) await setTimeout(50)
  t.match(delivered, [{ alert: { id, kind: 'records' } }])
})
