import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { sseFrame } from '../../../core/testing/index.ts'

/** A vendor of Chat Completions that counts how often it is asked with each id. `pieces`, `betweenMs` in the prompt: how it answers. */
export class CountingUpstream {
  /** How often each id was asked. */
  readonly asked = new Map<string, number>()
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  async listen(): Promise<string> {
    // Otherwise a slow machine closes connections that a gateway is about to use.
    this.#server.keepAliveTimeout = 0
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await once(this.#server.close(), 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {})
    const body = await text(request).catch(() => '')
    const [, id, pieces, betweenMs] = /(call-\d+) (\d+) (\d+)/.exec(body) ?? []
    if (id === undefined) return void response.writeHead(400).end()
    this.asked.set(id, (this.asked.get(id) ?? 0) + 1)
    const usage = { prompt_tokens: 5, completion_tokens: Number(pieces), total_tokens: 5 + Number(pieces) }
    const head = { id: `chatcmpl-${id}`, created: 1, model: 'acme-large' }
    if (!/"stream":true/.test(body)) {
      const choices = [{ index: 0, message: { role: 'assistant', content: id }, finish_reason: 'stop' }]
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }))
    }
    const chunk = (choices: readonly object[], more = {}): string =>
      sseFrame({ ...head, object: 'chat.completion.chunk', choices, ...more })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk([{ index: 0, delta: { role: 'assistant', content: id }, finish_reason: null }]))
    for (let piece = 1; piece < Number(pieces); piece++) {
      await sleep(Number(betweenMs))
      response.write(chunk([{ index: 0, delta: { content: ` ${piece}` }, finish_reason: null }]))
    }
    response.write(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]))
    response.end(`${chunk([], { usage })}data: [DONE]\n\n`)
  }
}
