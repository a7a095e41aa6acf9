import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { load, type Expected, type Shot } from './load.ts'
import { quantile } from './statistics.ts'

export interface Burst {
  readonly medianMs: number
  readonly slowestMs: number
  readonly failed: number
}

const backgroundConnections = 32
const backgroundSeconds = 4
const limitMs = 30_000

/** Opens many connections at once while others keep the server busy, sends a request on each, and measures the time to each reply. */
export async function burst(shot: Shot, expected: Expected, connections: number, core: number): Promise<Burst> {
  const background = load(shot, expected, backgroundConnections, backgroundSeconds, core)
  await sleep(1500)
  const times = await Promise.all(Array.from({ length: connections }, () => firstReplyMs(shot)))
  await background
  const replied = times.filter(time => time !== undefined)
  return { medianMs: quantile(replied, 0.5), slowestMs: quantile(replied, 1), failed: connections - replied.length }
}

/** From connecting to the first bytes of a 200. Undefined if there was none. */
function firstReplyMs({ url, headers, body }: Shot): Promise<number | undefined> {
  const { hostname, port, pathname } = new URL(url)
  const lines = Object.entries({
    host: hostname,
    'content-type': 'application/json',
    'content-length': `${Buffer.byteLength(body)}`,
    ...headers,
  })
  const request = `POST ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}connection: close\r\n\r\n${body}`
  const startedMs = performance.now()
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname, () => socket.write(request))
    const settle = (time?: number): void => {
      socket.destroy()
      resolve(time)
    }
    socket.setTimeout(limitMs, () => settle())
    socket.once('data', (part: Buffer) =>
      settle(part.toString('latin1', 0, 12) === 'HTTP/1.1 200' ? performance.now() - startedMs : undefined),
    )
    socket.once('error', () => settle())
    socket.once('close', () => settle())
  })
}
