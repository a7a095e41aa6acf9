import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../plugins/stores/postgres-server.ts'

/** The program: Valkey's if it is there. */
const program = ['valkey-server', 'redis-server'].find(isInstalled)

/** Why there can be no server here; false if there can be one. Use it as `skip`. */
export const noRedis: string | false = program === undefined && 'needs a Redis server: apt-get install redis-server'

function isInstalled(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A real server without persistence: what it counted is lost when it ends. */
export class RedisServer {
  readonly port: number
  /** The address that this process reaches it on. */
  host = '127.0.0.1'
  readonly #launcher: readonly string[]
  readonly #more: readonly string[]
  #child: ChildProcess | undefined

  private constructor(port: number, launcher: readonly string[], more: readonly string[]) {
    this.port = port
    this.#launcher = launcher
    this.#more = more
  }

  /** `launcher`: a program that becomes the server, such as `ip netns exec …`. */
  static async start(launcher: readonly string[] = [], more: readonly string[] = []): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), launcher, more)
    await server.restart()
    return server
  }

  /** Starts it again on the same port. */
  async restart(): Promise<void> {
    const settings = [
      '--port',
      String(this.port),
      '--save',
      '',
      '--appendonly',
      'no',
      '--maxmemory-policy',
      'noeviction',
      '--protected-mode',
      'no',
    ]
    const [file, ...rest] = [...this.#launcher, program!, ...settings, ...this.#more]
    this.#child = spawn(file!, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const text of this.#child.stdout!.setEncoding('utf8').iterator({ destroyOnReturn: false }))
      if (/Ready to accept connections/.test(text as string)) break
    this.#child.stdout!.resume()
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name)
  }

  async stop(name: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    // A stalled server hears nothing else.
    child.kill('SIGCONT')
    child.kill(name)
    await gone
  }

  /** The reply to one command, as text. */
  async ask(...command: readonly string[]): Promise<string> {
    const socket = connect(this.port, this.host)
    try {
      socket.write(encoded(command))
      return await reply(socket)
    } finally {
      socket.destroy()
    }
  }

  /** How often each command ran since the server started or `CONFIG RESETSTAT`. */
  async commands(): Promise<ReadonlyMap<string, number>> {
    const text = await this.ask('INFO', 'commandstats')
    return new Map(Array.from(text.matchAll(/cmdstat_([^:]+):calls=(\d+)/g), ([, name, calls]) => [name!, Number(calls)]))
  }

  /** All that clients send, until the returned function is called. It returns the text. */
  async monitor(): Promise<() => Promise<string>> {
    const socket = connect(this.port, this.host)
    socket.write(encoded(['MONITOR']))
    let text = ''
    await once(socket, 'data')
    socket.on('data', (part: Buffer) => void (text += part.toString('utf8')))
    return async () => {
      const mark = `end-${Date.now()}`
      await this.ask('ECHO', mark)
      while (!text.includes(mark)) await sleep(5)
      socket.destroy()
      return text
    }
  }
}

function encoded(command: readonly string[]): string {
  return `*${command.length}\r\n${command.map(part => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`
}

/** A simple reply: a line or one string. */
async function reply(socket: Socket): Promise<string> {
  let text = ''
  for await (const part of socket.setEncoding('utf8')) {
    text += part as string
    const end = text.indexOf('\r\n')
    if (end < 0) continue
    if (text[0] !== '$') return text.slice(1, end)
    const length = Number(text.slice(1, end))
    if (length < 0) return ''
    if (Buffer.byteLength(text) >= end + 2 + length + 2) return text.slice(end + 2, -2)
  }
  throw new Error(`expected a reply of Redis, but the connection ended after '${text}'`)
}
