import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { load, type LoadResult } from '../load.ts'
import { median, rounded } from '../statistics.ts'
import { startRedis } from './redis.ts'
import { openSite, upstreamOn, type Site } from './site.ts'
import { report, type Target } from './targets.ts'

// Limits in Valkey compared with limits in memory: what a request waits for, how often it asks, and what happens when nobody answers.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    duration: { type: 'string', default: '4' },
    settle: { type: 'string', default: '15' },
    concurrency: { type: 'string', default: '1,8' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.duration)
const driverCore = 0
const gatewayCore = '1'
/** No request reaches them. */
const keyOptions = ['--limits', '100000000r/60s,1000000000000t/60s', '--max-concurrency', '100000']

if (cpus().length < 2) throw new Error('The benchmark needs two cores.')
const upstream = await upstreamOn(driverCore)
const redis = await startRedis(driverCore)
const targets: Target[] = []
const sites: Site[] = []
try {
  const memory = await open('limits in memory', {})
  const valkey = await open('limits in Valkey', { VALKEY_URL: redis.url })
  const plain = await open('Valkey, a key without limits', { VALKEY_URL: redis.url }, [])
  await countScripts(valkey)
  await countScripts(plain)
  for (const connections of values.concurrency.split(',').map(Number)) {
    await compare(memory, valkey, connections)
    await stall(valkey, connections)
  }
} finally {
  for (const { server } of sites) await server.stop()
  await redis.stop()
  upstream.stop()
}
report(targets)

async function open(name: string, settings: Readonly<Record<string, string>>, options: readonly string[] = keyOptions): Promise<Site> {
  const settleSeconds = Number(values.settle)
  const site = await openSite({ name, upstream, cores: gatewayCore, driverCore, settings, keyOptions: options, settleSeconds })
  sites.push(site)
  return site
}

async function ask({ shot, expected }: Site, connections: number): Promise<LoadResult> {
  const result = await load(shot, expected, connections, seconds, driverCore)
  if (result.bad > 0) throw new Error(`${result.bad} bad replies: ${result.complaint}`)
  return result
}

/**
 * Scripts that a request causes, without those that come anyway. One request at a time, so none of them shares a batch. How many of them it
 * waits for is counted in test/gateway/scaling/commands.ts.
 */
async function countScripts({ shot, expected, name }: Site): Promise<void> {
  const calls = async (): Promise<number> => (await redis.calls()).get('evalsha') ?? 0
  const idleFrom = await calls()
  await sleep(seconds * 1000)
  const idle = (await calls()) - idleFrom
  const from = await calls()
  const { good } = await load(shot, expected, 1, seconds, driverCore)
  const perRequest = ((await calls()) - from - idle) / good
  console.error(`${name}: ${rounded(perRequest, 3)} scripts per request, ${rounded(idle / seconds, 1)} per second without requests`)
}

async function compare(memory: Site, valkey: Site, connections: number): Promise<void> {
  const added: number[] = []
  for (let round = 0; round < rounds; round++) {
    const without = await ask(memory, connections)
    const before = await redis.info()
    const withValkey = await ask(valkey, connections)
    const after = await redis.info()
    added.push(withValkey.p50Ms - without.p50Ms)
    const grown = (name: string): number => (after.get(name)! - before.get(name)!) / withValkey.good
    const cpuUs = (grown('used_cpu_sys') + grown('used_cpu_user')) * 1e6
    console.error(
      `round ${round + 1}: p50 ${without.p50Ms} → ${withValkey.p50Ms} ms; per request ${rounded(grown('total_net_input_bytes'), 0)} bytes to Valkey, ${rounded(grown('total_net_output_bytes'), 0)} back, ${rounded(cpuUs, 1)} µs of its CPU`,
    )
  }
  targets.push({ target: `${connections} at once: p50 with limits in Valkey − in memory, ms`, value: median(added), atMost: 0.4 })
}

async function stall(valkey: Site, connections: number): Promise<void> {
  const added: number[] = []
  for (let round = 0; round < rounds; round++) {
    const well = await ask(valkey, connections)
    redis.signal('SIGSTOP')
    // Until the breaker is open.
    await load(valkey.shot, valkey.expected, 1, 1, driverCore)
    const stalled = await ask(valkey, connections)
    redis.signal('SIGCONT')
    await sleep(3_000)
    added.push(stalled.p99Ms - well.p99Ms)
    console.error(`round ${round + 1}: p99 ${well.p99Ms} ms, with a stalled Valkey ${stalled.p99Ms} ms, at most ${stalled.maxMs} ms`)
  }
  targets.push({ target: `${connections} at once: p99 with a stalled Valkey − with a good one, ms`, value: median(added), atMost: 5 })
}
