import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'

/** What the vendor's own SDK makes of bytes: its finished object, of a stream as well. Throws where it refuses them. */
export type Accumulate = (body: Uint8Array, stream: boolean) => Promise<unknown>

function options(body: Uint8Array, stream: boolean) {
  const headers = { 'content-type': stream ? 'text/event-stream' : 'application/json' }
  const fetch = async (): Promise<Response> => new Response(Buffer.from(body), { headers })
  return { apiKey: 'sk-demo-read', baseURL: 'http://vendor.example.com/v1', maxRetries: 0, logLevel: 'off' as const, fetch }
}

export const accumulateMessage: Accumulate = async (body, stream) => {
  const client = new Anthropic(options(body, stream))
  const request = { model: 'any', max_tokens: 100, messages: [{ role: 'user' as const, content: 'hi' }] }
  return plain(await (stream ? client.messages.stream(request).finalMessage() : client.messages.create(request)))
}

export const accumulateCompletion: Accumulate = async (body, stream) => {
  const client = new OpenAI(options(body, stream))
  const request = { model: 'any', messages: [{ role: 'user' as const, content: 'hi' }] }
  return plain(await (stream ? client.chat.completions.stream(request).finalChatCompletion() : client.chat.completions.create(request)))
}

/** SDKs hide what they keep for themselves from JSON. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
