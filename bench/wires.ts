import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { question } from './contenders.ts'
import { decodingTimes } from './decoding.ts'
import { expectation } from './expectation.ts'
import { gatewayCommand } from './gateway.ts'
import { load, type Expected, type Shot } from './load.ts'
import { cpuMs } from './process-stat.ts'
import { freePort, startServer, type ServerProcess } from './server-process.ts'
import { streamedReply, wires, type Wire } from './streamed-reply.ts'
import { startUpstream } from './upstream.ts'

// The cost of each dialect compared with Chat Completions: the same text through the whole gateway, one gateway per dialect.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    duration: { type: 'string', default: '2' },
    'warm-up': { type: 'string', default: '1' },
    wires: { type: 'string', default: wires.join() },
    concurrency: { type: 'string', default: '1,32' },
    'events-per-write': { type: 'string', default: '1,8' },
    'gap-microseconds': { type: 'string', default: '100' },
    profile: { type: 'string', default: '' },
  },
})
const chosen = wires.filter(wire => wire === 'openai-chat' || values.wires.split(',').includes(wire))
const concurrencies = values.concurrency.split(',').map(Number)
const eventsPerWrite = values['events-per-write'].split(',').map(Number)
const deltas = 200
const limits: Partial<Record<Wire, number>> = { anthropic: 1.3, gemini: 1.3 }

const driverCore = 0
const gatewayCore = 1

interface Scene {
  readonly wire: Wire
  readonly events: number
  readonly concurrency: number
  readonly server: ServerProcess
  readonly shot: Shot
  readonly expected: Expected
}

if (cpus().length < 2) throw new Error('The benchmark needs two cores.')
execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${driverCore}`, `${process.pid}`], { stdio: 'ignore' })

const stops: (() => unknown)[] = []
const scenes: Scene[] = []
const cpuPerEventUs = new Map<Scene, number[]>()
try {
  for (const wire of chosen) scenes.push(...(await launch(wire)))
  await sleep(2000)
  for (let round = 0; round < Number(values.rounds); round++)
    for (const events of eventsPerWrite)
      for (const concurrency of concurrencies)
        for (const scene of scenes)
          if (scene.events === events && scene.concurrency === concurrency)
            cpuPerEventUs.set(scene, [...(cpuPerEventUs.get(scene) ?? []), await measure(scene, round)])
} finally {
  for (const stop of stops) await stop()
}
report()

/** A gateway for this dialect only, and an upstream for each number of events per write. */
async function launch(wire: Wire): Promise<readonly Scene[]> {
  const reply = streamedReply(wire, deltas)
  const upstreams: Record<string, string> = {}
  for (const events of eventsPerWrite) {
    const gapMicroseconds = Number(values['gap-microseconds'])
    const upstream = await startUpstream({ reply, eventsPerWrite: events, gapMicroseconds, core: driverCore })
    stops.push(() => upstream.stop())
    upstreams[providerOf(events)] = upstream.origin
  }
  const port = await freePort()
  const { command, apiKey } = gatewayCommand(port, 'wires.config.ts', { BENCH_WIRE: wire, BENCH_UPSTREAMS: JSON.stringify(upstreams) })
  const profile = values.profile ? ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${values.profile}/${wire}`] : []
  const shotAt = (provider: string): Shot => ({
    url: `http://127.0.0.1:${port}/v1/responses`,
    headers: { Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: `${provider}/bench-model`, input: question, stream: true }),
  })
  const nodeArguments = [...profile, ...command.nodeArguments]
  const server = await startServer({ ...command, nodeArguments }, gatewayCore, shotAt(Object.keys(upstreams)[0]!))
  stops.unshift(() => server.stop())
  const found: Scene[] = []
  for (const events of eventsPerWrite) {
    const shot = shotAt(providerOf(events))
    const expected = await expectation(shot, '"type":"response.completed"', deltas, wire)
    for (const concurrency of concurrencies) found.push({ wire, events, concurrency, server, shot, expected })
  }
  return found
}

function providerOf(events: number): string {
  return `bench-${events}`
}

/** Microseconds of CPU for one text event. */
async function measure({ wire, events, concurrency, server, shot, expected }: Scene, round: number): Promise<number> {
  await load(shot, expected, concurrency, Number(values['warm-up']), driverCore)
  const cpuBeforeMs = cpuMs(server.pid)
  const result = await load(shot, expected, concurrency, Number(values.duration), driverCore)
  const usedMs = cpuMs(server.pid) - cpuBeforeMs
  if (result.bad + result.socketErrors > 0) throw new Error(`${wire}: ${result.bad} bad replies: ${result.complaint}`)
  const used = (usedMs * 1000) / (result.good * deltas)
  const busy = ((usedMs * 100) / result.durationMs).toFixed(0)
  console.error(`round ${round + 1} ${events} per write, c=${concurrency} ${wire}: ${used.toFixed(2)} µs/event, ${busy}% busy`)
  return used
}

function report(): void {
  const decoding = decodingTimes(chosen, deltas, Number(values.rounds))
  console.log('Bytes to events only')
  console.table(
    chosen.map(wire => ({
      wire,
      'bytes/event': Math.round(Buffer.byteLength(streamedReply(wire, deltas).events.join('')) / deltas),
      ...Object.fromEntries(
        [...decoding.get(wire)!].flatMap(([events, times]) => [
          [`µs/event, ${events} per chunk`, Number(median(times).toFixed(2))],
          [`× openai-chat, ${events} per chunk`, ratioOf(times, decoding.get('openai-chat')!.get(events)!)],
        ]),
      ),
    })),
  )
  console.log('The whole gateway')
  const rows = scenes.map(scene => {
    const base = scenes.find(
      ({ wire, events, concurrency }) => wire === 'openai-chat' && events === scene.events && concurrency === scene.concurrency,
    )!
    return { scene, cpuUs: median(cpuPerEventUs.get(scene)!), ratio: ratioOf(cpuPerEventUs.get(scene)!, cpuPerEventUs.get(base)!) }
  })
  console.table(
    rows.map(({ scene, cpuUs, ratio }) => ({
      wire: scene.wire,
      'events/chunk': scene.events,
      c: scene.concurrency,
      'CPU/event, µs': Number(cpuUs.toFixed(2)),
      '× openai-chat': ratio,
    })),
  )
  for (const { scene, ratio } of rows) {
    const limit = limits[scene.wire]
    if (limit === undefined) continue
    const title = `${scene.wire}, ${scene.events} events per chunk, c=${scene.concurrency}: CPU per event ÷ openai-chat`
    console.log(`${ratio <= limit ? 'met   ' : 'MISSED'}  ${title}: ${ratio} (limit ${limit})`)
    if (ratio > limit) process.exitCode = 1
  }
}

/** The median of the rounds' ratios: a disturbance affects both halves of a round. */
function ratioOf(values: readonly number[], base: readonly number[]): number {
  return Number(median(values.map((value, round) => value / base[round]!)).toFixed(2))
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}
