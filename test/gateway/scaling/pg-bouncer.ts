import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../plugins/stores/postgres-server.ts'

/** Why there can be no pooler here; false if there can be one. Use it as `skip`. */
export const noPgBouncer: string | false = isInstalled() ? false : 'needs a pooler: apt-get install pgbouncer'

function isInstalled(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export interface PgBouncer {
  readonly port: number
  stop(): Promise<void>
}

/** PgBouncer before a Postgres, with a connection of the server for each transaction only, and at most `connections` of them. */
export async function startPgBouncer(postgresPort: number, connections: number): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-pooler-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const settings = `[databases]
* = host=127.0.0.1 port=${postgresPort} user=gateway
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 1000
default_pool_size = ${connections}
`
  writeFileSync(file, settings, { mode: 0o644 })
  // It refuses to run as root.
  const user = process.geteuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', [...user, file], { stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const text of child.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false }))
    if (/process up/.test(text as string)) break
  child.stderr.resume()
  return {
    port,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
