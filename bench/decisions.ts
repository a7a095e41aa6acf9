// What the gateway adds to a decision: 20 questions over 8 kB of state, one at a time, compared with a bare forwarder and no gateway.
import { decisionLatency } from './decision-latency.ts'

const core = 1
const addedLimitMs = 0.35

const { requestBytes, replyBytes, requests, contenders, addedMs, beyondBareMs } = await decisionLatency(core)
console.log(`${requestBytes} bytes of request, ${replyBytes} of reply; ${requests} each, in turns of 50`)
for (const { name, p50Ms, p90Ms, p99Ms, cpuMs } of contenders) {
  const cpu = cpuMs === undefined ? '' : `  CPU a request ${ms(cpuMs)}`
  console.log(`${name.padEnd(10)} p50 ${ms(p50Ms)}  p90 ${ms(p90Ms)}  p99 ${ms(p99Ms)}${cpu}`)
}
console.log(
  `added at p50: ${ms(addedMs)} to no gateway, ${ms(beyondBareMs)} to the bare forwarder; the target is ${addedLimitMs} ms to no gateway`,
)
process.exitCode = addedMs <= addedLimitMs ? 0 : 1

function ms(value: number): string {
  return `${value.toFixed(3)} ms`
}
