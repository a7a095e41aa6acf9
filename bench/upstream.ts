import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scratchFolder } from './scratch.ts'
import { freePort, untilReady } from './server-process.ts'
import type { StreamedReply } from './streamed-reply.ts'

export interface Upstream {
  readonly origin: string
  readonly pid: number
  stop(): void
}

export interface UpstreamOptions {
  readonly reply: StreamedReply
  readonly eventsPerWrite: number
  readonly gapMicroseconds: number
  readonly core: number
}

/** Compiles `upstream.c` and starts it. */
export async function startUpstream({ reply, eventsPerWrite, gapMicroseconds, core }: UpstreamOptions): Promise<Upstream> {
  const folder = scratchFolder()
  const binary = join(folder, 'upstream')
  const events = join(folder, 'events')
  execFileSync('gcc', ['-O2', '-o', binary, fileURLToPath(new URL('upstream.c', import.meta.url))], { stdio: 'inherit' })
  writeFileSync(events, reply.events.map(event => `${event}\0`).join(''))
  const port = await freePort()
  const settings = [port, eventsPerWrite, gapMicroseconds].map(String)
  const child = spawn('taskset', ['--cpu-list', `${core}`, binary, ...settings, reply.contentType, events], { stdio: 'inherit' })
  const origin = `http://127.0.0.1:${port}`
  await untilReady(child, { url: `${origin}/v1/chat/completions`, headers: {}, body: '{}' })
  return { origin, pid: child.pid!, stop: () => void child.kill() }
}
