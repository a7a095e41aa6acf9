import { connect } from 'node:net'

export interface Crowd {
  readonly answered: number
  /** How often something else happened, by its name. */
  readonly failures: Readonly<Record<string, number>>
  readonly slowestMs: number
}

const ask = 'GET /v1/responses/health HTTP/1.1\r\nhost: gateway.example.com\r\nconnection: close\r\n\r\n'

/** Opens new connections, `atOnce` at a time, with one health check on each, until `isOver` and at least `count` were opened. */
export async function crowd(port: number, count: number, atOnce: number, isOver: () => boolean = () => true): Promise<Crowd> {
  let begun = 0
  let answered = 0
  let slowestMs = 0
  const failures: Record<string, number> = {}
  const one = async (): Promise<void> => {
    const startedMs = performance.now()
    const outcome = await visit(port)
    slowestMs = Math.max(slowestMs, performance.now() - startedMs)
    if (outcome === '200') answered++
    else failures[outcome] = (failures[outcome] ?? 0) + 1
  }
  const visitor = async (): Promise<void> => {
    while (begun < count || !isOver()) {
      begun++
      await one()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, visitor))
  return { answered, failures, slowestMs }
}

function visit(port: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let text = ''
  let problem: string | undefined
  const socket = connect(port, '127.0.0.1')
  socket
    .on('connect', () => socket.write(ask))
    .setEncoding('utf8')
    .on('data', (part: string) => void (text += part))
    .on('error', (error: NodeJS.ErrnoException) => void (problem = error.code))
    .on('close', () => resolve(problem ?? (text.slice(9, 12) || 'no answer')))
  return promise
}
