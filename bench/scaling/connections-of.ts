import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** How many connections to a local port each of these processes has accepted. */
export function connectionsOf(pids: readonly number[], port: number): readonly number[] {
  const inodes = acceptedAt(port)
  return pids.map(pid => socketsOf(pid).filter(inode => inodes.has(inode)).length)
}

/** The inodes of established connections. */
function acceptedAt(port: number): ReadonlySet<string> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const established = '01'
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(file => readFileSync(file, 'utf8').split('\n').slice(1))
  const fields = lines.map(line => line.trim().split(/\s+/))
  return new Set(fields.filter(([, local, , state]) => local?.endsWith(`:${hex}`) && state === established).map(each => each[9]!))
}

function socketsOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap(fd => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
    } catch {
      // It has been closed.
      return []
    }
  })
}
