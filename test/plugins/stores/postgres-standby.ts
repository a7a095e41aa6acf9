import { execFile, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { answering, freePort, postgresProgram, serverUser, type PostgresServer } from './postgres-server.ts'

export interface PostgresStandby {
  readonly port: number
  /** Makes it the primary. */
  promote(): Promise<void>
  stop(): Promise<void>
}

/** Starts a standby of a server, which from then on acknowledges a commit only once the standby has it. */
export async function startStandby(primary: Pick<PostgresServer, 'port'>): Promise<PostgresStandby> {
  const data = mkdtempSync(join(tmpdir(), 'turnpike-standby-'))
  const user = serverUser()
  if (user) chownSync(data, user.uid, user.gid)
  const settings = { ...user, cwd: data }
  const run = promisify(execFile)
  const source = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'gateway']
  await run(postgresProgram('pg_basebackup'), [...source, '-D', data, '-R', '-X', 'stream', '--checkpoint=fast', '--no-sync'], settings)
  const port = await freePort()
  const child = spawn(
    postgresProgram('postgres'),
    ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'max_connections=60', '-c', 'shared_buffers=32MB'],
    { ...settings, stdio: 'ignore' },
  )
  const finished = new Promise<void>(resolve => child.once('exit', () => resolve()))
  await answering(port)
  await statement(primary.port, "alter system set synchronous_standby_names = '*'")
  await statement(primary.port, 'select pg_reload_conf()')
  return {
    port,
    async promote() {
      await statement(port, "alter system set synchronous_standby_names = ''")
      await run(postgresProgram('pg_ctl'), ['promote', '-D', data, '--wait'], settings)
      await statement(port, 'select pg_reload_conf()')
    },
    async stop() {
      child.kill('SIGQUIT')
      await finished
      rmSync(data, { recursive: true, force: true })
    },
  }
}

async function statement(port: number, text: string): Promise<void> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'gateway', database: 'postgres' })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
