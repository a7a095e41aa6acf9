import { systemClock } from '../../../../core/foundation/clock.ts'
import { createLogger } from '../../../../core/foundation/logger.ts'
import { Masks } from '../../../../core/foundation/masks.ts'
import type { RequestRecord } from '../../../../core/index.ts'
import { testRecord } from '../../../../core/testing/index.ts'
import { EnvelopeSealer } from '../../../../plugins/sealers/local/envelope.ts'
import { DataKeys } from '../../../../plugins/stores/sql/data-keys.ts'
import { RecordSink } from '../../../../plugins/stores/sql/records/sink.ts'
import { SealedParts } from '../../../../plugins/stores/sql/sealed-parts.ts'
import { openSqlite } from '../../../../plugins/stores/sql/sqlite/open.ts'

export interface DemoKey {
  readonly id: string
  readonly org: string
  readonly team: string | null
}

const hourMs = 3_600_000
const traffic = [
  { provider: 'north', model: 'echo', share: 5, ms: 620, cost: 0.0021 },
  { provider: 'south', model: 'echo', share: 2, ms: 1_150, cost: 0.0034 },
  { provider: 'sandbox', model: 'reasoning', share: 2, ms: 4_200, cost: 0.011 },
  { provider: 'sandbox', model: 'tools', share: 1, ms: 900, cost: 0.0013 },
] as const

/** Fills a database with requests up to now, more of them by day than by night. The same numbers give the same requests. */
export async function addDemoRecords(file: string, keys: readonly DemoKey[], count: number, hours = 24): Promise<void> {
  const { sink, close } = await openSink(file)
  const now = Date.now()
  const chance = chances(42)
  const weights = Array.from({ length: hours * 60 }, (_, minute) => 1.2 + Math.sin((minute / 720) * Math.PI) + 0.4 * chance())
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let minute = 0
  let sum = weights[0]!
  let batch: RequestRecord[] = []
  for (let index = 0; index < count; index++) {
    while (sum < ((index + 1) / count) * total && minute < weights.length - 1) sum += weights[++minute]!
    const at = Math.floor(now - hours * hourMs + minute * 60_000 + chance() * 60_000)
    batch.push(demoRecord(index, Math.min(at, now - 1), keys[Math.floor(chance() ** 2 * keys.length)]!, chance))
    if (batch.length < 500 && index < count - 1) continue
    await sink.write(batch)
    batch = []
  }
  await close()
}

/** A request of the key at each of the times. */
export async function addRecordsAt(
  file: string,
  key: DemoKey,
  times: readonly number[],
  members: Partial<RequestRecord> = {},
): Promise<void> {
  const { sink, close } = await openSink(file)
  await sink.write(
    times.map((at, index) => ({ ...demoRecord(index, at, key, () => 0.5), id: `req_at${index}_${at}`, answerId: null, ...members })),
  )
  await close()
}

async function openSink(file: string): Promise<{ readonly sink: RecordSink; close(): Promise<void> }> {
  const log = createLogger('warn', new Masks())
  const { database } = await openSqlite(file)
  // Records without content are not sealed.
  const sealer = new EnvelopeSealer({ source: 'demo', current: Buffer.alloc(32, 7) })
  const sink = new RecordSink(database, new SealedParts(new DataKeys(database, sealer, systemClock, log, 90)))
  return { sink, close: () => database.destroy() }
}

function demoRecord(index: number, at: number, { id, org, team }: DemoKey, chance: () => number): RequestRecord {
  const shares = traffic.flatMap(each => Array<(typeof traffic)[number]>(each.share).fill(each))
  const { provider, model, ms, cost } = shares[Math.floor(chance() * shares.length)]!
  const fate = chance()
  const status = fate < 0.012 ? 429 : fate < 0.02 ? 502 : 200
  const elapsedMs = Math.round(ms * Math.exp(0.45 * (chance() + chance() + chance() - 1.5)))
  const [input, output] = [Math.floor(300 + 2_400 * chance()), Math.floor(40 + 700 * chance())]
  const isOk = status === 200
  return testRecord({
    id: `req_demo${index}_${at.toString(36)}`,
    answerId: isOk ? `resp_demo${index}_${at.toString(36)}` : null,
    at,
    status,
    elapsedMs,
    keyId: id,
    org,
    team,
    owner: org,
    stream: chance() < 0.7,
    requestedModel: model,
    model,
    provider,
    attempts: [
      ...(fate > 0.97
        ? [{ provider: 'south', model, outcome: 'rate-limit', status: 429, startedMs: 1, elapsedMs: Math.round(elapsedMs / 5) }]
        : []),
      {
        provider,
        model,
        outcome: isOk ? 'ok' : 'overloaded',
        status: isOk ? 200 : 529,
        startedMs: fate > 0.97 ? Math.round(elapsedMs / 4) : 1,
        elapsedMs: Math.round(elapsedMs * 0.75),
      },
    ],
    usage: isOk ? { uncachedInput: input, cacheRead: Math.floor(input / 3), cacheWrite5m: 0, cacheWrite1h: 0, output, reasoning: 0 } : null,
    costUsd: isOk ? cost * (0.5 + chance()) : null,
    session: index % 3 === 0 ? null : demoSession(index % 40),
    errorCode: isOk ? null : status === 429 ? 'rate_limit_exceeded' : 'provider_error',
  })
}

/** The id of one of the demo's sessions. */
export function demoSession(index: number): string {
  return `ses_${index.toString(16).padStart(8, '0')}${'5e'.repeat(12)}`
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function chances(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
