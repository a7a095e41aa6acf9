import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { readBedrock } from './bedrock.ts'
import { readChatChunks, readChatCompletion } from './chat.ts'
import { readCohere } from './cohere.ts'
import { readGenerateContent } from './gemini.ts'
import { object, string } from './json.ts'
import { readMessage, readMessageEvents } from './messages.ts'
import { readOllama } from './ollama.ts'
import { plainSse } from './plain-sse.ts'
import type { ErrorReading, Reading } from './reading.ts'
import { readResponse, readResponseEvents } from './responses.ts'
import { VendorServer, type ServedReply } from './vendor-server.ts'

export type Wire = SdkWire | 'gemini' | 'cohere' | 'ollama' | BedrockWire

/** Amazon Bedrock has one wire for its own dialect and one that carries others'. */
type BedrockWire = 'bedrock-converse' | 'bedrock-invoke'

/** Those whose vendor's own SDK is at hand. */
type SdkWire = 'openai-chat' | 'openai-responses' | 'anthropic'

/** The wire of a recording's `api`; undefined for those that the oracle cannot read. */
export function wireOf(api: string): Wire | undefined {
  if (api === 'chat') return 'openai-chat'
  if (api === 'responses') return 'openai-responses'
  if (api === 'generateContent') return 'gemini'
  if (api === 'chat-v2') return 'cohere'
  if (api === 'native-chat') return 'ollama'
  if (api === 'converse' || api === 'invoke') return `bedrock-${api}`
  return api === 'messages' ? 'anthropic' : undefined
}

export interface OracleReading extends Reading {
  /** Why the vendor's own SDK could not read the reply, which was then read without it. */
  readonly withoutSdk: string | undefined
}

/**
 * Says what recorded bytes mean, without a line of the gateway: the vendor's own SDK reads them from a local server,
 * and what it yields is folded by the vendor's documents.
 */
export class Oracle {
  readonly #server = new VendorServer()

  static async start(): Promise<Oracle> {
    const oracle = new Oracle()
    await oracle.#server.listen()
    return oracle
  }

  async close(): Promise<void> {
    await this.#server.close()
  }

  async read(wire: Wire, reply: ServedReply, stream: boolean): Promise<OracleReading> {
    if (wire === 'gemini') return { ...readGenerateContent(reply.status, reply.body), withoutSdk: undefined }
    if (wire === 'cohere') return { ...readCohere(reply.status, reply.body, stream), withoutSdk: undefined }
    if (wire === 'ollama') return { ...readOllama(reply.status, reply.body), withoutSdk: undefined }
    if (wire === 'bedrock-converse' || wire === 'bedrock-invoke')
      return { ...(await readBedrock(wire === 'bedrock-converse' ? 'converse' : 'invoke', reply, stream)), withoutSdk: undefined }
    const fold = folds[wire]
    const said: unknown[] = []
    try {
      await fold.receive(this.#server.serve(reply), stream, value => void said.push(value))
      return { ...(stream ? fold.events(said) : fold.whole(said[0])), withoutSdk: undefined }
    } catch (error) {
      const reading = stream ? fold.events(said) : fold.events([])
      if (error instanceof OpenAI.APIError || error instanceof Anthropic.APIError)
        return { ...reading, error: reading.error ?? vendorError(error), withoutSdk: undefined }
      const payloads = stream ? plainSse(reply.body) : [JSON.parse(Buffer.from(reply.body).toString('utf8')) as unknown]
      return { ...(stream ? fold.events(payloads) : fold.whole(payloads[0])), withoutSdk: String(error) }
    }
  }
}

interface Fold {
  /** Asks through the SDK, and yields its events. */
  receive(baseURL: string, stream: boolean, take: (value: unknown) => void): Promise<void>
  whole(body: unknown): Reading
  events(events: readonly unknown[]): Reading
}

const logLevel = 'off'

const folds: Readonly<Record<SdkWire, Fold>> = {
  'openai-chat': {
    async receive(baseURL, stream, take) {
      const client = new OpenAI({ apiKey: 'sk-demo-oracle', baseURL, maxRetries: 0, logLevel })
      const request = { model: 'any', messages: [{ role: 'user' as const, content: 'hi' }] }
      if (!stream) return take(await client.chat.completions.create(request))
      for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) take(chunk)
    },
    whole: readChatCompletion,
    events: readChatChunks,
  },
  'openai-responses': {
    async receive(baseURL, stream, take) {
      const client = new OpenAI({ apiKey: 'sk-demo-oracle', baseURL, maxRetries: 0, logLevel })
      const request = { model: 'any', input: 'hi' }
      if (!stream) return take(await client.responses.create(request))
      for await (const event of await client.responses.create({ ...request, stream: true })) take(event)
    },
    whole: readResponse,
    events: readResponseEvents,
  },
  anthropic: {
    async receive(baseURL, stream, take) {
      const client = new Anthropic({ apiKey: 'sk-demo-oracle', baseURL, maxRetries: 0, logLevel })
      const request = { model: 'any', max_tokens: 100, messages: [{ role: 'user' as const, content: 'hi' }] }
      if (!stream) return take(await client.messages.create(request))
      for await (const event of await client.messages.create({ ...request, stream: true })) take(event)
    },
    whole: readMessage,
    events: readMessageEvents,
  },
}

function vendorError(error: InstanceType<typeof OpenAI.APIError> | InstanceType<typeof Anthropic.APIError>): ErrorReading {
  const body = object(error.error)
  const inner = typeof body['error'] === 'string' ? body : object(body['error'] ?? body)
  return {
    status: error.status ?? null,
    code: string(inner['code']) || (typeof inner['code'] === 'number' ? String(inner['code']) : '') || string(inner['type']) || null,
    // xAI sends the sentence alone as the error, Mistral as the detail.
    message: string(inner['message']) || string(inner['detail']) || string(error.error),
    body: JSON.stringify(error.error ?? error.message),
  }
}
