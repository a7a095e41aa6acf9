import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Shot } from './load.ts'

export interface OpenStreams {
  /** Streams that have received their first text delta and have not ended. */
  readonly open: number
  readonly finished: number
  readonly broken: number
  /** The first broken stream. */
  readonly complaint: string
}

const opening = '"delta":'
const ending = '"type":"response.completed"'
const lastChunk = '\r\n0\r\n\r\n'

/** Opens streams evenly over a period and reads each to its end. The returned counts are live. */
export function openStreams(shot: Shot, count: number, rampMs: number): OpenStreams {
  const counts = { open: 0, finished: 0, broken: 0, complaint: '' }
  void (async () => {
    const steps = Math.ceil(rampMs / 10)
    let started = 0
    for (let step = 1; step <= steps; step++) {
      for (const until = Math.round((count * step) / steps); started < until; started++) follow(shot, counts)
      await sleep(10)
    }
  })()
  return counts
}

function follow({ url, headers, body }: Shot, counts: { open: number; finished: number; broken: number; complaint: string }): void {
  const { hostname, port, pathname } = new URL(url)
  const extra = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket: Socket = connect(Number(port), hostname)
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${extra.join('')}\r\n${body}`,
  )
  let state: 'waiting' | 'open' | 'over' = 'waiting'
  let tail = ''
  let completed = false
  const over = (problem?: string): void => {
    if (state === 'over') return
    if (state === 'open') counts.open--
    state = 'over'
    if (problem === undefined) counts.finished++
    else if (++counts.broken === 1) counts.complaint = `${problem}: ${tail.slice(-300)}`
    socket.destroy()
  }
  socket.setEncoding('latin1')
  socket.on('data', (part: string) => {
    tail += part
    completed ||= tail.includes(ending)
    if (state === 'waiting' && tail.includes(opening)) {
      state = 'open'
      counts.open++
    }
    if (tail.endsWith(lastChunk)) over(completed ? undefined : 'ended without response.completed')
    else tail = tail.slice(-ending.length)
  })
  socket.on('error', error => over(error.message))
  socket.on('close', () => over('connection closed'))
}
