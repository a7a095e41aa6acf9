// Servers that each do one thing more than the one before, from a forwarder to what every gateway must do. What the gateway costs beyond
// the last rung is its own: planning, attempts, records, metrics, limits.

import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { H3, HTTPResponse } from 'h3'
import { toNodeHandler } from 'h3/node'
import { Agent, type Dispatcher } from 'undici'
import { newResponse } from '../plugins/endpoints/responses/response-object.ts'
import { parseRequest } from '../plugins/endpoints/responses/parse.ts'
import type { RequestBody } from '../plugins/endpoints/responses/request-body.ts'
import { rungs, type Rung, type RungName } from './rungs.ts'

const upstream = process.env['BENCH_UPSTREAM']!
const rung: Rung = rungs[process.env['BENCH_RUNG'] as RungName]
const agent = new Agent({ keepAliveTimeout: 30_000, headersTimeout: 0, bodyTimeout: 0 })
const upstreamHeaders = { 'content-type': 'application/json', authorization: 'Bearer sk-demo-upstream' }
const keys = new Map<string, number>()
let served = 0

createServer(rung.h3 ? throughH3() : directly).listen(Number(process.env['BENCH_PORT']), '127.0.0.1')

function directly(incoming: IncomingMessage, outgoing: ServerResponse): void {
  readText(incoming)
    .then(text => answer(text, incoming.headers.authorization ?? ''))
    .then(
      text => outgoing.writeHead(200, headersOf(text)).end(text),
      () => outgoing.destroy(),
    )
}

function throughH3(): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const h3 = new H3({ silent: true })
  h3.on('POST', '/v1/responses', async ({ req }) => {
    const text = await answer(await req.text(), req.headers.get('authorization') ?? '')
    return new HTTPResponse(text, { headers: headersOf(text) })
  })
  return toNodeHandler(h3) as (incoming: IncomingMessage, outgoing: ServerResponse) => void
}

function headersOf(text: string): Record<string, string> {
  return { 'content-type': 'application/json', 'x-request-id': 'req_1', 'content-length': `${Buffer.byteLength(text)}` }
}

async function answer(text: string, authorization: string): Promise<string> {
  if (rung.key) lookUp(authorization)
  if (!rung.json) return await ask(text)
  const body = JSON.parse(text) as { readonly input: string }
  const request = rung.validation ? parseRequest(body).body : (messageOf(body) as RequestBody)
  const reply = JSON.parse(await ask(JSON.stringify(chatOf(body.input)))) as ChatReply
  const id = served++
  const content = [{ type: 'output_text', text: reply.choices[0]!.message.content, annotations: [], logprobs: [] }]
  return JSON.stringify({
    ...newResponse(`resp_${id}`, Math.floor(Date.now() / 1000), request),
    status: 'completed',
    output: [{ type: 'message', id: `msg_${id}`, status: 'completed', role: 'assistant', content }],
    usage: { input_tokens: reply.usage.prompt_tokens, output_tokens: reply.usage.completion_tokens },
  })
}

interface ChatReply {
  readonly choices: readonly { readonly message: { readonly content: string } }[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

function lookUp(authorization: string): void {
  const [, key = ''] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  const found = hash('sha256', key, 'base64url')
  if (!keys.has(found)) keys.set(found, 1)
}

function messageOf(body: { readonly input: string }): object {
  return { ...body, input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: body.input }] }] }
}

function chatOf(content: string): object {
  return { model: 'bench-model', messages: [{ role: 'user', content }] }
}

function ask(body: string): Promise<string> {
  const options = { origin: upstream, path: '/v1/chat/completions', method: 'POST', headers: upstreamHeaders, body } as const
  if (!rung.dispatch) return agent.request(options).then(reply => readText(reply.body))
  return new Promise((resolve, reject) => void agent.dispatch(options, new WholeReply(resolve, reject)))
}

class WholeReply implements Dispatcher.DispatchHandler {
  readonly #parts: Buffer[] = []
  readonly #resolve: (text: string) => void
  readonly #reject: (error: Error) => void

  constructor(resolve: (text: string) => void, reject: (error: Error) => void) {
    this.#resolve = resolve
    this.#reject = reject
  }

  onRequestStart(): void {}

  onResponseStart(): void {}

  onResponseData(_: unknown, part: Buffer): void {
    this.#parts.push(part)
  }

  onResponseEnd(): void {
    this.#resolve((this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)).toString())
  }

  onResponseError(_: unknown, error: Error): void {
    this.#reject(error)
  }
}

function readText(body: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    body.on('data', (part: Buffer) => parts.push(part))
    body.on('end', () => resolve((parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString()))
    body.on('error', reject)
  })
}
