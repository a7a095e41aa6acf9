import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../../test/plugins/stores/postgres-server.ts'
import { load } from '../load.ts'
import { cpuMs } from '../process-stat.ts'
import { rounded } from '../statistics.ts'
import { keyCosts } from './key-costs.ts'
import { openSite, upstreamOn, type Site } from './site.ts'
import { writeConstants } from './written-constants.ts'

// Measures the cost of each kind of request for Postgres, and the number of connections of a gateway.

const { values } = parseArgs({
  options: {
    duration: { type: 'string', default: '6' },
    settle: { type: 'string', default: '9' },
    concurrency: { type: 'string', default: '32' },
  },
})
const seconds = Number(values.duration)
const driverCore = 0
/** `maxConnections` of the plugin `sql`, and two that only look up. */
const connectionsOfReplica = 12
const kinds: Readonly<Record<string, readonly string[]>> = {
  plain: [],
  capped: ['--spend-cap', '100000'],
  stored: ['--logging'],
}

if (cpus().length < 2) throw new Error('The benchmark needs two cores.')
const postgres = await startPostgres()
const upstream = await upstreamOn(driverCore)
const measured: Record<string, unknown> = {}
try {
  Object.assign(measured, await keyCosts(postgres))
  for (const [kind, keyOptions] of Object.entries(kinds)) measured[kind] = await measure(kind, keyOptions)
} finally {
  upstream.stop()
  await postgres.stop()
}
measured['connectionsOfReplica'] = connectionsOfReplica
console.log(JSON.stringify(measured, undefined, 2))
writeConstants('postgres', measured)

async function measure(kind: string, keyOptions: readonly string[]): Promise<object> {
  const url = await postgres.createDatabase()
  const site = await openSite({
    name: kind,
    upstream,
    cores: '1',
    driverCore,
    config: 'scaling/gateway.config.ts',
    settings: { DATABASE_URL: url, GATEWAY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') },
    keyOptions,
    settleSeconds: Number(values.settle),
    isStored: kind === 'stored',
  })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await costs(site, client)
  } finally {
    await client.end()
    await site.server.stop()
  }
}

async function costs({ shot, expected }: Site, client: pg.Client): Promise<object> {
  const number = async (statement: string): Promise<number> => Number((await client.query<{ value: string }>(statement)).rows[0]!.value)
  const state = async (): Promise<Readonly<Record<string, number>>> => ({
    cpuUs: cpuMs(postgres.pid) * 1000,
    transactions: await number('select xact_commit as value from pg_stat_database where datname = current_database()'),
    walBytes: await number("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as value"),
    diskBytes: await number('select pg_database_size(current_database()) as value'),
  })
  const before = await state()
  const { good, bad, complaint } = await load(shot, expected, Number(values.concurrency), seconds, driverCore)
  if (bad > 0) throw new Error(`${bad} bad replies: ${complaint}`)
  // Statistics and records follow within a second.
  await new Promise(resolve => setTimeout(resolve, 2_000))
  const after = await state()
  const connections = await number(
    "select count(*) as value from pg_stat_activity where datname = current_database() and backend_type = 'client backend'",
  )
  const perRequest = Object.fromEntries(Object.entries(after).map(([name, value]) => [name, rounded((value - before[name]!) / good, 2)]))
  return { ...perRequest, connections: connections - 1, requestsPerSecond: rounded(good / seconds, 0) }
}
