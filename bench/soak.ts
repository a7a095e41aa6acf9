import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Memory } from './collect-on-message.ts'
import { contender, marker, shot, type Mode } from './contenders.ts'
import { load } from './load.ts'
import { openStreams } from './open-streams.ts'
import { cpuMs, rssMb } from './process-stat.ts'
import { freePort, shoot, startServer, type ServerProcess } from './server-process.ts'
import { median } from './statistics.ts'
import { streamedReply } from './streamed-reply.ts'
import { startUpstream } from './upstream.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'growth,streams' },
    from: { type: 'string', default: '200000' },
    to: { type: 'string', default: '1200000' },
    streams: { type: 'string', default: '5000' },
    hold: { type: 'string', default: '60' },
  },
})

const driverCore = 0
const gatewayCore = 1
const rssGrowthLimitMb = 5
const heapGrowthLimitMb = 2
const streamLimitKb = 90

execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${driverCore}`, `${process.pid}`], { stdio: 'ignore' })
let missed = false
if (values.only.includes('growth')) await growth(Number(values.from), Number(values.to))
if (values.only.includes('streams')) await streams(Number(values.streams), Number(values.hold))
process.exitCode = missed ? 1 : 0

/** Memory after a forced collection must not depend on the number of requests, once the allocator has settled. */
async function growth(from: number, to: number): Promise<void> {
  const upstream = await startUpstream({
    reply: streamedReply('openai-chat', 200),
    eventsPerWrite: 8,
    gapMicroseconds: 100,
    core: driverCore,
  })
  const { server, shots } = await startGateway(upstream.origin)
  try {
    console.log(`memory after ${from} and ${to} requests, a tenth of them streams of 200 deltas`)
    let done = 0
    let streamed = 0
    const until = async (count: number): Promise<Memory> => {
      while (done < count) {
        const mode = streamed < done / 10 ? 'stream' : 'json'
        const { aimed, marker } = shots(mode)
        const result = await load(aimed, { shortest: 1, longest: 1_000_000, marker }, 64, 2, driverCore)
        if (result.bad + result.socketErrors > 0) throw new Error(`${result.bad} bad replies: ${result.complaint}`)
        done += result.good
        if (mode === 'stream') streamed += result.good
      }
      const memory = await collected(server)
      console.log(
        `  ${done} requests: RSS ${megabytes(memory.rss)} MB, heap ${megabytes(memory.heapUsed)} MB, external ${megabytes(memory.external)} MB`,
      )
      return memory
    }
    await until(1)
    await until(from / 4)
    const points: Memory[] = []
    for (let part = 0; part <= 10; part++) points.push(await until(from + ((to - from) * part) / 10))
    verdict('RSS growth, MB', growthOf(points.map(({ rss }) => rss)), rssGrowthLimitMb)
    verdict('heap growth, MB', growthOf(points.map(({ heapUsed }) => heapUsed)), heapGrowthLimitMb)
  } finally {
    await server.stop()
    upstream.stop()
  }
}

/** Many slow streams at once, one event per second each: measures memory per stream, and checks that all finish. */
async function streams(count: number, holdSeconds: number): Promise<void> {
  const rampSeconds = Math.ceil(count / 500)
  const upstream = await startUpstream({
    reply: streamedReply('openai-chat', holdSeconds + rampSeconds + 15),
    eventsPerWrite: 1,
    gapMicroseconds: 1_000_000,
    core: driverCore,
  })
  const { server, shots } = await startGateway(upstream.origin)
  try {
    const { aimed } = shots('stream')
    const idle = await collected(server)
    console.log(`${count} open streams; idle RSS ${megabytes(idle.rss)} MB`)
    const counts = openStreams(aimed, count, rampSeconds * 1000)
    while (counts.open < count) {
      await sleep(200)
      if (counts.finished + counts.broken > 0)
        throw new Error(`only ${counts.open} streams were open at once; ${counts.broken} broke: ${counts.complaint}`)
    }
    let highestMb = 0
    const cpuBeforeMs = cpuMs(server.pid)
    for (let second = 0; second < holdSeconds; second++) {
      await sleep(1000)
      highestMb = Math.max(highestMb, rssMb(server.pid))
      if (counts.open < count) throw new Error(`a stream ended early after ${second} s; ${counts.broken} broke: ${counts.complaint}`)
    }
    const busy = (cpuMs(server.pid) - cpuBeforeMs) / (holdSeconds * 1000)
    const settled = await collected(server)
    const kilobytes = (megabytes: number): number => ((megabytes - idle.rss / 1024 / 1024) * 1024) / count
    console.log(
      `  open for ${holdSeconds} s: highest RSS ${highestMb.toFixed(0)} MB, after a collection ${megabytes(settled.rss)} MB (heap ${megabytes(settled.heapUsed)} MB), core ${(busy * 100).toFixed(0)}% busy`,
    )
    console.log(`  after a collection: ${kilobytes(settled.rss / 1024 / 1024).toFixed(1)} kB per stream`)
    verdict('highest RSS per stream, kB', kilobytes(highestMb), streamLimitKb)
    while (counts.finished + counts.broken < count) await sleep(200)
    verdict('streams that did not finish', counts.broken, 0)
    if (counts.broken > 0) console.log(`  ${counts.complaint}`)
    const after = await collected(server)
    console.log(`  all closed: RSS ${megabytes(after.rss)} MB, heap ${megabytes(after.heapUsed)} MB`)
  } finally {
    await server.stop()
    upstream.stop()
  }
}

async function startGateway(upstream: string) {
  const port = await freePort()
  const gateway = contender('turnpike', port, upstream)
  const origin = `http://127.0.0.1:${port}`
  const preload = fileURLToPath(new URL('collect-on-message.ts', import.meta.url))
  const command = { ...gateway.command!, nodeArguments: ['--expose-gc', '--import', preload, ...gateway.command!.nodeArguments], ipc: true }
  const server = await startServer(command, gatewayCore, shot(gateway, origin, 'json'))
  const shots = (mode: Mode) => ({ aimed: shot(gateway, origin, mode), marker: marker(gateway, mode) })
  for (let count = 0; count < 20; count++) await shoot(shots('json').aimed)
  return { server, shots }
}

async function collected({ child }: ServerProcess): Promise<Memory> {
  child.send('collect')
  const [memory] = (await once(child, 'message')) as [Memory]
  return memory
}

/**
 * In MB. The median step, times the steps: the allocator takes or returns 10 MB in a single step, now and then, and a leak grows in each.
 */
function growthOf(bytes: readonly number[]): number {
  const steps = bytes.slice(1).map((value, index) => value - bytes[index]!)
  return (median(steps) * steps.length) / 1024 / 1024
}

function verdict(target: string, value: number, limit: number): void {
  missed ||= value > limit
  console.log(`${value <= limit ? 'met   ' : 'MISSED'}  ${target}: ${value.toFixed(2)} (limit ${limit})`)
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1)
}
