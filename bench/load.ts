import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Shot {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The form of a correct reply. Any other reply counts as bad. */
export interface Expected {
  readonly shortest: number
  readonly longest: number
  /** Text within its last 8 kB. */
  readonly marker: string
}

export interface LoadResult {
  readonly durationMs: number
  readonly good: number
  readonly bad: number
  readonly bytes: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  readonly socketErrors: number
  /** The first bad reply. */
  readonly complaint: string
}

const script = fileURLToPath(new URL('load.lua', import.meta.url))

/** Runs wrk on one core. `load.lua` checks every reply. */
export async function load(shot: Shot, expected: Expected, connections: number, seconds: number, core: number): Promise<LoadResult> {
  const wrk = [
    'wrk',
    '--threads',
    '1',
    '--connections',
    `${connections}`,
    '--duration',
    `${seconds}s`,
    '--timeout',
    '30s',
    '--script',
    script,
  ]
  const child = spawn('taskset', ['--cpu-list', `${core}`, ...wrk, shot.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      LOAD_BODY: shot.body,
      LOAD_HEADERS: Object.entries(shot.headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n'),
      LOAD_SHORTEST: `${expected.shortest}`,
      LOAD_LONGEST: `${expected.longest}`,
      LOAD_MARKER: expected.marker,
    },
  })
  let output = ''
  for await (const part of child.stdout.setEncoding('utf8')) output += part
  const line = /^LOAD (.*)$/m.exec(output)?.[1]
  if (!line) throw new Error(`wrk gave no result (is it installed? apt-get install wrk):\n${output}`)
  return JSON.parse(line) as LoadResult
}
