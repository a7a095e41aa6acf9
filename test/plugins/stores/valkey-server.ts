import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createClient } from '@redis/client'

export interface ValkeyServer {
  readonly port: number
  readonly url: string
  /** Its process id. */
  readonly pid: number
  /** Sends a command as the administrator, past all that the gateway does. */
  ask(...command: readonly string[]): Promise<unknown>
  /** Calls back for each command that the server gets, with its arguments. */
  monitor(heard: (line: string) => void): Promise<void>
  /** Kills it as a power failure would. */
  kill(): Promise<void>
  /** Ends it as a service manager would. */
  terminate(): Promise<void>
  /** Starts it again on the same port and data. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface ValkeyServerOptions {
  /** More lines of its configuration, such as `['--requirepass', 'open-sesame']`. */
  readonly settings?: readonly string[]
  /** How the administrator signs in. */
  readonly password?: string
  /** Settings of TLS: the port speaks TLS only. */
  readonly tls?: { readonly ca: Buffer }
  readonly port?: number
  /** A program that becomes the server, such as `ip netns exec …`, and the address at which this process reaches it there. */
  readonly elsewhere?: { readonly launcher: readonly string[]; readonly host: string }
}

const program = programOf('valkey-server') ?? programOf('redis-server')

/** Why there can be no server here; false if there can be one. Use it as `skip`. */
export const noValkey: string | false = program === undefined && 'needs a Valkey or Redis server: apt-get install redis-server'

/** Starts a real server on the loopback interface. Its data is in memory, and gone when it is killed, unless `settings` say otherwise. */
export async function startValkey({
  settings = [],
  password,
  tls,
  port: wanted,
  elsewhere,
}: ValkeyServerOptions = {}): Promise<ValkeyServer> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-valkey-'))
  const port = wanted ?? (await freePort())
  const { launcher = [], host = '127.0.0.1' } = elsewhere ?? {}
  const bound = elsewhere ? ['--protected-mode', 'no'] : ['--bind', host]
  const usual = [...bound, '--dir', folder, '--save', '', '--appendonly', 'no', '--loglevel', 'warning']
  const open = tls ? ['--port', '0', '--tls-port', String(port)] : ['--port', String(port)]
  const plain = { host, port, reconnectStrategy: false } as const
  const newClient = async () => {
    const client = createClient({
      socket: tls ? { ...plain, tls: true, ca: tls.ca, servername: 'localhost' } : plain,
      ...(password !== undefined && { password }),
    })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  let child: ChildProcess
  let administrator: Awaited<ReturnType<typeof newClient>> | undefined
  const monitors: Awaited<ReturnType<typeof newClient>>[] = []
  const start = async (): Promise<void> => {
    const [file, ...rest] = [...launcher, program!, ...usual, ...open, ...settings]
    child = spawn(file!, rest, { stdio: 'ignore' })
    for (let attempt = 0; ; attempt++) {
      try {
        administrator = await newClient()
        return
      } catch (error) {
        if (attempt === 1_000 || child.exitCode !== null) throw error
        await setTimeout(10)
      }
    }
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    administrator?.destroy()
    for (const monitor of monitors.splice(0)) monitor.destroy()
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
  await start()
  return {
    port,
    url: `${tls ? 'rediss' : 'redis'}://${host}:${port}`,
    get pid() {
      return child.pid!
    },
    async ask(...command) {
      if (!administrator!.isReady) administrator = await newClient()
      return await administrator!.sendCommand(command as string[])
    },
    async monitor(heard) {
      const client = await newClient()
      monitors.push(client)
      await client.monitor(line => heard(String(line)))
    },
    kill: () => end('SIGKILL'),
    terminate: () => end('SIGTERM'),
    restart: start,
    async stop() {
      await end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** One that no other test gets from the operating system, neither before the server listens nor while it is down. */
export async function freePort(): Promise<number> {
  for (;;) {
    // A node of a cluster also takes the port that is 10,000 higher.
    const port = randomInt(10_000, 20_000)
    const server = createServer()
    const isFree = await new Promise<boolean>(resolve =>
      server
        .once('error', () => resolve(false))
        .once('listening', () => server.close(() => resolve(true)))
        .listen(port, '127.0.0.1'),
    )
    if (isFree) return port
  }
}

export function programOf(name: string): string | undefined {
  const found = (process.env['PATH'] ?? '').split(delimiter).map(folder => join(folder, name))
  return [...found, `/usr/bin/${name}`].find(path => existsSync(path))
}
