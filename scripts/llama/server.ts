import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Engine, NextToken, Reading } from './engine.ts'

interface ChatRequest {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string | readonly { readonly text?: string }[] }[]
  readonly max_tokens?: number
  readonly logprobs?: boolean
  readonly top_logprobs?: number
}

/** Serves chat completions of one token with log probabilities from an engine. */
export class ChatServer {
  /** The engine's reading of each request. */
  readonly readings: Reading[] = []
  readonly #engine: Engine
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Such as `http://127.0.0.1:40123/v1`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  async listen(): Promise<void> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, body] = await this.#answer(request).catch((error: Error) => [500, { error: { message: error.message } }] as const)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  async #answer(request: IncomingMessage): Promise<readonly [status: number, body: object]> {
    const asked = JSON.parse(Buffer.concat(await request.toArray()).toString()) as ChatRequest
    if (asked.max_tokens !== 1) return [400, { error: { message: 'This server generates a single token: max_tokens must be 1.' } }]
    const reading = await this.#engine.read(promptOf(asked))
    this.readings.push(reading)
    return [200, completion(asked, reading)]
  }
}

function promptOf({ messages }: ChatRequest): string {
  const turns = messages.map(
    ({ role, content }) => `${role}: ${typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')}`,
  )
  return `${turns.join('\n')}\nassistant:`
}

function completion({ model, logprobs, top_logprobs: top = 0 }: ChatRequest, { inputTokens, next }: Reading): object {
  const chosen = next[0]!
  const content = [{ ...logprobOf(chosen), top_logprobs: next.slice(0, top).map(logprobOf) }]
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      { index: 0, message: { role: 'assistant', content: chosen.text }, finish_reason: 'length', logprobs: logprobs ? { content } : null },
    ],
    usage: { prompt_tokens: inputTokens, completion_tokens: 1, total_tokens: inputTokens + 1 },
  }
}

function logprobOf({ text, probability }: NextToken): object {
  return { token: text, logprob: Math.log(probability), bytes: [...Buffer.from(text)] }
}
