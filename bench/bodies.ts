import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import decisions from '../plugins/endpoints/decisions/index.ts'
import { hello, listeningGateway, saying } from '../test/kit/gateway.ts'
import { bodyShapes, decisionShapes } from './body-shapes.ts'

// How long hostile request bodies block the event loop.
// node --conditions=turnpike-source bench/bodies.ts [part of a shape's name]

const targetMs = 100
const megabytes = 1024 * 1024
const [wanted = ''] = process.argv.slice(2)

interface Reply {
  readonly bytes: number
  readonly status: number
  readonly answer: string
}

const under = await listeningGateway({ settings: { logLevel: 'silent' }, plugins: [decisions({}), saying('demo', hello)] })
const client = new Worker(new URL('bodies-client.ts', import.meta.url), { workerData: { url: under.url, apiKey: under.apiKey } })
const delay = monitorEventLoopDelay({ resolution: 1 })

const shapes = [...Object.keys(bodyShapes), ...Object.keys(decisionShapes)].filter(shape => shape.includes(wanted))
const rows = []
// On a busy machine other processes delay the loop too. The thread's CPU time is then the better bound.
for (const shape of shapes) {
  client.postMessage(shape)
  await once(client, 'message')
  delay.reset()
  delay.enable()
  const before = process.threadCpuUsage()
  const [{ bytes, status, answer }] = (await once(client, 'message')) as [Reply]
  delay.disable()
  const used = process.threadCpuUsage(before)
  const cpuMs = Math.round((used.user + used.system) / 1e3)
  const heldMs = Math.round(delay.max / 1e6)
  const allowedMs = targetMs * Math.max(1, bytes / (10 * megabytes))
  rows.push({
    shape,
    MB: Math.round(bytes / megabytes),
    status,
    heldMs,
    cpuMs,
    fine: Math.min(heldMs, cpuMs) <= allowedMs,
    answer: messageOf(answer),
  })
}
console.table(rows)
console.log(`Target: at most ${targetMs} ms per 10 MB of body.`)
if (rows.some(({ fine }) => !fine)) process.exitCode = 1
await client.terminate()
await under.stop()

function messageOf(answer: string): string {
  return (/"message":"((?:[^"\\]|\\.)*)/.exec(answer)?.[1] ?? '').slice(0, 90)
}
