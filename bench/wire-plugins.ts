import type { PluginUse } from 'turnpike'
import anthropic from 'turnpike/plugins/providers/anthropic'
import cohere from 'turnpike/plugins/providers/cohere'
import gemini from 'turnpike/plugins/providers/gemini'
import ollama from 'turnpike/plugins/providers/ollama'
import openaiChat from 'turnpike/plugins/providers/openai-chat'
import openaiResponses from 'turnpike/plugins/providers/openai-responses'
import type { Wire } from './streamed-reply.ts'

/** A provider that speaks this dialect to the benchmark's upstream. */
export function wirePlugin(wire: Wire, id: string, baseUrl: string): PluginUse {
  const options = { id, baseUrl, apiKey: 'sk-demo-upstream' }
  switch (wire) {
    case 'openai-chat':
      return openaiChat({ ...options, host: 'openai' })
    case 'openai-responses':
      return openaiResponses(options)
    case 'anthropic':
      return anthropic(options)
    case 'gemini':
      return gemini(options)
    case 'cohere':
      return cohere(options)
    case 'ollama':
      return ollama({ ...options, listModels: false })
  }
}
