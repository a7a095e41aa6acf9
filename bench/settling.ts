import { load, type Expected, type Shot } from './load.ts'
import { cpuMs } from './process-stat.ts'
import { rounded } from './statistics.ts'

const stepSeconds = 3
const concurrency = 32
const lastSteps = 3
/** Gains below this are noise. */
const leastGain = 0.05
const maxSeconds = 60

/**
 * Loads a server until V8 has optimized it: until three steps bring nothing more. A gateway needs 15 to 20 seconds,
 * in which a request gets twice as cheap.
 */
export async function settle(pid: number, shot: Shot, expected: Expected, leastSeconds: number, core: number, what: string): Promise<void> {
  const costsUs: number[] = []
  for (let seconds = stepSeconds; seconds <= Math.max(maxSeconds, leastSeconds); seconds += stepSeconds) {
    const beforeMs = cpuMs(pid)
    const { good } = await load(shot, expected, concurrency, stepSeconds, core)
    costsUs.push(good === 0 ? Infinity : ((cpuMs(pid) - beforeMs) * 1000) / good)
    const best = Math.min(...costsUs.slice(-lastSteps))
    const earlier = Math.min(...costsUs.slice(0, -lastSteps))
    if (seconds >= leastSeconds && best >= earlier * (1 - leastGain)) break
  }
  console.error(`warm-up ${what}: ${costsUs.map(cost => rounded(cost, 0)).join(' → ')} µs/request`)
}
