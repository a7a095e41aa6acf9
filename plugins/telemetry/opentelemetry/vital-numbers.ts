import type { VitalSigns } from '../../../core/kit.ts'
import { names } from './names.ts'
import type { Numbers } from './numbers.ts'

const circuitStates = { closed: 0, 'half-open': 1, open: 2 } as const

/** How the process is doing at the moment. */
export function vitalNumbers({ load, streams, providers, eventLoop, memory, stores, sinks }: VitalSigns): readonly Numbers[] {
  const queues = providers.flatMap(({ id, queue }) => (queue ? [{ labels: [[names.ownProvider, id]] as const, queue }] : []))
  const circuits = providers.flatMap(({ id, circuits: of }) =>
    of.map(({ model, state }) => [[[names.ownProvider, id] as const, [names.model, model] as const], circuitStates[state]] as const),
  )
  const ofStores = (value: (store: (typeof stores)[number]) => number): Numbers['points'] =>
    stores.map(store => [[[names.store, store.service]], value(store)])
  const ofSinks = (value: (sink: (typeof sinks)[number]) => number): Numbers['points'] =>
    sinks.map(sink => [[[names.sink, sink.sink]], value(sink)])
  return [
    one('turnpike.requests.active', '{request}', 'Requests to models in progress.', load.requests),
    one('turnpike.streams.open', '{stream}', 'Streamed replies that their clients have not read to the end.', streams),
    one('turnpike.connections.open', '{connection}', 'Connections that plugins keep, such as those over WebSocket.', load.connections),
    one('turnpike.answers.memory', 'By', 'Memory of answers in progress.', load.answerBytes),
    one('turnpike.bodies.memory', 'By', 'Size of request bodies in memory, except small ones.', load.bodyBytes),
    {
      name: 'turnpike.provider.requests.running',
      unit: '{request}',
      about: 'Requests that run at a provider with maxConcurrent.',
      points: queues.map(({ labels, queue }) => [labels, queue.running]),
    },
    {
      name: 'turnpike.provider.requests.waiting',
      unit: '{request}',
      about: 'Requests that wait for a provider with maxConcurrent.',
      points: queues.map(({ labels, queue }) => [labels, queue.waiting]),
    },
    {
      name: 'turnpike.circuit.state',
      unit: '1',
      about: 'Circuit of an endpoint that failed recently: 0 closed, 1 half-open, 2 open. The model * is the whole provider.',
      points: circuits,
    },
    {
      name: 'turnpike.credentials.resting',
      unit: '{credential}',
      about: 'Keys of a provider that are set aside for a while.',
      points: providers.map(({ id, credentials }) => [
        [[names.ownProvider, id]],
        credentials.filter(({ restsForMs }) => restsForMs > 0).length,
      ]),
    },
    one('nodejs.eventloop.delay.mean', 's', 'Mean delay of the event loop in the last minute.', eventLoop.meanMs / 1_000),
    one('nodejs.eventloop.delay.p99', 's', 'Worst 99th percentile of the delay of the event loop in ten seconds.', eventLoop.p99Ms / 1_000),
    one('nodejs.eventloop.delay.max', 's', 'Longest delay of the event loop in the last minute.', eventLoop.maxMs / 1_000),
    one('process.memory.usage', 'By', 'Memory of the process.', memory.rssBytes),
    one('turnpike.heap.used', 'By', 'Memory of the heap that is in use.', memory.heapUsedBytes),
    total(
      'turnpike.store.calls',
      '{call}',
      'Calls of a store.',
      ofStores(({ calls }) => calls),
    ),
    total(
      'turnpike.store.failures',
      '{call}',
      'Calls of a store that failed.',
      ofStores(({ failed }) => failed),
    ),
    total(
      'turnpike.store.time',
      's',
      'Time that calls of a store took.',
      ofStores(({ totalMs }) => totalMs / 1_000),
    ),
    {
      name: 'turnpike.records.waiting',
      unit: '{record}',
      about: 'Records that wait for a log sink.',
      points: ofSinks(({ waiting }) => waiting),
    },
    total(
      'turnpike.records.lost',
      '{record}',
      'Records that a log sink did not get.',
      ofSinks(({ dropped, failed }) => dropped + failed),
    ),
  ]
}

function one(name: string, unit: string, about: string, value: number): Numbers {
  return { name, unit, about, points: [[[], value]] }
}

function total(name: string, unit: string, about: string, points: Numbers['points']): Numbers {
  return { name, unit, about, isTotal: true, points }
}
