import { connect, type Socket } from 'node:net'
import type { Test } from 'tap'
import { WebSocket } from 'undici'
import websocket from '../../../../plugins/endpoints/responses-websocket/index.ts'
import type { PluginUse } from '../../../../core/index.ts'
import { listeningGateway, scripted, type ListeningGateway } from '../../../kit/gateway.ts'

type Options = NonNullable<Parameters<typeof listeningGateway>[0]>

/** Of the gateway. Its members depend on the type. */
export type ServerEvent = Readonly<Record<string, any>>

export async function underTest(t: Test, options: Parameters<typeof websocket>[0] = {}, more: Options = {}): Promise<ListeningGateway> {
  const under = await listeningGateway({ ...more, plugins: [websocket(options), ...(more.plugins ?? [])] })
  t.teardown(under.stop)
  return under
}

/** A client of the protocol. It keeps every event, and hands each out once. */
export class Peer {
  readonly events: ServerEvent[] = []
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  readonly socket: WebSocket
  #read = 0
  #arrived: () => void = () => {}
  #isClosed = false

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.addEventListener('message', ({ data }) => {
      this.events.push(JSON.parse(data as string) as ServerEvent)
      this.#arrived()
    })
    socket.addEventListener('error', () => {})
    this.closed = new Promise(resolve =>
      socket.addEventListener('close', ({ code, reason }) => {
        this.#isClosed = true
        this.#arrived()
        resolve({ code, reason })
      }),
    )
  }

  static async open(
    { url, apiKey }: Pick<ListeningGateway, 'url' | 'apiKey'>,
    key = apiKey,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Peer> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, { headers: { authorization: `Bearer ${key}`, ...headers } })
    const peer = new Peer(socket)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', ({ error, message }) => reject(error ?? new Error(message)))
    })
    return peer
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** Creates a response. */
  create(request: object): void {
    this.send({ type: 'response.create', model: 'sandbox/echo', store: false, ...request })
  }

  /** The next event of one of these types. */
  async next(...types: readonly string[]): Promise<ServerEvent> {
    for (;;) {
      while (this.#read < this.events.length) {
        const event = this.events[this.#read++]!
        if (types.includes(event['type'])) return event
      }
      if (this.#isClosed) throw new Error(`the connection was closed before ${types.join(' or ')}`)
      await new Promise<void>(resolve => (this.#arrived = resolve))
    }
  }

  /** The response of the next last event. */
  async last(): Promise<ServerEvent> {
    const event = await this.next('response.completed', 'response.incomplete', 'response.failed', 'error')
    if (event['type'] === 'error') throw new Error(`got the error ${JSON.stringify(event)}`)
    return event['response']
  }

  /** Creates a response and waits for its last event. */
  async answer(request: object): Promise<ServerEvent> {
    this.create(request)
    return await this.last()
  }

  async fails(request: object): Promise<ServerEvent> {
    this.create(request)
    return await this.next('error')
  }

  close(): void {
    this.socket.close()
  }
}

export function textOf(response: ServerEvent): string {
  return response['output'].flatMap(({ content = [] }: ServerEvent) => content.map(({ text }: ServerEvent) => text)).join('')
}

export interface Held {
  readonly plugin: PluginUse
  /** The texts of the requests that have reached the model `held/any`. */
  readonly begun: readonly string[]
  /** Lets one be answered. */
  go(text: string): void
  /** Resolves once so many have begun. */
  hasBegun(count: number): Promise<void>
}

/** A model whose answers the test lets go. */
export function held(): Held {
  const begun: string[] = []
  const waiting = new Map<string, () => void>()
  let noticed: () => void = () => {}
  const plugin = scripted('held', async function* ({ request, signal }) {
    const item = request.input.at(-1)!
    const text = 'content' in item ? String((item.content as readonly { readonly text?: string }[])[0]!.text) : ''
    begun.push(text)
    noticed()
    await new Promise<void>((resolve, reject) => {
      waiting.set(text, resolve)
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
    yield { type: 'text', text }
    yield { type: 'finish', reason: 'stop' }
  })
  return {
    plugin,
    begun,
    go: (text: string) => waiting.get(text)!(),
    async hasBegun(count: number): Promise<void> {
      while (begun.length < count) await new Promise<void>(resolve => (noticed = resolve))
    },
  }
}

/** The headers of an upgrade. */
export const upgrade = { 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }

/** A frame of a client, masked with zeros. */
export function frame(first: number, payload: Buffer): Buffer {
  const length = payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 0xff]
  return Buffer.concat([Buffer.from([first, ...length, 0, 0, 0, 0]), payload])
}

/** A connection of bytes. Its first are the 101. */
export function upgraded({ url, apiKey }: ListeningGateway): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const lines = Object.entries({ host: 'a', connection: 'Upgrade', upgrade: 'websocket', ...upgrade, authorization: `Bearer ${apiKey}` })
  socket.write(`GET /v1/responses HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  return socket
}
