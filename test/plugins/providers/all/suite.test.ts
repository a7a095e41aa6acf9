import t from 'tap'
import type { FailureKind, GenerationEvent } from '../../../../core/index.ts'
import { ApiKeys, type ProviderAdapter } from '../../../../core/kit.ts'
import { providerSuite, sseFrame, type InsideFailureExample, type ProviderSuiteOptions } from '../../../../core/testing/index.ts'
import { chatAdapter, messagesAdapter, responsesAdapter, type ChatHost } from '../../../../dialects/index.ts'
import { claude } from '../../../../plugins/providers/anthropic/models.ts'
import { bedrockAdapter } from '../../../../plugins/providers/bedrock/adapter.ts'
import { cohereAdapter } from '../../../../plugins/providers/cohere/adapter.ts'
import { geminiAdapter } from '../../../../plugins/providers/gemini/adapter.ts'
import { mistralHost } from '../../../../plugins/providers/mistral/host.ts'
import { ollamaAdapter } from '../../../../plugins/providers/ollama/adapter.ts'
import { hosts } from '../../../../plugins/providers/openai-chat/hosts.ts'
import { searching } from '../../../../plugins/providers/openai-responses/searching.ts'
import { encodeEvent } from '../oracle/bedrock-framing.ts'
import * as answers from './answers.ts'
import type { VendorAnswer } from './answers.ts'

// The same few words in every dialect, and its way to say under a 200 that it failed. Richer examples are in each adapter's own test.

const url = 'https://api.example.com'
const secret = 'sk-demo-suite'
const keys = new ApiKeys(secret)

const model: GenerationEvent = { type: 'model', model: 'demo' }
const said: GenerationEvent = { type: 'text', text: 'Hello.' }
const usage: GenerationEvent = {
  type: 'usage',
  usage: { uncachedInput: 3, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 2, reasoning: 0 },
}
const finish: GenerationEvent = { type: 'finish', reason: 'stop' }

interface Dialect {
  readonly adapter: ProviderAdapter
  readonly answer: VendorAnswer
  readonly streamed: readonly GenerationEvent[]
  /** Where they differ from those of the stream. */
  readonly whole?: readonly GenerationEvent[]
  readonly failures: readonly InsideFailureExample[]
}

function inside(kind: FailureKind, stream: string | Uint8Array | undefined, body?: unknown): InsideFailureExample {
  return {
    name: `${kind} under a 200`,
    kind,
    ...(stream && { stream: { body: stream, events: [] } }),
    ...(body !== undefined && { reply: { body } }),
  }
}

const slower = { error: { message: 'Slower, please.', code: 429 } }
const busy = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
const unavailable = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
const failed = { type: 'error', code: 'server_error', message: 'Sorry.', param: null }
const chat = { answer: answers.chat, streamed: [model, said, usage, finish] }
const limited = inside('rate-limit', sseFrame(slower), slower)

const dialects: Readonly<Record<string, Dialect>> = {
  'openai-responses': {
    adapter: responsesAdapter({ search: searching, obfuscation: false }, { baseUrl: url, keys }),
    answer: answers.responses,
    streamed: [model, said, { type: 'item-end' }, usage, finish],
    failures: [inside('unavailable', sseFrame(failed, 'error'), { status: 'failed', output: [], error: failed })],
  },
  ...Object.fromEntries(
    (['openai', 'compatible', 'groq', 'openrouter', 'vllm'] as const).map(name => {
      const host: ChatHost = hosts[name]
      return [`openai-chat ${name}`, { ...chat, adapter: chatAdapter(host, { baseUrl: url, keys }), failures: [limited] }]
    }),
  ),
  mistral: { ...chat, adapter: chatAdapter(mistralHost, { baseUrl: url, keys }), failures: [limited] },
  anthropic: {
    adapter: messagesAdapter({ traits: claude }, { baseUrl: url }),
    answer: answers.messages,
    streamed: [model, usage, said, usage, finish],
    whole: [model, said, usage, finish],
    failures: [inside('overloaded', sseFrame(busy, 'error'), busy)],
  },
  gemini: {
    adapter: geminiAdapter({ modelUrl: () => `${url}/models/demo` }),
    answer: answers.gemini,
    streamed: [said, usage, finish],
    failures: [inside('overloaded', sseFrame(unavailable), unavailable)],
  },
  bedrock: {
    adapter: bedrockAdapter({ baseUrl: url }),
    answer: answers.converse,
    streamed: [said, usage, finish],
    failures: [inside('rate-limit', encodeEvent('throttlingException', { message: 'Slower, please.' }))],
  },
  cohere: {
    adapter: cohereAdapter({ url }),
    answer: answers.cohere,
    streamed: [said, usage, finish],
    failures: [inside('unavailable', sseFrame({ type: 'message-end', delta: { finish_reason: 'ERROR', error: 'Sorry.' } }, 'message-end'))],
  },
  ollama: {
    adapter: ollamaAdapter({ url }),
    answer: answers.ollama,
    streamed: [model, said, usage, finish],
    failures: [inside('overloaded', '{"error":"server busy"}\n', { error: 'server busy' })],
  },
}

for (const [name, { adapter, answer, streamed, whole = streamed, failures }] of Object.entries(dialects)) {
  const options: ProviderSuiteOptions = {
    adapter,
    secrets: [secret],
    credentialId: keys.credentials![0]!.id,
    examples: [
      {
        name: 'a greeting',
        request: { model: 'demo', input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }] },
        stream: { body: answer.stream, events: streamed },
        reply: { body: JSON.parse(answer.whole), events: whole },
        billed: { input: 3, output: 2 },
      },
    ],
    failuresInside: failures,
  }
  t.test(name, async t => providerSuite(t, options))
}
