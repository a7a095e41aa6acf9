import type { CircuitView } from '../../contracts/circuits.ts'
import type { Gauges } from '../../contracts/coordination.ts'
import type { ProviderState } from '../../contracts/provider-state.ts'

type Queue = NonNullable<ProviderState['queue']>

/** The gauges of providers that a process sends to the others: its queues, and the listed endpoints that failed lately. */
export function providerGauges(states: readonly ProviderState[], failing: readonly CircuitView[]): Gauges {
  const gauges: Record<string, number> = {}
  for (const { id, queue } of states) {
    if (queue && queue.running > 0) gauges[runningAt(id)] = queue.running
    if (queue && queue.waiting > 0) gauges[waitingFor(id)] = queue.waiting
  }
  for (const { provider, model } of failing) gauges[`${failingAt(provider)}${model}`] = 1
  return gauges
}

/** The state of a provider in all processes together. `state` is that of this one, whose gauges are among those of `all`. */
export function stateInAll(state: ProviderState, all: readonly Gauges[]): ProviderState {
  const { id, circuits, queue } = state
  const known = new Set(circuits.map(({ model }) => model))
  const prefix = failingAt(id)
  const elsewhere = new Set(all.flatMap(gauges => Object.keys(gauges)).filter(name => name.startsWith(prefix)))
  const others = Array.from(elsewhere, name => name.slice(prefix.length)).filter(model => !known.has(model))
  return {
    ...state,
    // One that is open is so in all processes. Of the others, this one only knows that they failed lately.
    circuits: [...circuits, ...others.map(model => ({ model, state: 'closed' as const, openForMs: 0 }))],
    ...(queue && { queue: queueInAll(id, queue, all) }),
  }
}

/** The limit is that of all together. Each process lets as many wait. */
function queueInAll(id: string, { maxConcurrent, maxQueued }: Queue, all: readonly Gauges[]): Queue {
  return { running: sum(all, runningAt(id)), waiting: sum(all, waitingFor(id)), maxConcurrent, maxQueued: maxQueued * all.length }
}

function runningAt(provider: string): string {
  return `running:${provider}`
}

function waitingFor(provider: string): string {
  return `waiting:${provider}`
}

/** No id of a provider has a slash. */
function failingAt(provider: string): string {
  return `failing:${provider}/`
}

function sum(all: readonly Gauges[], name: string): number {
  return all.reduce((total, gauges) => total + (gauges[name] ?? 0), 0)
}
