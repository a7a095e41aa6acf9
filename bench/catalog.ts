// What the bundled catalog costs a gateway: time and memory until its models are available, each measured in a separate process.
// `node bench/catalog.ts`

import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

const rounds = 5
const probe = fileURLToPath(new URL('catalog-process.ts', import.meta.url))

for (const [title, providers] of [
  ['no provider', []],
  ['openai, anthropic, gemini', ['openai', 'anthropic', 'gemini']],
  ['every provider of the catalog', ['*']],
] as const) {
  const runs = Array.from(
    { length: rounds },
    () =>
      JSON.parse(
        execFileSync(process.execPath, ['--expose-gc', ...process.execArgv, probe, ...providers], { encoding: 'utf8' }),
      ) as Measured,
  )
  const median = (member: keyof Measured): number => runs.map(run => run[member]).sort((a, b) => a - b)[rounds >> 1]!
  console.log(
    `${title}: ${median('models')} models; ${median('loadMs').toFixed(1)} ms (${median('cpuMs').toFixed(1)} ms of CPU), ${median('heapMb').toFixed(1)} MB of heap, ${median('residentMb').toFixed(1)} MB resident; ` +
      `a name ${median('resolveNs').toFixed(0)} ns, a name that does not exist ${median('nearestMs').toFixed(2)} ms`,
  )
}
console.log(`medians of ${rounds}; Node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}`)

export interface Measured {
  readonly models: number
  readonly loadMs: number
  /** CPU time of the main thread: `loadMs` without other load on the machine. */
  readonly cpuMs: number
  readonly heapMb: number
  readonly residentMb: number
  readonly resolveNs: number
  readonly nearestMs: number
}
