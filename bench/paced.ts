import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Shot } from './load.ts'
import { scratchFolder } from './scratch.ts'

export interface PacedResult {
  readonly replies: number
  readonly bad: number
  /** From when the request was due. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** Sends requests at a rate, whether replies come or not. */
export type Pace = (shot: Shot, rate: number, seconds: number) => Promise<PacedResult>

/** Compiles `paced.c`. */
export function pacedClient(connections: number, core: number): Pace {
  const folder = scratchFolder()
  const binary = join(folder, 'paced')
  execFileSync('gcc', ['-O2', '-o', binary, fileURLToPath(new URL('paced.c', import.meta.url))], { stdio: 'inherit' })
  return async ({ url, headers, body }, rate, seconds) => {
    const { host, port, pathname } = new URL(url)
    const fields = { host, 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}`, ...headers }
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
    const request = join(folder, 'request')
    writeFileSync(request, `POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
    const settings = [port, rate, seconds, connections].map(String)
    const child = spawn('taskset', ['--cpu-list', `${core}`, binary, ...settings, request], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    for await (const part of child.stdout.setEncoding('utf8')) output += part
    return JSON.parse(output) as PacedResult
  }
}
