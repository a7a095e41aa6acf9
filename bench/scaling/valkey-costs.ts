import { systemClock } from '../../core/foundation/clock.ts'
import { createLogger } from '../../core/foundation/logger.ts'
import { Masks } from '../../core/foundation/masks.ts'
import { Connection } from '../../plugins/stores/valkey/connection.ts'
import { ValkeyCoordination } from '../../plugins/stores/valkey/coordination.ts'
import { Keys } from '../../plugins/stores/valkey/keys.ts'
import { placeOf } from '../../plugins/stores/valkey/place.ts'
import { ValkeySharedState } from '../../plugins/stores/valkey/shared-state.ts'
import { rounded } from '../statistics.ts'
import { startRedis } from './redis.ts'
import { writeConstants } from './written-constants.ts'

// Measures the cost for Valkey of everything that gateways ask of it. Writes it to `constants.json`, for `model.ts`.

const redis = await startRedis(0)
const log = createLogger('silent', new Masks())
const keys = new Keys('turnpike:')
const openConnections: Connection[] = []

async function connection(): Promise<Connection> {
  const opened = new Connection(
    { place: placeOf('valkey', { url: redis.url } as never), tls: {}, keys, connectTimeoutMs: 2_000, answerTimeoutMs: 60_000 },
    systemClock,
    log,
  )
  openConnections.push(opened)
  return opened
}

const shared = await connection()
const coordination = new ValkeyCoordination(shared, keys, systemClock)
await shared.open(5_000)

const hourMs = 3_600_000
const window = (bucket: string): { bucket: string; tokens: number; windowMs: number; amount: number } => ({
  bucket,
  tokens: 1_000_000_000,
  windowMs: hourMs,
  amount: 1,
})
const place = (bucket: string, name: string): { bucket: string; limit: number; place: string } => ({
  bucket,
  limit: 1_000_000,
  place: name,
})

interface Cost {
  readonly cpuUs: number
  readonly inBytes: number
  readonly outBytes: number
}

/** The cost of each of `count` runs, with `atOnce` of them under way. */
async function costOf(count: number, atOnce: number, run: (index: number) => Promise<unknown> | unknown): Promise<Cost> {
  const before = await redis.info()
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await run(next++)
    }),
  )
  const after = await redis.info()
  const per = (name: string): number => (after.get(name)! - before.get(name)!) / count
  return {
    cpuUs: rounded((per('used_cpu_sys') + per('used_cpu_user')) * 1e6, 2),
    inBytes: rounded(per('total_net_input_bytes'), 0),
    outBytes: rounded(per('total_net_output_bytes'), 0),
  }
}

async function memoryOf(count: number, run: (index: number) => Promise<unknown>): Promise<number> {
  const before = (await redis.info()).get('used_memory')!
  await costOf(count, 64, run)
  return rounded(((await redis.info()).get('used_memory')! - before) / count, 0)
}

const keyId = (index: number): string => `key:k${String(index).padStart(11, '0')}`
const few = 100_000
const memory = {
  windowBytes: await memoryOf(few, i =>
    coordination.claim({ group: `org:acme-${i % 1000}`, places: [], windows: [window(`${keyId(i)}:requests:60000`)] }),
  ),
  placeBytes: await memoryOf(few, i =>
    coordination.claim({ group: `org:acme-${i % 1000}`, places: [place(keyId(i), `p${i}`)], windows: [] }),
  ),
}

const claims = 50_000
const claim = {
  oneWindow: await costOf(claims, 64, i =>
    coordination.claim({ group: 'org:acme', places: [], windows: [window(`${keyId(i % 1000)}:requests:60000`)] }),
  ),
  placeAndTwoWindows: await costOf(claims, 64, i =>
    coordination.claim({
      group: 'org:acme',
      places: [place(keyId(i % 1000), `q${i}`)],
      windows: [window(`${keyId(i % 1000)}:requests:60000`), window(`${keyId(i % 1000)}:tokens:60000`)],
    }),
  ),
}

const inBatch = 50
const batch = await costOf(2_000, 4, i =>
  coordination.change(
    Array.from({ length: inBatch }, (_, j) => ({
      group: 'org:acme',
      bucket: `${keyId(j)}:tokens:60000`,
      windowMs: hourMs,
      run: undefined,
      amount: -1 - (i % 2),
    })),
    [],
  ),
)
const settle = {
  cpuUs: rounded(batch.cpuUs / inBatch, 2),
  inBytes: rounded(batch.inBytes / inBatch, 0),
  outBytes: rounded(batch.outBytes / inBatch, 0),
}

const given = 20_000
await costOf(given, 64, i => coordination.claim({ group: 'org:acme', places: [place(keyId(i % 1000), `g${i}`)], windows: [] }))
const giveBack = await costOf(given, 8, i =>
  coordination.change([], [{ group: 'org:acme', bucket: keyId(i % 1000), place: `g${i}`, isHeld: false }]),
)

/** The gauges of a gateway. */
const gauges = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`gauge-${index}`, 1234]))
async function beats(processes: number): Promise<Cost> {
  const all = Array.from({ length: processes }, () => new ValkeyCoordination(shared, keys, systemClock))
  for (const each of all) await each.beat(gauges)
  return await costOf(Math.max(3_000, processes), 16, i => all[i % processes]!.beat(gauges))
}
const beat = { of1: await beats(1), of100: await beats(100), of1000: await beats(1000) }

/** A sum has about so many fields: totals, and a histogram of each time. One answer changes some of them. */
const totals = 12
const buckets = 60
async function exchanges(sums: number): Promise<Cost> {
  const deltas = (turn: number) =>
    Array.from({ length: sums }, (_, index) => ({
      name: JSON.stringify(['metrics', 29840000 + sums, 'acme', `acme-large-${index}`]),
      counts: Object.fromEntries(
        [...Array(totals).keys(), `l${(turn * 7) % buckets}`, `t${(turn * 11) % buckets}`].map(field => [field, 3]),
      ),
      forMs: hourMs,
    }))
  let since: string | undefined
  for (let turn = 0; turn < buckets; turn++) since = (await coordination.exchange(deltas(turn), since)).since
  return await costOf(300, 1, async turn => void (since = (await coordination.exchange(deltas(turn), since)).since))
}
const exchange = { secondsPerProcess: 0.02, of10: await exchanges(10), of100: await exchanges(100) }

async function publishes(subscribers: number): Promise<Cost> {
  const publisher = await connection()
  const state = new ValkeySharedState(publisher, keys, systemClock)
  await publisher.open(5_000)
  for (let index = 0; index < subscribers; index++) {
    const each = await connection()
    await new ValkeySharedState(each, keys, systemClock).subscribe(() => {})
    await each.open(5_000)
  }
  return await costOf(2_000, 1, async i => {
    state.publish({
      map: 'affinity',
      key: `k${String(i).padStart(43, '0')}`,
      value: { endpoint: 'acme/acme-large', at: 1 },
      forMs: 300_000,
    })
    // Each in a message of its own.
    await new Promise(resolve => setTimeout(resolve, 1))
  })
}
const publish = { to10: await publishes(10), to50: await publishes(40) }

const measured = { memory, claim, settle, giveBack, beat, exchange, publish }
console.log(JSON.stringify(measured, undefined, 2))
writeConstants('valkey', measured)
for (const each of openConnections) each.close()
await redis.stop()
process.exit(0)
