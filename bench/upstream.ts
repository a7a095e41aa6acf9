import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, untilReady } from './server-process.ts'

export interface Upstream {
  readonly origin: string
  readonly pid: number
  stop(): void
}

export interface UpstreamOptions {
  readonly deltas: number
  readonly eventsPerWrite: number
  readonly gapMicroseconds: number
  readonly core: number
}

/** Compiles `upstream.c` and starts it. */
export async function startUpstream({ deltas, eventsPerWrite, gapMicroseconds, core }: UpstreamOptions): Promise<Upstream> {
  const binary = join(mkdtempSync(join(tmpdir(), 'turnpike-bench-')), 'upstream')
  execFileSync('gcc', ['-O2', '-o', binary, fileURLToPath(new URL('upstream.c', import.meta.url))], { stdio: 'inherit' })
  const port = await freePort()
  const child = spawn('taskset', ['--cpu-list', `${core}`, binary, `${port}`, `${deltas}`, `${eventsPerWrite}`, `${gapMicroseconds}`], {
    stdio: 'inherit',
  })
  const origin = `http://127.0.0.1:${port}`
  await untilReady(child, { url: `${origin}/v1/chat/completions`, headers: {}, body: '{}' })
  return { origin, pid: child.pid!, stop: () => void child.kill() }
}
