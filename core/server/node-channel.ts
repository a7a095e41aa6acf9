import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { Heartbeat } from './heartbeat.ts'
import { incompleteBody } from './incomplete-body.ts'
import type { Channel, HeaderReader } from './channel.ts'
import { NodeBody } from './node-body.ts'
import { unreadRest } from './unread-rest.ts'

/** A request straight from Node.js, and its reply. */
export class NodeChannel implements Channel, HeaderReader {
  readonly #message: IncomingMessage
  readonly #response: ServerResponse
  #request: Request | undefined

  constructor(message: IncomingMessage, response: ServerResponse) {
    this.#message = message
    this.#response = response
  }

  get method(): string {
    return this.#message.method!
  }

  get headers(): HeaderReader {
    return this
  }

  /** Like `Headers`, and unlike Node.js, it joins all values of a repeated header. Two keys must not pass for the first of them. */
  get(name: string): string | null {
    const { rawHeaders } = this.#message
    let found: string | null = null
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const each = rawHeaders[index]!
      if (each.length !== name.length || (each !== name && each.toLowerCase() !== name)) continue
      const value = rawHeaders[index + 1]!
      found = found === null ? value : `${found}, ${value}`
    }
    return found
  }

  get query(): URLSearchParams {
    const url = this.#message.url!
    const mark = url.indexOf('?')
    return new URLSearchParams(mark === -1 ? '' : url.slice(mark))
  }

  get request(): Request {
    return (this.#request ??= webRequest(this.#message, this.#response))
  }

  text(): Promise<string> {
    const message = this.#message
    if (message.readableDidRead) return Promise.reject(incompleteBody(new TypeError('the body was already read')))
    return new Promise((resolve, reject) => {
      let first: Buffer | undefined
      let all: Buffer[] | undefined
      message.on('data', (chunk: Buffer) => {
        if (!first) first = chunk
        else (all ??= [first]).push(chunk)
      })
      message.on('end', () => resolve(all ? Buffer.concat(all).toString() : first ? first.toString() : ''))
      message.on('close', () => message.readableEnded || reject(incompleteBody(new TypeError('the connection was closed'))))
    })
  }

  pieces(): AsyncIterable<Uint8Array> {
    return this.#message.iterator({ destroyOnReturn: false })
  }

  watch(gone: () => void): void {
    const response = this.#response
    response.on('close', () => response.writableEnded || gone())
  }

  stream(heartbeat: Heartbeat): NodeBody {
    return new NodeBody(heartbeat, this.#response)
  }

  sendText(status: number, head: string[], text: string): void {
    const response = this.#response
    // The client has gone.
    if (response.destroyed) return
    response.writeHead(status, head)
    if (this.#message.complete) response.end(text)
    else endLater(response, text)
  }

  sendBody(status: number, head: string[], body: NodeBody): void {
    if (this.#response.destroyed) return
    this.#response.writeHead(status, head)
    body.begin()
  }
}

/** The whole reply goes out now. Ending it would close the connection of a caller that is still sending. */
function endLater(response: ServerResponse, text: string): void {
  if (text === '') response.flushHeaders()
  else response.write(text)
  void unreadRest(response.req).then(() => response.end())
}

function webRequest(message: IncomingMessage, response: ServerResponse): Request {
  const { method = 'GET', rawHeaders, socket } = message
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) headers.append(rawHeaders[index]!, rawHeaders[index + 1]!)
  const left = new AbortController()
  response.once('close', () => response.writableEnded || left.abort())
  const hasBody = method !== 'GET' && method !== 'HEAD' && !message.readableDidRead
  return new Request(urlOf(message, (socket as TLSSocket).encrypted ? 'https' : 'http'), {
    method,
    headers,
    signal: left.signal,
    ...(hasBody && { body: Readable.toWeb(message) as ReadableStream<Uint8Array>, duplex: 'half' }),
  })
}

/** Callers may send any host, even one that no URL can have. */
function urlOf({ headers: { host }, url = '/' }: IncomingMessage, scheme: string): string {
  const whole = `${scheme}://${host}${url}`
  return host && URL.canParse(whole) ? whole : `${scheme}://localhost${url}`
}
