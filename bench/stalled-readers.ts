import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Memory } from './collect-on-message.ts'
import { contender, shot } from './contenders.ts'
import type { Shot } from './load.ts'
import { rssMb } from './process-stat.ts'
import { freePort, startServer } from './server-process.ts'

// What a client that asks for a stream and never reads costs the gateway.

const { values } = parseArgs({ options: { readers: { type: 'string', default: '500' }, limit: { type: 'string', default: '256' } } })
const readers = Number(values.readers)
const limitKb = Number(values.limit)
const gatewayCore = 1
let missed = false

console.log(`${readers} stalled readers`)
await measure('short events', endless('word '), 'all')
await measure('events of 8 kB', endless('word '.repeat(1600)), 'in use')
await measure('short events, gzip', compressed('word '), 'in use')
process.exitCode = missed ? 1 : 0
process.exit()

interface Answer {
  /** How much of each byte that is sent is text, which the gateway has to keep. Absent where most of what was read waits compressed. */
  readonly textShare?: number
  send(reply: ServerResponse): void
}

/** The limit holds for what is in use beyond the text that was delivered, or for all memory that the process took. */
type Limited = 'in use' | 'all'

async function measure(name: string, answer: Answer, limited: Limited): Promise<void> {
  const vendorSockets: Socket[] = []
  const upstream = createServer((request, reply) => {
    vendorSockets.push(request.socket)
    request.resume().on('end', () => answer.send(reply))
  })
  await once(upstream.listen(0, '127.0.0.1'), 'listening')
  const port = await freePort()
  const gateway = contender('turnpike', port, `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`)
  const aimed = shot(gateway, `http://127.0.0.1:${port}`, 'stream')
  const preload = fileURLToPath(new URL('collect-on-message.ts', import.meta.url))
  const command = { ...gateway.command!, nodeArguments: ['--expose-gc', '--import', preload, ...gateway.command!.nodeArguments], ipc: true }
  const ready: Shot = {
    url: `http://127.0.0.1:${port}/v1/responses/input_tokens`,
    headers: aimed.headers,
    body: JSON.stringify({ model: 'bench/bench-model', input: 'Hello' }),
  }
  const server = await startServer(command, gatewayCore, ready)
  const sockets: Socket[] = []
  try {
    for (let warm = 0; warm < 20; warm++) sockets.push(ask(aimed))
    await sleep(1000)
    const collected = async (): Promise<Memory> => {
      server.child.send('collect')
      return ((await once(server.child, 'message')) as [Memory])[0]
    }
    const before = await collected()
    const beforeMb = rssMb(server.pid)
    for (let count = 0; count < readers; count++) {
      sockets.push(ask(aimed))
      if (count % 10 === 9) await sleep(10)
    }
    let highestMb = 0
    const untilQuiet = quiet(vendorSockets)
    while (!(await untilQuiet())) highestMb = Math.max(highestMb, rssMb(server.pid))
    const after = await collected()
    const kilobytes = (of: (memory: Memory) => number): number => (of(after) - of(before)) / readers / 1024
    const textKb = kilobytes(({ readBytes }) => readBytes) * (answer.textShare ?? 0)
    const inUseKb = kilobytes(({ heapUsed, external }) => heapUsed + external) - textKb
    const rssKb = kilobytes(({ rss }) => rss)
    const isMet = (limited === 'all' ? rssKb : inUseKb) <= limitKb
    missed ||= !isMet
    console.log(
      `${isMet ? 'met   ' : 'MISSED'} ${name}, kB per reader after a collection: ${inUseKb.toFixed(0)} in use ${answer.textShare === undefined ? 'with the text' : `and ${textKb.toFixed(0)} of text`}, RSS ${rssKb.toFixed(0)} (limit ${limitKb} for ${limited === 'all' ? 'RSS' : 'what is in use'}); RSS before it ${(((highestMb - beforeMb) * 1024) / readers).toFixed(0)}`,
    )
  } finally {
    for (const socket of sockets) socket.destroy()
    await server.stop()
    upstream.closeAllConnections()
    upstream.close()
  }
}

/** True if the gateway has read nothing from the upstream for two seconds. */
function quiet(sockets: readonly Socket[]): () => Promise<boolean> {
  let taken = -1
  let turns = 0
  return async () => {
    await sleep(100)
    const now = sockets.reduce((sum, { bytesWritten, writableLength }) => sum + bytesWritten - writableLength, 0)
    turns = now === taken ? turns + 1 : 0
    taken = now
    return turns >= 20
  }
}

function ask({ url, headers, body }: Shot): Socket {
  const { hostname, port, pathname } = new URL(url)
  const extra = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  // Never read: no listener for data.
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${extra.join('')}\r\n${body}`,
  )
  return socket
}

function chunk(content: string): string {
  return `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'bench-model', choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }] })}\n\n`
}

function endless(text: string): Answer {
  const event = chunk(text)
  const piece = event.repeat(Math.max(1, Math.floor(16_384 / event.length)))
  return {
    textShare: text.length / event.length,
    send(reply) {
      reply.writeHead(200, { 'content-type': 'text/event-stream' })
      const more = (): void => {
        while (!reply.destroyed && reply.write(piece));
      }
      reply.on('drain', more)
      more()
    },
  }
}

function compressed(text: string): Answer {
  const bytes = gzipSync(chunk(text).repeat(200_000))
  return {
    send: reply => void reply.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end(bytes),
  }
}
