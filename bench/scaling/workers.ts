import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { burst } from '../burst.ts'
import { load } from '../load.ts'
import { childrenOf, cpuMs, pssMb } from '../process-stat.ts'
import { median, rounded } from '../statistics.ts'
import { connectionsOf } from './connections-of.ts'
import { newConnections } from './new-connections.ts'
import { openSite, upstreamOn, type Site } from './site.ts'
import { report, type Target } from './targets.ts'

// One process and two workers on the same cores: what a request costs, how connections spread, what a worker weighs, and what a reload breaks.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    duration: { type: 'string', default: '4' },
    settle: { type: 'string', default: '15' },
    connections: { type: 'string', default: '20000' },
    parts: { type: 'string', default: 'cost,memory,burst,reload' },
    cores: { type: 'string', default: '0,1' },
  },
})
const parts = new Set(values.parts.split(','))
const rounds = Number(values.rounds)
const seconds = Number(values.duration)
const concurrency = 256
/** The gateways may use both; the load and the vendor share the first. */
const cores = values.cores
const driverCore = 0

if (cpus().length < 2) throw new Error('The benchmark needs two cores.')
const upstream = await upstreamOn(driverCore)
const targets: Target[] = []
const sites: Site[] = []

try {
  if (parts.has('memory')) await weigh()
  const single = parts.has('cost') ? await open('one process', []) : undefined
  const pair = parts.size > 1 || single ? await open('two workers', ['--workers', '2']) : undefined
  if (single && pair) await compare(single, pair)
  if (pair && parts.has('burst')) await openAtOnce(pair)
  if (pair && parts.has('reload')) await reload(pair)
} finally {
  for (const { server } of sites) await server.stop()
  upstream.stop()
}
report(targets)

async function open(name: string, more: readonly string[], settleSeconds = Number(values.settle)): Promise<Site> {
  const site = await openSite({ name, upstream, cores, driverCore, arguments: more, settleSeconds })
  sites.push(site)
  return site
}

async function compare(single: Site, pair: Site): Promise<void> {
  const ratios: number[] = []
  const shares: number[] = []
  for (let round = 0; round < rounds; round++) {
    const alone = await perCpuSecond(single)
    const asked = perCpuSecond(pair)
    await sleep((seconds * 1000) / 2)
    const counts = workersOf(pair).map(pid => connectionsOf([pid], pair.port)[0]!)
    ratios.push((await asked) / alone)
    shares.push(Math.max(...counts) / counts.reduce((sum, count) => sum + count, 0))
    console.error(
      `round ${round + 1}: ${rounded(alone, 0)} requests per CPU-second alone, ×${rounded(ratios.at(-1)!, 3)}; ${counts.join(' + ')}`,
    )
  }
  targets.push({ target: 'requests per CPU-second: two workers ÷ one process', value: median(ratios), atLeast: 0.9 })
  targets.push({ target: 'share of 256 connections that one of two workers takes', value: Math.max(...shares), atMost: 0.6 })
}

async function perCpuSecond({ server, shot, expected }: Site): Promise<number> {
  const beforeMs = cpuMs(server.pid)
  const { good, bad, complaint } = await load(shot, expected, concurrency, seconds, driverCore)
  if (bad > 0) throw new Error(`${bad} bad replies: ${complaint}`)
  return good / ((cpuMs(server.pid) - beforeMs) / 1000)
}

/** Those that serve, not the owner process. */
function workersOf({ server, port }: Site): readonly number[] {
  return childrenOf(server.pid).filter(pid => connectionsOf([pid], port)[0]! > 0)
}

async function weigh(): Promise<void> {
  const added: number[] = []
  for (let round = 0; round < 3; round++) {
    const [two, three] = [await idleWeight(2), await idleWeight(3)]
    added.push(three - two)
    console.error(`PSS of two idle workers ${rounded(two, 0)} MB, of three ${rounded(three, 0)} MB`)
  }
  targets.push({ target: 'PSS of a further idle worker, MB', value: median(added), atMost: 70 })
}

async function idleWeight(workers: number): Promise<number> {
  const site = await open(`${workers} idle workers`, ['--workers', `${workers}`], 0)
  await sleep(10_000)
  const weight = pssMb(site.server.pid)
  await site.server.stop()
  return weight
}

async function openAtOnce({ shot, expected }: Site): Promise<void> {
  const slowest: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { slowestMs, failed } = await burst(shot, expected, 256, driverCore)
    if (failed > 0) throw new Error(`${failed} of 256 new connections failed`)
    slowest.push(slowestMs)
  }
  targets.push({ target: 'slowest first reply of 256 new connections on busy workers, ms', value: median(slowest), atMost: 150 })
}

async function reload({ server, shot }: Site): Promise<void> {
  const { failed, reloads } = await newConnections(shot, Number(values.connections), () => server.child.kill('SIGHUP'))
  targets.push({ target: `of ${values.connections} new connections over ${reloads} reloads, failed`, value: failed, atMost: 0 })
}
