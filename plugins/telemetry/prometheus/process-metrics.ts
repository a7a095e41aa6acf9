import { createRequire } from 'node:module'
import type { ProviderState } from '../../../core/admin.ts'
import type { VitalSigns } from '../../../core/kit.ts'
import type { Endpoints } from './endpoints.ts'
import type { Labels, Metric, Sample } from './metric.ts'

const { version } = createRequire(import.meta.url)('turnpike/package.json') as { readonly version: string }
const startSeconds = Date.now() / 1000 - process.uptime()
const all: Labels = {}
/** The model of a circuit that stands for a whole provider. */
const whole = '*'
const states = { closed: 0, 'half-open': 1, open: 2 } as const

/** The metrics of a process at one moment. */
export function processMetrics(signs: VitalSigns, endpoints: Endpoints): readonly Metric[] {
  const { load, streams, eventLoop, memory, stores, sinks } = signs
  const queues = signs.providers.flatMap(({ id, queue }) => (queue ? [{ labels: { provider: id }, queue }] : []))
  return [
    gauge('turnpike_build_info', 'The version of Turnpike and of Node.js; always 1.', [
      { labels: { version, node: process.versions.node }, value: 1 },
    ]),
    gauge('turnpike_requests_in_progress', 'Requests to models in progress.', load.requests),
    gauge('turnpike_open_streams', 'Streamed replies that their clients have not read to the end.', streams),
    gauge('turnpike_connections', 'Connections that plugins keep, such as those over WebSocket.', load.connections),
    gauge('turnpike_answer_memory_bytes', 'Memory of answers in progress, and what is kept between requests.', load.answerBytes),
    gauge('turnpike_body_memory_bytes', 'Size of the request bodies that are being read or answered, except small ones.', load.bodyBytes),
    gauge(
      'turnpike_circuit_state',
      'Circuit of an endpoint: 0 closed, 1 half-open, 2 open. Model * is the whole provider.',
      circuits(signs, endpoints),
    ),
    gauge('turnpike_credentials_resting', 'Keys of a provider that are set aside for a while.', signs.providers.map(resting)),
    gauge('turnpike_credentials', 'Keys of a provider.', signs.providers.map(credentials)),
    gauge(
      'turnpike_provider_requests_running',
      'Requests that run at a provider with maxConcurrent.',
      queues.map(({ labels, queue }) => ({ labels, value: queue.running })),
    ),
    gauge(
      'turnpike_provider_requests_limit',
      'The maxConcurrent of a provider.',
      queues.map(({ labels, queue }) => ({ labels, value: queue.maxConcurrent })),
    ),
    gauge(
      'turnpike_queue_length',
      'Requests that wait for a provider with maxConcurrent.',
      queues.map(({ labels, queue }) => ({ labels, value: queue.waiting })),
    ),
    gauge(
      'turnpike_queue_limit',
      'The maxQueued of a provider.',
      queues.map(({ labels, queue }) => ({ labels, value: queue.maxQueued })),
    ),
    gauge('turnpike_event_loop_delay_mean_seconds', 'Mean delay of the event loop in the last minute.', eventLoop.meanMs / 1000),
    gauge(
      'turnpike_event_loop_delay_p99_seconds',
      'Worst 99th percentile of the delay of the event loop in ten seconds of the last minute.',
      eventLoop.p99Ms / 1000,
    ),
    gauge('turnpike_event_loop_delay_max_seconds', 'Longest delay of the event loop in the last minute.', eventLoop.maxMs / 1000),
    {
      name: 'turnpike_store_duration_seconds',
      help: 'Time that calls of a store took.',
      type: 'summary',
      values: stores.flatMap(({ service, calls, totalMs }) => [
        { metricName: 'turnpike_store_duration_seconds_sum', labels: { store: service }, value: totalMs / 1000 },
        { metricName: 'turnpike_store_duration_seconds_count', labels: { store: service }, value: calls },
      ]),
    },
    counter(
      'turnpike_store_errors_total',
      'Calls of a store that failed.',
      stores.map(({ service, failed }) => ({ labels: { store: service }, value: failed })),
    ),
    gauge(
      'turnpike_records_waiting',
      'Records that wait for a log sink.',
      sinks.map(({ sink, waiting }) => ({ labels: { sink }, value: waiting })),
    ),
    counter(
      'turnpike_records_dropped_total',
      'Records that a log sink lost: it was too slow, or failed to write them.',
      sinks.flatMap(({ sink, dropped, failed }) => [
        { labels: { sink, reason: 'slow' }, value: dropped },
        { labels: { sink, reason: 'failed' }, value: failed },
      ]),
    ),
    counter(
      'turnpike_record_contents_dropped_total',
      'Records of which a slow log sink lost only the content.',
      sinks.map(({ sink, contentsDropped }) => ({ labels: { sink }, value: contentsDropped })),
    ),
    counter('process_cpu_seconds_total', 'Processor time of the process, of user and system.', [{ labels: all, value: cpuSeconds() }]),
    gauge('process_start_time_seconds', 'Start of the process since the epoch.', startSeconds),
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', memory.rssBytes),
    gauge('nodejs_heap_size_used_bytes', 'Heap of V8 that is in use.', memory.heapUsedBytes),
    gauge('nodejs_heap_size_total_bytes', 'Heap of V8.', memory.heapTotalBytes),
    gauge('nodejs_external_memory_bytes', 'Memory of objects outside the heap, such as buffers.', memory.externalBytes),
  ]
}

/** Endpoints in use have a series while their circuits are closed, too. Those without a series share one, which has the worst state. */
function circuits({ providers }: VitalSigns, endpoints: Endpoints): readonly Sample[] {
  const found = new Map(endpoints.all().map(each => [each, 0]))
  const wholes = new Map<string, number>()
  for (const { id, circuits } of providers)
    for (const { model, state } of circuits) {
      if (model === whole) wholes.set(id, states[state])
      else {
        const endpoint = endpoints.of(id, model)
        found.set(endpoint, Math.max(found.get(endpoint) ?? 0, states[state]))
      }
    }
  return [
    ...Array.from(found, ([{ provider, model }, value]) => ({ labels: { provider, model }, value })),
    ...Array.from(wholes, ([provider, value]) => ({ labels: { provider, model: whole }, value })),
  ]
}

function resting({ id, credentials }: ProviderState): Sample {
  return { labels: { provider: id }, value: credentials.filter(({ restsForMs }) => restsForMs > 0).length }
}

function credentials({ id, credentials }: ProviderState): Sample {
  return { labels: { provider: id }, value: credentials.length }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function gauge(name: string, help: string, values: number | readonly Sample[]): Metric {
  return { name, help, type: 'gauge', values: typeof values === 'number' ? [{ labels: all, value: values }] : values }
}

function counter(name: string, help: string, values: readonly Sample[]): Metric {
  return { name, help, type: 'counter', values }
}
