import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rounded } from '../statistics.ts'
import { tableOf } from './targets.ts'
import { writtenConstants } from './written-constants.ts'

// Computes how much Valkey and Postgres many replicas need, from the measured costs of one (`constants.json`).
//
//   node bench/scaling/model.ts                       the deployment of docs/scaling.md
//   node bench/scaling/model.ts --replicas 10 --requests 2000
//   node bench/scaling/model.ts --page                writes the tables into docs/scaling.md

const { values } = parseArgs({
  options: {
    replicas: { type: 'string', default: '1000' },
    keys: { type: 'string', default: '10000000' },
    requests: { type: 'string', default: '100000' },
    /** Shares of the requests. */
    limited: { type: 'string', default: '1' },
    concurrency: { type: 'string', default: '1' },
    capped: { type: 'string', default: '1' },
    stored: { type: 'string', default: '0.1' },
    /** Endpoints that are used at the same time. */
    endpoints: { type: 'string', default: '100' },
    /** New sessions per second, which remember an endpoint. */
    sessions: { type: 'string', default: '1000' },
    /** Keys that are used within a minute. */
    active: { type: 'string', default: '1000000' },
    page: { type: 'boolean', default: false },
  },
})
const { page, ...numbers } = values
const given = Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, Number(text)])) as Record<
  keyof typeof numbers,
  number
>
const { valkey, postgres, targets = [] } = writtenConstants()
const { replicas, keys, requests, limited, concurrency, capped, stored, endpoints, sessions, active } = given

interface Need {
  readonly what: string
  readonly how: string
  readonly perSecond?: number
  /** Of a core. */
  readonly cpu: number
  readonly megabytesPerSecond?: number
}

const perUs = 1e-6
const toMegabytes = 1e-6
/** As in `metric-exchange.ts`. */
const exchangeEverySeconds = Math.max(1, replicas * valkey.exchange.secondsPerProcess)
const exchangeUs = (valkey.exchange.of100.cpuUs / 100) * endpoints
const exchangeBytes = (valkey.exchange.of100.outBytes / 100) * endpoints
const perSubscriberUs = (valkey.publish.to50.cpuUs - valkey.publish.to10.cpuUs) / 40
const perSubscriberBytes = (valkey.publish.to50.outBytes - valkey.publish.to10.outBytes) / 40

/** As in `core/shared-state/tellings.ts`. */
const told = Math.min(sessions, 40_000 / replicas)

function of(
  what: string,
  how: string,
  perSecond: number,
  cost: { readonly cpuUs: number; readonly inBytes: number; readonly outBytes: number },
): Need {
  return {
    what,
    how,
    perSecond,
    cpu: perSecond * cost.cpuUs * perUs,
    megabytesPerSecond: perSecond * (cost.inBytes + cost.outBytes) * toMegabytes,
  }
}

const asked: readonly Need[] = [
  of(
    'claims',
    'one for each request with a limit',
    requests * limited,
    concurrency > 0 ? valkey.claim.placeAndTwoWindows : valkey.claim.oneWindow,
  ),
  of('tokens that are settled', 'in batches, every 50 ms', requests * limited, valkey.settle),
  of('places that are given back', 'at once, together if several are in one turn', requests * concurrency, valkey.giveBack),
  of('signs of life', 'one a second for each replica', replicas, valkey.beat.of1000),
  of('metrics', `every ${rounded(exchangeEverySeconds, 1)} s, the sums of ${endpoints} endpoints`, replicas / exchangeEverySeconds, {
    cpuUs: exchangeUs,
    inBytes: exchangeBytes,
    outBytes: exchangeBytes,
  }),
  of('warm caches', `${rounded(told, 0)} a second, to all others`, told, {
    cpuUs: valkey.publish.to10.cpuUs + perSubscriberUs * replicas,
    inBytes: valkey.publish.to10.inBytes,
    outBytes: perSubscriberBytes * replicas,
  }),
]

const memoryMb = (active * 2 * valkey.memory.windowBytes + requests * valkey.memory.placeBytes) * toMegabytes
const postgresNeeds: readonly Need[] = [
  {
    what: 'records',
    how: 'one for each request, in batches',
    perSecond: requests,
    cpu: requests * postgres.plain.cpuUs * perUs,
    megabytesPerSecond: requests * postgres.plain.walBytes * toMegabytes,
  },
  {
    what: 'spend caps and credit',
    how: 'a hold and its settlement, in batches',
    perSecond: requests * capped,
    cpu: requests * capped * (postgres.capped.cpuUs - postgres.plain.cpuUs) * perUs,
    megabytesPerSecond: requests * capped * (postgres.capped.walBytes - postgres.plain.walBytes) * toMegabytes,
  },
  {
    what: 'stored responses',
    how: 'with their items, in batches',
    perSecond: requests * stored,
    cpu: requests * stored * (postgres.stored.cpuUs - postgres.plain.cpuUs) * perUs,
    megabytesPerSecond: requests * stored * (postgres.stored.walBytes - postgres.plain.walBytes) * toMegabytes,
  },
  of('keys and accounts that are looked up', 'at most once a second for each key and replica', Math.min(requests, active), postgres.lookup),
]

const table = [
  `${replicas.toLocaleString('en-US')} replicas, ${keys.toLocaleString('en-US')} keys (${active.toLocaleString('en-US')} in use within a minute), ${requests.toLocaleString('en-US')} requests a second`,
  '',
  '| Valkey | | a second | cores | MB/s |',
  '|---|---|---|---|---|',
  ...asked.map(line),
  total('all', asked),
  '',
  `Memory of Valkey: ${Math.round(memoryMb).toLocaleString('en-US')} MB.`,
  '',
  '| Postgres | | a second | cores | MB/s |',
  '|---|---|---|---|---|',
  ...postgresNeeds.map(line),
  total('all', postgresNeeds),
  '',
  `Connections to Postgres: up to ${(replicas * postgres.connectionsOfReplica).toLocaleString('en-US')}. Keys in its tables: ${Math.round(keys * postgres.keyBytes * 1e-9)} GB. Records of a day: ${Math.round((requests * 86_400 * postgres.plain.diskBytes) / 1e12)} TB.`,
].join('\n')

function line({ what, how, perSecond = 0, cpu, megabytesPerSecond = 0 }: Need): string {
  return `| ${what} | ${how} | ${Math.round(perSecond).toLocaleString('en-US')} | ${rounded(cpu, 2)} | ${rounded(megabytesPerSecond, 1)} |`
}

function total(what: string, needs: readonly Need[]): string {
  const cpu = needs.reduce((sum, need) => sum + need.cpu, 0)
  const bytes = needs.reduce((sum, { megabytesPerSecond = 0 }) => sum + megabytesPerSecond, 0)
  return `| **${what}** | | | **${rounded(cpu, 1)}** | **${rounded(bytes, 0)}** |`
}

if (page) {
  const file = fileURLToPath(new URL('../../docs/scaling.md', import.meta.url))
  const sections = Object.entries({ model: table, targets: tableOf(targets) })
  const text = sections.reduce((text, [name, section]) => withSection(text, name, section), readFileSync(file, 'utf8'))
  writeFileSync(file, text)
} else console.log(`${table}\n\n${tableOf(targets)}`)

function withSection(text: string, name: string, section: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`expected ${begin} and ${end} in docs/scaling.md, but they are not there`)
  return `${before}${begin}\n\n${section}\n\n${end}${after}`
}
