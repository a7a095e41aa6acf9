import { monitorEventLoopDelay } from 'node:perf_hooks'

// Preloaded into the gateway under test (--import): for each message, tells the longest stalls of its event loop since the last one.

export interface Stalls {
  /** The longest time between two turns. Other programs on the same core add to it. */
  readonly delayMs: number
  /** The most CPU time of the thread between two turns. Other programs do not count. */
  readonly busyMs: number
}

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
let busyMs = 0
let last = process.threadCpuUsage()
setInterval(() => {
  const { user, system } = process.threadCpuUsage(last)
  busyMs = Math.max(busyMs, (user + system) / 1000)
  last = process.threadCpuUsage()
}, 1).unref()

process.on('message', message => {
  if (message !== 'stalls') return
  process.send!({ delayMs: delay.max / 1e6, busyMs } satisfies Stalls)
  delay.reset()
  busyMs = 0
})
process.channel!.unref()
