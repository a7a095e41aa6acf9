// The cost of a WebSocket: the CPU time of a message on an open socket beside that of an HTTP request, both streamed, and the memory of an idle
// connection. `npm run build && node bench/websocket.ts`

import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Memory } from './collect-on-message.ts'
import { gatewayCommand } from './gateway.ts'
import { cpuMs } from './process-stat.ts'
import { freePort, startServer } from './server-process.ts'
import { rounded } from './statistics.ts'
import { streamedReply } from './streamed-reply.ts'

const concurrency = 32
const requests = 6_000
const warmUps = 4
const rounds = 5
const idleConnections = 1_000
const maxRatio = 0.8
const maxKb = 30
const gatewayCore = 1
const deltas = 20

const frames = streamedReply('openai-chat', deltas).events.join('')
const vendor = createServer((incoming, reply) => {
  incoming.resume()
  incoming.on('end', () => reply.writeHead(200, { 'content-type': 'text/event-stream' }).end(frames))
})
await once(vendor.listen(0, '127.0.0.1'), 'listening')

const port = await freePort()
const settings = { BENCH_UPSTREAM: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`, BENCH_RESPONSES: 'memory' }
const { command, apiKey } = gatewayCommand(port, 'gateway.config.ts', settings)
const url = `http://127.0.0.1:${port}/v1/responses`
const authorization = `Bearer ${apiKey}`
const asked = { model: 'bench/bench-model', input: 'Words of a question. '.repeat(50), store: false, stream: true }
const preload = fileURLToPath(new URL('collect-on-message.ts', import.meta.url))
const server = await startServer(
  { ...command, nodeArguments: ['--expose-gc', '--import', preload, ...command.nodeArguments], ipc: true },
  gatewayCore,
  { url, headers: { authorization }, body: JSON.stringify(asked) },
)

/** A connection that sends and reads text. */
class BareSocket {
  readonly socket: Socket
  #over: () => void = () => {}
  #tail = ''

  private constructor(socket: Socket) {
    this.socket = socket.on('data', chunk => {
      this.#tail += chunk.toString('latin1')
      if (this.#tail.includes('"type":"response.completed"') || this.#tail.includes('\r\n\r\n')) this.#over()
      this.#tail = this.#tail.slice(-30)
    })
  }

  static async open(): Promise<BareSocket> {
    const bare = new BareSocket(connect(port, '127.0.0.1'))
    const head = `upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nauthorization: ${authorization}`
    const opened = bare.#next()
    bare.socket.write(`GET /v1/responses HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: Upgrade\r\n${head}\r\n\r\n`)
    await opened
    return bare
  }

  async answer(message: Buffer): Promise<void> {
    const answered = this.#next()
    this.socket.write(message)
    await answered
  }

  #next(): Promise<void> {
    this.#tail = ''
    return new Promise(resolve => (this.#over = resolve))
  }
}

/** A text frame, masked with zeros. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0]), payload])
}

const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
const body = JSON.stringify(asked)

function byHttp(): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = request(url, { method: 'POST', agent, headers }, reply => reply.resume().on('end', resolve))
    sent.on('error', reject).end(body)
  })
}

const sockets = await Promise.all(Array.from({ length: concurrency }, () => BareSocket.open()))
const message = frame(JSON.stringify({ type: 'response.create', ...asked }))

/** The microseconds of CPU time for each request. */
async function cost(ask: (index: number) => Promise<void>): Promise<number> {
  const beforeMs = cpuMs(server.pid)
  let left = requests
  await Promise.all(
    Array.from({ length: concurrency }, async (_, index) => {
      while (left-- > 0) await ask(index)
    }),
  )
  return ((cpuMs(server.pid) - beforeMs) * 1_000) / requests
}

async function memory(): Promise<Memory> {
  const answer = once(server.child, 'message')
  server.child.send('collect')
  return ((await answer) as [Memory])[0]
}

const http = (): Promise<number> => cost(byHttp)
const webSocket = (): Promise<number> => cost(index => sockets[index]!.answer(message))
for (let warmUp = 0; warmUp < warmUps; warmUp++) console.error('warm-up:', rounded(await http(), 0), rounded(await webSocket(), 0))
const ratios: number[] = []
for (let round = 0; round < rounds; round++) {
  const [request, sent] = [await http(), await webSocket()]
  ratios.push(sent / request)
  console.log(`HTTP ${rounded(request, 0)} µs, WebSocket ${rounded(sent, 0)} µs: ${rounded(sent / request, 2)}`)
}
const ratio = ratios.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!
verdict('CPU of a message ÷ HTTP request', ratio, maxRatio)

agent.destroy()
for (const { socket } of sockets) socket.destroy()
// The first connections bring things that are there only once.
for (const { socket } of await Promise.all(Array.from({ length: 200 }, () => BareSocket.open()))) socket.destroy()
const before = await memory()
const idle: BareSocket[] = []
while (idle.length < idleConnections) idle.push(...(await Promise.all(Array.from({ length: 100 }, () => BareSocket.open()))))
const after = await memory()
const kb = (name: 'rss' | 'heapUsed' | 'external'): number => (after[name] - before[name]) / 1024 / idleConnections
console.log(`heap ${rounded(kb('heapUsed'), 1)} kB, external ${rounded(kb('external'), 1)} kB`)
verdict('kB of an idle connection', kb('rss'), maxKb)

function verdict(what: string, value: number, limit: number): void {
  console.log(`${value <= limit ? 'ok' : 'TOO MUCH'}: ${what}: ${rounded(value, 2)}, at most ${limit}`)
  if (value > limit) process.exitCode = 1
}

for (const { socket } of idle) socket.destroy()
await server.stop()
vendor.close()
vendor.closeAllConnections()
