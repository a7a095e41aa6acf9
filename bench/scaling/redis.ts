import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../server-process.ts'

/** A Redis for benchmarks, without persistence. */
export interface BenchRedis {
  readonly url: string
  readonly pid: number
  signal(name: NodeJS.Signals): void
  /** Numbers of `INFO`, of all its sections. */
  info(): Promise<ReadonlyMap<string, number>>
  /** How often clients called each command since the server started. */
  calls(): Promise<ReadonlyMap<string, number>>
  stop(): Promise<void>
}

export async function startRedis(core: number): Promise<BenchRedis> {
  const port = await freePort()
  const settings = ['--port', `${port}`, '--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction']
  const child = spawn('taskset', ['--cpu-list', `${core}`, 'redis-server', ...settings], { stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  while (!(await ask(port, 'PING').catch(() => ''))) await sleep(20)
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid!,
    signal: name => void child.kill(name),
    async info() {
      const text = await ask(port, 'INFO')
      return new Map(Array.from(text.matchAll(/^([a-z_]+):([\d.]+)\r?$/gm), ([, name, value]) => [name!, Number(value)]))
    },
    async calls() {
      const text = await ask(port, 'INFO', 'commandstats')
      return new Map(Array.from(text.matchAll(/cmdstat_([^:]+):calls=(\d+)/g), ([, name, calls]) => [name!, Number(calls)]))
    },
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGCONT')
      child.kill('SIGKILL')
      await gone
    },
  }
}

async function ask(port: number, ...command: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.end(`*${command.length}\r\n${command.map(part => `$${part.length}\r\n${part}\r\n`).join('')}`)
  let text = ''
  for await (const part of socket.setEncoding('utf8')) text += part as string
  return text
}
