import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../core/index.ts'
import { LiveMetrics, type AttemptSample } from '../core/stores.ts'

// What recording an attempt costs, what reading windows costs, and how much memory a history takes.

const minuteMs = 60_000
const quarterMs = 15 * minuteMs
const hourMs = 60 * minuteMs

class VirtualClock implements Clock {
  ms = Date.UTC(2026, 0, 1)

  now(): number {
    return this.ms
  }

  elapsed(): number {
    return this.ms
  }
}

function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random())
}

const samples = Array.from({ length: 4_096 }, () => {
  const latencyMs = 400 * Math.exp(0.6 * normal())
  return { latencyMs, totalMs: latencyMs + 4_000 * Math.exp(0.6 * normal()), outputTokens: Math.round(300 * Math.exp(normal())) }
})

let turn = 0
function sampleAt(at: number, model: string): AttemptSample {
  return { provider: 'acme', model, listed: true, at, outcome: 'ok', inputTokens: 1_000, ...samples[turn++ % samples.length]! }
}

/** Records `perStep` attempts at each of `endpoints` every `stepMs`. */
function fill(metrics: LiveMetrics, clock: VirtualClock, endpoints: number, steps: number, stepMs: number, perStep: number): void {
  const models = Array.from({ length: endpoints }, (_, index) => `model-${index}`)
  for (let step = 0; step < steps; step++) {
    for (const model of models) for (let count = 0; count < perStep; count++) metrics.record(sampleAt(clock.ms, model))
    clock.ms += stepMs
  }
}

async function memoryMb(): Promise<number> {
  // Array buffers are freed in the background.
  for (let round = 0; round < 4; round++) {
    globalThis.gc!()
    await setTimeout(50)
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return (heapUsed + Math.max(external, arrayBuffers)) / 1e6
}

interface Phase {
  readonly steps: number
  readonly stepMs: number
  readonly perStep: number
}

async function reportMemory(title: string, endpoints: number, phases: readonly Phase[]): Promise<void> {
  const before = await memoryMb()
  const clock = new VirtualClock()
  const metrics = new LiveMetrics(clock)
  for (const { steps, stepMs, perStep } of phases) fill(metrics, clock, endpoints, steps, stepMs, perStep)
  console.log(`${title}: ${((await memoryMb()) - before).toFixed(1)} MB`)
  metrics.record(sampleAt(clock.ms, 'last'))
}

function reportTime(title: string, times: number, work: () => void): void {
  const rounds = Array.from({ length: 9 }, () => {
    const begin = performance.now()
    for (let count = 0; count < times; count++) work()
    return ((performance.now() - begin) * 1000) / times
  })
  console.log(`${title}: ${rounds.toSorted((a, b) => a - b)[4]!.toFixed(2)} µs`)
}

const clock = new VirtualClock()
const metrics = new LiveMetrics(clock)
const names = Array.from({ length: 1_000 }, (_, index) => `model-${index}`)
const read = (model: string, intervalMs: number): number => {
  const window = metrics.window('acme', model, intervalMs)
  return (window.latencyMs(0.5) ?? 0) + (window.throughput ?? 0) + (window.uptime ?? 0)
}
fill(metrics, clock, 1_000, 30, minuteMs, 20)
for (const name of names) read(name, quarterMs)
reportTime('recording an attempt', 100_000, () => {
  clock.ms += 1
  metrics.record(sampleAt(clock.ms, 'model-1'))
})
reportTime('reading 20 windows of 15 minutes, one of them new', 10_000, () => {
  metrics.record(sampleAt(clock.ms, 'model-1'))
  for (let index = 0; index < 20; index++) read(names[index]!, quarterMs)
})
reportTime('reading 1,000 windows of 15 minutes', 100, () => {
  for (const name of names) read(name, quarterMs)
})
let interval = 20
reportTime('reading the window of an hour of 20 endpoints for the first time', 30, () => {
  for (let index = 0; index < 20; index++) read(names[index]!, interval * minuteMs)
  interval++
})
if (process.argv.includes('--memory')) {
  await reportMemory('a day of minutes of 100 endpoints', 100, [{ steps: 24 * 60, stepMs: minuteMs, perStep: 100 }])
  await reportMemory('a year of roll-ups of 100 endpoints, a tenth of the limit', 100, [
    { steps: 357, stepMs: 24 * hourMs, perStep: 60 },
    { steps: 8 * 24, stepMs: hourMs, perStep: 10 },
  ])
}
