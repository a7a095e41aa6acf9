// The latency that records in SQLite add: p99 with and without them, at 80% of the highest rate that a gateway with records can serve.
// node bench/record-latency.ts [rounds] [cores of the gateway]    (default: 5 1; needs two cores, wrk and gcc)

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { question } from './contenders.ts'
import { expectation } from './expectation.ts'
import { gatewayCommand } from './gateway.ts'
import { load, type Shot } from './load.ts'
import { pacedClient, type PacedResult } from './paced.ts'
import { cpuMs, rssMb } from './process-stat.ts'
import { freePort, startServer } from './server-process.ts'
import { median } from './statistics.ts'
import { streamedReply } from './streamed-reply.ts'
import { startUpstream } from './upstream.ts'

const rounds = Number(process.argv[2] ?? 5)
const gatewayCores = process.argv[3] ?? '1'
const driverCore = 0
const warmUpSeconds = 12
const saturationSeconds = 5
const seconds = 4
const share = 0.8
const limit = 1.2

execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${driverCore}`, `${process.pid}`], { stdio: 'ignore' })
const upstream = await startUpstream({ reply: streamedReply('openai-chat', 1), eventsPerWrite: 1, gapMicroseconds: 0, core: driverCore })
const pace = pacedClient(128, driverCore)
const without = await startGateway({})
const withRecords = await startGateway({ BENCH_RECORDS: '1' })
try {
  const expected = await expectation(withRecords.shot, 'another, quickly', 0, 'records')
  await load(without.shot, expected, 32, warmUpSeconds, driverCore)
  const warmUp = await load(withRecords.shot, expected, 32, warmUpSeconds, driverCore)
  const { good, durationMs } = await load(withRecords.shot, expected, 32, saturationSeconds, driverCore)
  const saturation = (good / durationMs) * 1000
  const rate = Math.round(share * saturation)
  console.log(`with records, the gateway serves ${Math.round(saturation)} requests per second at most; at ${rate}:`)
  const results: { readonly without: PacedResult; readonly withRecords: PacedResult }[] = []
  for (let round = 0; round < rounds; round++) {
    const before = await pace(without.shot, rate, seconds)
    const cpuBefore = cpuMs(withRecords.pid)
    const after = await pace(withRecords.shot, rate, seconds)
    const cpu = (cpuMs(withRecords.pid) - cpuBefore) / 10 / (seconds + 1)
    console.log(
      `${shown(before)} without; ${shown(after)} with records, ${cpu.toFixed(0)}% of a core, ${rssMb(withRecords.pid).toFixed(0)} MB`,
    )
    results.push({ without: before, withRecords: after })
  }
  const ratio = median(results.map(each => each.withRecords.p99Ms / each.without.p99Ms))
  console.log(`p99 with records is ${ratio.toFixed(2)} times that without; the limit is ${limit}`)
  const bad = results.reduce((sum, each) => sum + each.without.bad + each.withRecords.bad, 0)
  // The last batch.
  await sleep(2_000)
  const [row] = new DatabaseSync(join(withRecords.folder, 'data/turnpike.db')).prepare('select count(*) as count from record').all()
  const [keys] = new DatabaseSync(join(withRecords.folder, 'data/turnpike.db'))
    .prepare('select sum(requests) as count from usage where bucket = ?')
    .all('hour')
  const answered = warmUp.good + good + results.reduce((sum, each) => sum + each.withRecords.replies, 0)
  console.log(
    `${bad} bad replies; of about ${answered} records ${String(row?.['count'])} are stored, ${String(keys?.['count'])} are added up`,
  )
} finally {
  await Promise.all([without.stop(), withRecords.stop()])
  upstream.stop()
}

async function startGateway(settings: Readonly<Record<string, string>>) {
  const port = await freePort()
  const { command, apiKey } = gatewayCommand(port, 'gateway.config.ts', { BENCH_UPSTREAM: upstream.origin, ...settings })
  const shot: Shot = {
    url: `http://127.0.0.1:${port}/v1/responses`,
    headers: { Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: 'bench/bench-model', input: question }),
  }
  const server = await startServer(command, gatewayCores as unknown as number, shot)
  return { ...server, shot, folder: command.cwd! }
}

function shown({ p50Ms, p99Ms, maxMs }: PacedResult): string {
  return `p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)}, at most ${maxMs.toFixed(1)} ms`
}
