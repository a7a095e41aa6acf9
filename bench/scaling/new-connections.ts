import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Shot } from '../load.ts'

const atOnce = 64
const limitMs = 30_000
const reloadEveryMs = 5_000

export interface NewConnections {
  readonly failed: number
  readonly reloads: number
}

/** Sends each request over a new connection, while the gateway is reloaded again and again. A connection that is reset has failed. */
export async function newConnections(shot: Shot, count: number, reload: () => void): Promise<NewConnections> {
  let left = count
  let failed = 0
  let reloads = 0
  const client = async (): Promise<void> => {
    while (left-- > 0) if (!(await isAnswered(shot))) failed++
  }
  const clients = Promise.all(Array.from({ length: atOnce }, client))
  let isOver = false
  void clients.then(() => (isOver = true))
  while (!isOver) {
    reload()
    reloads++
    await Promise.race([clients, sleep(reloadEveryMs)])
  }
  return { failed, reloads }
}

function isAnswered({ url, headers, body }: Shot): Promise<boolean> {
  const { hostname, port, pathname } = new URL(url)
  const fields = { host: hostname, 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}`, ...headers }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise(resolve => {
    let text = ''
    const socket = connect(Number(port), hostname, () =>
      socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}connection: close\r\n\r\n${body}`),
    )
    const end = (): void => {
      socket.destroy()
      resolve(text.startsWith('HTTP/1.1 200') && text.includes('another, quickly'))
    }
    socket.setTimeout(limitMs, end)
    socket.on('data', (part: Buffer) => void (text += part.toString('latin1')))
    socket.once('error', end)
    socket.once('end', end)
    socket.once('close', end)
  })
}
