import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { z } from 'zod'

export interface McpRequest {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly name?: string; readonly cursor?: string; readonly arguments?: Record<string, unknown> }
}

export interface RawCall {
  readonly message: McpRequest
  readonly headers: IncomingHttpHeaders
  readonly response: ServerResponse
  reply(result: object, headers?: object): void
  error(message: string, code?: number): void
}

export interface RawServer {
  readonly origin: string
  readonly url: string
  /** The requests that arrived, with their paths. */
  readonly seen: { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders }[]
  close(): Promise<void>
}

export const said = (text: string): object => ({ content: [{ type: 'text', text }] })
export const echo = { name: 'echo', description: 'Echoes.', inputSchema: { type: 'object' } }

/** A server of the older protocol that does as the test says. Undefined: it has answered itself. */
export async function rawServer(answer: (call: RawCall) => object | undefined | Promise<object | undefined>): Promise<RawServer> {
  return await serving(async (request, response, seen) => {
    const body = request.method === 'POST' ? ((await json(request)) as McpRequest) : undefined
    seen(body?.method ?? request.method!)
    if (!body) return void response.writeHead(405).end()
    const { id, method } = body
    const write = (result: object, headers: object = {}): void =>
      void response
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...result }))
    const call: RawCall = {
      message: body,
      headers: request.headers,
      response,
      reply: (result, headers) => write({ result }, headers),
      error: (message, code = -32_602) => write({ error: { code, message } }),
    }
    const result = await answer(call)
    if (response.headersSent || response.destroyed) return
    if (result) call.reply(result)
    else if (id === undefined) response.writeHead(202).end()
    else if (method === 'server/discover') call.error('Method not found', -32_601)
    else if (method === 'initialize')
      call.reply({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1.0.0' } })
    else if (method === 'tools/list') call.reply({ tools: [echo] })
    else call.reply(said('hello'))
  })
}

/** A server of the official package that only speaks the protocol of 2026-07-28, or both, and one tool per caller. */
export async function modernServer(legacy: 'reject' | 'stateless' = 'reject'): Promise<RawServer> {
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const server = new McpServer({ name: 'modern', version: '1.0.0' })
      const who = requestInfo?.headers.get('authorization') ?? 'nobody'
      server.registerTool(
        'whoami',
        { description: 'Says who calls.', inputSchema: z.object({ word: z.string().optional() }), annotations: { readOnlyHint: true } },
        ({ word = '' }) => ({ content: [{ type: 'text' as const, text: `${who.replace(/^Bearer /, '').split('-')[0]} ${word}` }] }),
      )
      return server
    },
    { legacy },
  )
  const node = toNodeHandler(handler)
  return await serving(async (request, response, seen) => {
    seen(String(request.headers['mcp-method'] ?? request.method))
    await node(request as never, response)
  })
}

type Serve = (request: IncomingMessage, response: ServerResponse, seen: (method: string) => void) => Promise<void>

async function serving(serve: Serve): Promise<RawServer> {
  const seen: RawServer['seen'] = []
  const http = createServer((request, response) => {
    const { headers, url = '' } = request
    void serve(request, response, method => void seen.push({ method, path: url, headers })).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/mcp`,
    seen,
    async close() {
      const closed = new Promise<void>(resolve => http.close(() => resolve()))
      http.closeAllConnections()
      await closed
    },
  }
}
