import type { JsonObject, PluginUse } from '../../../../core/index.ts'
import aiSdk from '../../../../plugins/providers/ai-sdk/index.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import bedrock from '../../../../plugins/providers/bedrock/index.ts'
import cohere from '../../../../plugins/providers/cohere/index.ts'
import gemini from '../../../../plugins/providers/gemini/index.ts'
import { hosts, type Host, type HostName } from '../../../../plugins/providers/openai-chat/hosts.ts'
import ollama from '../../../../plugins/providers/ollama/index.ts'
import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../../../plugins/providers/openai-responses/index.ts'
import type { Turn } from './conversations.ts'
import { chatTurns, cohereTurns, converseTurns, geminiTurns, messagesTurns, ollamaTurns, responsesTurns } from './vendor-turns.ts'

/** A plugin before a vendor, with models that it treats differently. */
export interface WireUnderTest {
  readonly use: (id: string, baseUrl: string) => PluginUse
  readonly models: readonly string[]
  /** What the vendor answers, one turn after the other. */
  readonly turns: readonly JsonObject[]
  /** Where the vendor's protocol forces a change: between two turns of which the first was the last one before. */
  readonly excepted?: (last: Turn, next: Turn, model: string) => boolean
}

const apiKey = 'sk-demo-1'
const aws = { credentials: { accessKeyId: 'AKIADEMOPREFIX', secretAccessKey: 'sk-demo-1' }, region: 'us-east-1' }

/** Those that say a conversation differently. */
const chatHosts: readonly HostName[] = ['openai', 'deepseek', 'mistral', 'perplexity', 'groq', 'openrouter', 'vercel', 'compatible']

const thoughts: Readonly<Record<NonNullable<Host['reasoning']>, (text: string) => JsonObject>> = {
  reasoning: reasoning => ({ reasoning }),
  reasoning_content: reasoning_content => ({ reasoning_content }),
  reasoning_details: text => ({ reasoning_details: [{ type: 'reasoning.text', text, signature: 'c2ln', index: 0 }] }),
  thinking: text => ({
    content: [
      { type: 'thinking', thinking: [{ type: 'text', text }] },
      { type: 'text', text: 'So it is. ' },
    ],
  }),
}

function chatWire(host: HostName): WireUnderTest {
  const { reasoning = 'reasoning_content', alternating }: Host = hosts[host]
  return {
    use: (id, baseUrl) => openaiChat({ id, baseUrl, apiKey, host }),
    models: ['m'],
    turns: chatTurns(thoughts[reasoning]),
    excepted(last, next) {
      // Two turns of the user have to be one message: with an image, a text is no longer the whole of it.
      if (alternating && last.by === 'user') return next.by === 'user'
      // An answer that goes on is one message with one thought, which stands before the text.
      return reasoning === 'thinking' && last.by === 'model' && next.by === 'model'
    },
  }
}

export const wires: Readonly<Record<string, WireUnderTest>> = {
  'openai-responses': {
    use: (id, baseUrl) => openaiResponses({ id, baseUrl, apiKey }),
    models: ['gpt-5'],
    turns: responsesTurns,
  },
  anthropic: {
    use: (id, baseUrl) => anthropic({ id, baseUrl, apiKey }),
    models: ['claude-3-5-haiku', 'claude-sonnet-4-5', 'claude-opus-4-8', 'claude-opus-5'],
    turns: messagesTurns,
    // A system turn may not stand before a turn of the user. Older models have none.
    excepted: (last, next, model) => last.by === 'system' && next.by !== 'model' && model.startsWith('claude-opus'),
  },
  gemini: {
    use: (id, baseUrl) => gemini({ id, baseUrl, apiKey }),
    models: ['gemini-2.5-flash', 'gemini-3-pro-preview', 'gemma-3-27b-it'],
    turns: geminiTurns,
  },
  bedrock: {
    use: (id, baseUrl) => bedrock({ ...aws, id, baseUrl, invoke: { 'anthropic.claude-sonnet-4-6': 'anthropic' } }),
    models: ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'amazon.nova-lite-v1:0', 'mistral.mistral-7b-instruct-v0:2'],
    turns: converseTurns,
  },
  cohere: {
    use: (id, baseUrl) => cohere({ id, baseUrl, apiKey }),
    models: ['command-a-reasoning-08-2025', 'command-r-plus'],
    turns: cohereTurns,
  },
  ollama: {
    use: (id, baseUrl) => ollama({ id, baseUrl, listModels: false }),
    models: ['m'],
    turns: ollamaTurns,
  },
  'ai-sdk': {
    use: (id, baseUrl) => aiSdk({ id, package: '@ai-sdk/groq', apiKey, baseUrl }),
    models: ['m'],
    turns: chatTurns(thoughts.reasoning),
  },
  ...Object.fromEntries(chatHosts.map(host => [`chat-${host}`, chatWire(host)])),
}
