import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import pTimeout from 'p-timeout'
import { CallObservers, Clock, definePlugin, LogSinks, PluginError, type LogSink } from '../../../core/index.ts'
import { Vitals } from '../../../core/kit.ts'
import { ContentSink } from './content-sink.ts'
import { conventions } from './conventions.ts'
import { Delivery } from './delivery.ts'
import { Losses } from './losses.ts'
import { Meters } from './meters.ts'
import { MetricExport } from './metric-export.ts'
import { options } from './options.ts'
import { Outbox } from './outbox.ts'
import { resourceOf } from './resource.ts'
import { Sampling } from './sampling.ts'
import type { Signal } from './signals.ts'
import { Telemetry } from './telemetry.ts'
import { Envelope } from './wire/envelope.ts'

const batchBytes = 512 * 1024

/** Sends traces, metrics and log records to a collector of OpenTelemetry: docs/telemetry.md. */
export default definePlugin({
  name: 'opentelemetry',
  options,
  needs: { clock: Clock, vitals: Vitals },
  contracts: { CallObservers: 1 },
  instance: nameOf,
  setup(gateway, given, { clock, vitals }) {
    const { signals, content, zdr, hipaa, compression, timeoutMs, delayMs, metricIntervalMs, flushMs } = given
    const isOn = (signal: Signal): boolean => signals.includes(signal)
    if (content && !(isOn('traces') && isOn('logs')))
      throw new PluginError(gateway.name, 'has content: true, which needs traces and logs in `signals`. Add them, or leave out content')
    const { version } = createRequire(import.meta.url)('turnpike/package.json') as { readonly version: string }
    const resource = resourceOf({ serviceName: given.serviceName, version, attributes: given.resource })
    const envelope = new Envelope(resource, 'turnpike', version)
    const meters = new Meters(conventions[given.conventions], clock.now())
    const deliveries: Delivery[] = []
    const allLosses: Losses[] = []
    const waysOf = (signal: Signal): readonly [Delivery, Losses] => {
      const losses = new Losses(gateway.log, signal, (lossy, items) => meters.dropped(lossy, items))
      const url = given.urls[signal] ?? `${given.endpoint.replace(/\/+$/, '')}/v1/${signal}`
      const headers = checkedHeaders({ ...given.headers, ...given.signalHeaders[signal] }, gateway.name)
      const delivery = new Delivery(gateway.http, { url, headers, compression, timeoutMs }, envelope, losses)
      deliveries.push(delivery)
      allLosses.push(losses)
      return [delivery, losses]
    }
    const maxWaitingBytes = given.maxQueueMegabytes * 1024 * 1024
    const outboxOf = (signal: Signal): Outbox | undefined =>
      isOn(signal) ? new Outbox(...waysOf(signal), { batchBytes, delayMs, maxWaitingBytes }) : undefined
    const traces = outboxOf('traces')
    const logs = outboxOf('logs')
    const metrics = isOn('metrics') ? new MetricExport(meters, waysOf('metrics')[0], { clock, vitals }, metricIntervalMs) : undefined
    const sink = content ? new ContentSink(logs!, meters.conventions) : undefined
    const telemetry = new Telemetry({
      sampling: new Sampling(given.sampling),
      meters,
      traces,
      logs,
      logsAll: given.requestLogs === 'all',
      propagates: given.propagate && traces !== undefined,
      accounts: given.accounts,
      finished: sink && ((id, trace) => sink.finished(id, trace)),
    })
    const name = gateway.name
    gateway.add(CallObservers, {
      name,
      begin: (call, earlier) => telemetry.begin(call, earlier),
      closed: (request, observation) => telemetry.closed(request, observation),
    })
    if (sink) {
      const seesContent: LogSink['seesContent'] = { zdr: zdr ?? false, hipaa: hipaa ?? false }
      gateway.add(LogSinks, { name, accepts: 'content', seesContent, write: batch => sink.write(batch) })
    }
    gateway.onStart(() => metrics?.start())
    gateway.onStop(async () => {
      for (const delivery of deliveries) delivery.hurry()
      const timer = setTimeout(() => deliveries.forEach(delivery => delivery.stop()), flushMs)
      const flushing = Promise.all([traces?.flush(), logs?.flush()])
      // The metrics say what of these was lost, unless it takes too long.
      await pTimeout(flushing, { milliseconds: flushMs / 2 || 1, message: false })
      await Promise.all([flushing, metrics?.flush()])
      clearTimeout(timer)
      for (const losses of allLosses) losses.tell()
    })
  },
})

/** The name is in logs. The path is not: vendors let it be a token. */
function nameOf({ endpoint }: { readonly endpoint: string }): string {
  const { host, pathname } = new URL(endpoint)
  const path = pathname.replace(/\/+$/, '')
  return path ? `${host}#${hash('sha256', path).slice(0, 6)}` : host
}

/** With names in lower case. A value that no header may have is named, not quoted. */
function checkedHeaders(headers: Readonly<Record<string, string>>, plugin: string): Readonly<Record<string, string>> {
  const checked = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    try {
      checked.set(name, value)
    } catch {
      throw new PluginError(
        plugin,
        `has a header ${JSON.stringify(name)} that cannot be sent: expected a name and a value of printable characters`,
      )
    }
  }
  return Object.fromEntries(checked)
}
