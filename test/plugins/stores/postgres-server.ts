import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

export interface PostgresServer {
  readonly port: number
  /** Of the server that runs now. Its other processes are its children. */
  readonly pid: number
  /** Creates an empty database, and returns its URL. */
  createDatabase(): Promise<string>
  /** Kills the server as a power failure would. */
  kill(): Promise<void>
  /** Starts it again on the same data and port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const folder = binaries()

/** Why there can be no server here; false if there can be one. Use it as `skip`. */
export const noPostgres: string | false = folder === undefined && 'needs a Postgres server: apt-get install postgresql'

/** The path of a program of Postgres, of the same version as the server. */
export function postgresProgram(name: 'pg_dump' | 'pg_restore' | 'pg_basebackup' | 'postgres' | 'pg_ctl'): string {
  return join(folder!, name)
}

/** Starts a real server on the loopback interface, with its data in a temporary folder. */
export async function startPostgres(): Promise<PostgresServer> {
  const data = mkdtempSync(join(tmpdir(), 'turnpike-postgres-'))
  const user = serverUser()
  if (user) chownSync(data, user.uid, user.gid)
  const settings = { ...user, cwd: data }
  await promisify(execFile)(join(folder!, 'initdb'), ['--pgdata', data, '--username', 'gateway', '--auth', 'trust', '--no-sync'], settings)
  const port = await freePort()
  let pid: number
  const start = async (): Promise<() => Promise<void>> => {
    const child = spawn(
      join(folder!, 'postgres'),
      ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'max_connections=60', '-c', 'shared_buffers=32MB'],
      { ...settings, stdio: 'ignore' },
    )
    const finished = new Promise<void>(resolve => child.once('exit', () => resolve()))
    pid = child.pid!
    await answering(port)
    return async () => {
      // Immediate shutdown: no checkpoint, and the next start recovers from the log.
      child.kill('SIGQUIT')
      await finished
    }
  }
  let kill = await start()
  let databases = 0
  return {
    port,
    get pid() {
      return pid
    },
    async createDatabase() {
      const name = `turnpike_${++databases}`
      await ask(port, `create database ${name}`)
      return `postgres://gateway:open-sesame-secret@127.0.0.1:${port}/${name}`
    },
    kill: () => kill(),
    async restart() {
      kill = await start()
    },
    async stop() {
      await kill()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** Resolves once a server answers on this port. */
export async function answering(port: number): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask(port, 'select 1')
    } catch (error) {
      if (attempt === 3_600) throw error
      await setTimeout(50)
    }
  }
}

async function ask(port: number, statement: string): Promise<void> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'gateway', database: 'postgres' })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** One that no other test gets from the operating system, neither before the server listens nor while it is down. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
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

/** Postgres refuses to run as root. */
export function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.geteuid?.() !== 0) return undefined
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

function binaries(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).map(version => join(debian, version, 'bin')) : []
  return [...(process.env['PATH'] ?? '').split(delimiter), ...versions.reverse()].find(each =>
    ['initdb', 'pg_dump', 'pg_restore'].every(program => existsSync(join(each, program))),
  )
}
