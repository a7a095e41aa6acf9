import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { contender, marker, shot, type Contender, type ContenderName, type Mode } from './contenders.ts'
import { expectation } from './expectation.ts'
import { load, type Expected, type Shot } from './load.ts'
import { cpuMs, rssMb } from './process-stat.ts'
import { printReport, type Sample, type Start } from './report.ts'
import { freePort, startServer, type ServerProcess } from './server-process.ts'
import { streamedReply } from './streamed-reply.ts'
import { startUpstream } from './upstream.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    duration: { type: 'string', default: '5' },
    'warm-up': { type: 'string', default: '1' },
    starts: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    modes: { type: 'string', default: 'json,stream' },
    concurrency: { type: 'string', default: '1,32,256' },
    'events-per-write': { type: 'string', default: '8' },
    'gap-microseconds': { type: 'string', default: '100' },
    portkey: { type: 'boolean', default: false },
    against: { type: 'string', default: '' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.duration)
const warmUpSeconds = Number(values['warm-up'])
const modes = values.modes.split(',') as Mode[]
const concurrencies = values.concurrency.split(',').map(Number)
const deltas = 200

const allNames: readonly ContenderName[] = [
  'none',
  'bare',
  'minimal',
  ...(values.against ? (['before'] as const) : []),
  'turnpike',
  ...(values.portkey ? (['portkey'] as const) : []),
]
const only = values.only.split(',').filter(Boolean)
const names = only.length > 0 ? allNames.filter(name => only.includes(name) || name === 'before') : allNames

/** The gateway has a core to itself. Everything else shares the other one. */
const driverCore = 0
const gatewayCore = 1

interface Running {
  readonly contender: Contender
  readonly server: ServerProcess | undefined
  readonly shots: ReadonlyMap<Mode, { readonly shot: Shot; readonly expected: Expected }>
}

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
try {
  for (const name of names) running.push(await launch(name))
  for (let round = 0; round < rounds; round++)
    for (const mode of modes)
      for (const concurrency of concurrencies)
        for (const one of running) if (one.contender.modes.includes(mode)) samples.push(await measure(one, mode, concurrency, round))
} finally {
  for (const { server } of running) await server?.stop()
  upstream.stop()
}

const report = printReport(samples, starts, { deltas })
const folder = fileURLToPath(new URL('results/', import.meta.url))
mkdirSync(folder, { recursive: true })
const file = `${folder}${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`
const environment = {
  node: process.version,
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  loadAverage: loadavg(),
  commit: execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim(),
}
writeFileSync(file, `${JSON.stringify({ environment, options: values, ...report, starts, samples }, undefined, 2)}\n`)
console.log(`\n${file}`)

/** Starts a contender several times to measure the time to its first reply, and keeps the last one running. */
async function launch(name: ContenderName): Promise<Running> {
  const port = await freePort()
  const found = contender(name, port, upstream.origin, values.against)
  const origin = found.command ? `http://127.0.0.1:${port}` : upstream.origin
  const ready = shot(found, origin, found.modes[0]!)
  let server: ServerProcess | undefined
  if (found.command) {
    const firstReplyMs: number[] = []
    for (let start = 0; start < Number(values.starts); start++) {
      await server?.stop()
      server = await startServer(found.command, gatewayCore, ready)
      firstReplyMs.push(server.firstReplyMs)
    }
    await sleep(2000)
    starts.push({ name, firstReplyMs, idleRssMb: rssMb(server!.pid) })
  }
  const shots = new Map<Mode, { shot: Shot; expected: Expected }>()
  for (const mode of found.modes) {
    const aimed = shot(found, origin, mode)
    shots.set(mode, {
      shot: aimed,
      expected: await expectation(aimed, marker(found, mode), mode === 'stream' ? deltas : 0, `${name} ${mode}`),
    })
  }
  return { contender: found, server, shots }
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
