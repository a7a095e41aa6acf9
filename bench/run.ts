import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { burst } from './burst.ts'
import { contender, marker, shot, type Contender, type ContenderName, type Mode } from './contenders.ts'
import { decisionLatency, type DecisionLatency } from './decision-latency.ts'
import { earlierBuild } from './earlier.ts'
import { expectation } from './expectation.ts'
import { garbagePerRequest } from './garbage.ts'
import { load, type Expected, type Shot } from './load.ts'
import { writePage } from './page.ts'
import { cpuMs, rssMb } from './process-stat.ts'
import { compareRatios, writeRatios } from './ratios.ts'
import { printReport, type BurstSample, type GarbageSample, type Sample, type Start } from './report.ts'
import { rungs } from './rungs.ts'
import { freePort, startServer, type ServerProcess } from './server-process.ts'
import { settle } from './settling.ts'
import { streamedReply } from './streamed-reply.ts'
import { startUpstream } from './upstream.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    duration: { type: 'string', default: '5' },
    'warm-up': { type: 'string', default: '1' },
    settle: { type: 'string', default: '15' },
    starts: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    modes: { type: 'string', default: 'json,stream,single' },
    concurrency: { type: 'string', default: '1,32,256' },
    parts: { type: 'string', default: 'start,load,garbage,burst,decision' },
    'events-per-write': { type: 'string', default: '8' },
    'gap-microseconds': { type: 'string', default: '100' },
    portkey: { type: 'boolean', default: false },
    surfaces: { type: 'boolean', default: false },
    telemetry: { type: 'boolean', default: false },
    ladder: { type: 'boolean', default: false },
    against: { type: 'string', default: '' },
    peers: { type: 'string', multiple: true, default: [] },
    page: { type: 'boolean', default: false },
    ratios: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
})
const before = values.against && earlierBuild(values.against)
const rounds = Number(values.rounds)
const seconds = Number(values.duration)
const warmUpSeconds = Number(values['warm-up'])
const settleSeconds = Number(values.settle)
const modes = listed(values.modes) as Mode[]
const concurrencies = listed(values.concurrency).map(Number)
const parts = new Set(listed(values.parts))
const deltas = 200
const burstConnections = 256
const garbageConcurrency = 32

const peers = new Map(values.peers.map(peerOf))
const allNames: readonly ContenderName[] = [
  'none',
  'bare',
  'minimal',
  ...(values.ladder ? Object.keys(rungs) : []),
  ...(values.against ? ['before'] : []),
  'turnpike',
  ...(values.surfaces ? ['chat'] : []),
  ...(values.telemetry ? ['telemetry'] : []),
  ...(values.portkey ? ['portkey'] : []),
  ...peers.keys(),
]
const only = listed(values.only)
const names = only.length > 0 ? allNames.filter(name => only.includes(name) || name === 'before' || peers.has(name)) : allNames

/** The gateway has a core to itself. Everything else shares the other one. */
const driverCore = 0
const gatewayCore = 1

interface Running {
  readonly contender: Contender
  readonly server: ServerProcess | undefined
  readonly shots: ReadonlyMap<Mode, { readonly shot: Shot; readonly expected: Expected }>
}

checkNames()
if (cpus().length < 2) throw new Error('The benchmark needs two cores.')
execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${driverCore}`, `${process.pid}`], { stdio: 'ignore' })

const upstream = await startUpstream({
  reply: streamedReply('openai-chat', deltas),
  eventsPerWrite: Number(values['events-per-write']),
  gapMicroseconds: Number(values['gap-microseconds']),
  core: driverCore,
})
const running: Running[] = []
const starts: Start[] = []
const samples: Sample[] = []
const garbage: GarbageSample[] = []
const bursts: BurstSample[] = []
let decision: DecisionLatency | undefined
try {
  for (const name of names) running.push(await launch(name))
  if (parts.has('load') || parts.has('garbage') || parts.has('burst')) await warmUp()
  // Each round visits everything once, so that a disturbance affects all contenders.
  for (let round = 0; round < rounds; round++) {
    if (parts.has('load'))
      for (const mode of modes)
        for (const concurrency of concurrencies)
          for (const one of running) if (one.shots.has(mode)) samples.push(await measure(one, mode, concurrency, round))
    for (const one of running) {
      if (parts.has('garbage')) garbage.push(...(await collect(one, round)))
      if (parts.has('burst')) bursts.push(...(await openAtOnce(one, round)))
    }
  }
} finally {
  for (const { server } of running) await server?.stop()
  upstream.stop()
}
if (parts.has('decision') && names.includes('turnpike')) decision = await decisionLatency(gatewayCore)

const environment = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  loadAverage: loadavg(),
  commit: execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8', cwd: import.meta.dirname }).trim(),
}
const report = printReport({ samples, starts, garbage, bursts, decision }, { deltas })
const result = { environment, options: values, ...report, starts, samples, garbage, bursts, decision }
const folder = fileURLToPath(new URL('results/', import.meta.url))
mkdirSync(folder, { recursive: true })
const file = `${folder}${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`
writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`)
console.log(`\n${file}`)
if (values.ratios) writeRatios(report.verdicts)
if (values.page) writePage(result)
if (values.check) process.exitCode = compareRatios(report.verdicts) ? 0 : 1

/** Starts a contender several times to measure the time to its first reply, and then once more to stay. */
async function launch(name: ContenderName): Promise<Running> {
  const port = await freePort()
  const found = contender(name, port, upstream.origin, { before, peers })
  const origin = found.command ? `http://127.0.0.1:${port}` : upstream.origin
  const ready = shot(found, origin, 'json')
  let server: ServerProcess | undefined
  if (found.command) {
    if (parts.has('start') && !(name in rungs)) starts.push(await timeStarts(found, shot(found, origin, found.modes[0]!)))
    server = await startServer(watched(found), gatewayCore, found.modes.includes('json') ? ready : shot(found, origin, found.modes[0]!))
  }
  const shots = new Map<Mode, { shot: Shot; expected: Expected }>()
  for (const mode of found.modes.filter(mode => modes.includes(mode))) {
    const aimed = shot(found, origin, mode)
    const expected = await expectation(aimed, marker(found, mode), mode === 'json' ? 0 : deltas, `${name} ${mode}`)
    shots.set(mode, { shot: aimed, expected })
  }
  return { contender: found, server, shots }
}

async function timeStarts({ name, command }: Contender, ready: Shot): Promise<Start> {
  const firstReplyMs: number[] = []
  const idleRssMb: number[] = []
  for (let start = 0; start < Number(values.starts); start++) {
    const server = await startServer(command!, gatewayCore, ready)
    firstReplyMs.push(server.firstReplyMs)
    // Long enough for what a start leaves to be done.
    await sleep(2000)
    idleRssMb.push(rssMb(server.pid))
    await server.stop()
  }
  return { name, firstReplyMs, idleRssMb }
}

/** With the module that reports garbage, if it runs on Node.js. */
function watched({ command }: Contender): NonNullable<Contender['command']> {
  if (command!.shell !== undefined || !parts.has('garbage')) return command!
  const preload = fileURLToPath(new URL('garbage-on-message.js', import.meta.url))
  return { ...command!, nodeArguments: ['--import', preload, ...command!.nodeArguments], ipc: true }
}

async function warmUp(): Promise<void> {
  if (settleSeconds <= 0) return
  for (const { contender, server, shots } of running)
    if (server)
      for (const [mode, { shot, expected }] of shots)
        await settle(server.pid, shot, expected, settleSeconds, driverCore, `${contender.name} ${mode}`)
}

async function measure({ contender, server, shots }: Running, mode: Mode, concurrency: number, round: number): Promise<Sample> {
  const { shot, expected } = shots.get(mode)!
  const pid = server?.pid ?? upstream.pid
  if (warmUpSeconds > 0) await load(shot, expected, concurrency, warmUpSeconds, driverCore)
  const cpuBeforeMs = cpuMs(pid)
  const result = await load(shot, expected, concurrency, seconds, driverCore)
  const usedMs = cpuMs(pid) - cpuBeforeMs
  const sample: Sample = {
    name: contender.name,
    mode,
    concurrency,
    round,
    cpuPerRequestUs: (usedMs * 1000) / result.good,
    requestsPerSecond: (result.good * 1000) / result.durationMs,
    busy: usedMs / result.durationMs,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    rssMb: rssMb(pid),
    requests: result.good,
    bytesPerReply: result.bytes / result.good,
    bad: result.bad + result.socketErrors,
    complaint: result.complaint,
  }
  console.error(
    `round ${round + 1} ${mode} c=${concurrency} ${contender.name}: ${sample.cpuPerRequestUs.toFixed(0)} µs/request, ${sample.requestsPerSecond.toFixed(0)}/s, ` +
      `${(sample.busy * 100).toFixed(0)}% busy${sample.bad > 0 ? `, ${sample.bad} BAD ${sample.complaint}` : ''}`,
  )
  return sample
}

async function collect({ contender: { name, command }, server, shots }: Running, round: number): Promise<readonly GarbageSample[]> {
  const found: GarbageSample[] = []
  if (!server || command?.shell !== undefined) return found
  const how = { concurrency: garbageConcurrency, seconds: Math.min(seconds, 3), core: driverCore }
  for (const [mode, { shot, expected }] of shots)
    found.push({ name, mode, round, ...(await garbagePerRequest(server, shot, expected, how)) })
  return found
}

async function openAtOnce({ contender: { name }, server, shots }: Running, round: number): Promise<readonly BurstSample[]> {
  const json = shots.get('json')
  if (!server || !json || name in rungs) return []
  const sample = { name, round, ...(await burst(json.shot, json.expected, burstConnections, driverCore)) }
  console.error(`round ${round + 1} burst ${name}: slowest ${sample.slowestMs.toFixed(0)} ms, median ${sample.medianMs.toFixed(0)} ms`)
  return [sample]
}

function listed(text: string): readonly string[] {
  return text.split(',').filter(Boolean)
}

function peerOf(text: string): readonly [name: string, command: string] {
  const [, name, command] = /^([\w.-]+)=(.+)$/s.exec(text) ?? []
  if (name === undefined || command === undefined)
    throw new Error(
      `--peers ${text}: expected "name=command", where {port} in the command is the port to listen on and {upstream} the upstream.`,
    )
  return [name, command]
}

function checkNames(): void {
  const known: Readonly<Record<string, readonly string[]>> = {
    '--modes': ['json', 'stream', 'single'],
    '--parts': ['start', 'load', 'garbage', 'burst', 'decision'],
    '--only': allNames,
  }
  for (const [option, given] of Object.entries({ '--modes': modes, '--parts': [...parts], '--only': only }))
    for (const name of given)
      if (!known[option]!.includes(name)) throw new Error(`${option} does not know "${name}". Expected ${known[option]!.join(', ')}.`)
  for (const [option, number] of Object.entries({
    '--rounds': rounds,
    '--duration': seconds,
    '--warm-up': warmUpSeconds,
    '--settle': settleSeconds,
  }))
    if (!(number >= 0)) throw new Error(`${option} must be a number of 0 or more.`)
}
