import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Shot } from './load.ts'

export interface Reply {
  readonly status: number
  readonly body: string
}

export interface ServerProcess {
  readonly child: ChildProcess
  readonly pid: number
  /** From spawn to the first 200, asked every few milliseconds. */
  readonly firstReplyMs: number
  stop(): Promise<void>
}

export interface Command {
  /** Arguments of `node`. */
  readonly nodeArguments: readonly string[]
  /** A command of the shell, instead of `node`. */
  readonly shell?: string
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
  readonly ipc?: boolean | undefined
}

const startLimitMs = 60_000
const stopLimitMs = 10_000

/** Nothing keeps running after the benchmark, however it ends. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a server on one core, or on several such as `0,1`. If it fails to start, the error includes its stderr. */
export async function startServer(
  { nodeArguments, shell, env, cwd, ipc }: Command,
  core: number | string,
  ready: Shot,
): Promise<ServerProcess> {
  const startedMs = performance.now()
  const program = shell === undefined ? [process.execPath, ...nodeArguments] : ['sh', '-c', `exec ${shell}`]
  const child = spawn('taskset', ['--cpu-list', `${core}`, ...program], {
    cwd,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    // Its log is written but not read.
    stdio: ['ignore', 'ignore', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  let output = ''
  child.stderr!.on('data', (part: Buffer) => {
    if (output.length < 10_000) output += part.toString()
  })
  try {
    await untilReady(child, ready)
  } catch (error) {
    child.kill('SIGKILL')
    throw new Error(`${program.join(' ')} did not start:\n${output}`, { cause: error })
  }
  const firstReplyMs = performance.now() - startedMs
  return { child, pid: child.pid!, firstReplyMs, stop: () => stop(child) }
}

export async function untilReady(child: ChildProcess, ready: Shot): Promise<void> {
  const deadlineMs = performance.now() + startLimitMs
  let last = 'no answer'
  while (performance.now() < deadlineMs) {
    if (child.exitCode !== null) throw new Error(`it exited with ${child.exitCode}`)
    try {
      const reply = await shoot(ready)
      if (reply.status === 200) return
      last = `${reply.status} ${reply.body.slice(0, 500)}`
    } catch {
      // Not listening yet.
    }
    await sleep(2)
  }
  throw new Error(`no 200 within ${startLimitMs} ms, but ${last}`)
}

export function shoot({ url, headers, body }: Shot): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, agent: false },
      async reply => {
        try {
          let text = ''
          for await (const part of reply.setEncoding('utf8')) text += part
          resolve({ status: reply.statusCode!, body: text })
        } catch (error) {
          reject(error)
        }
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), stopLimitMs)
  await gone
  clearTimeout(force)
}
