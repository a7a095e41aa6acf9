import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import { hosts, type HostName } from '../../../../plugins/providers/openai-chat/hosts.ts'
import { replay } from './replay.ts'

/** Vendors whose name is not that of their host. */
const hostOf: Readonly<Record<string, HostName>> = {
  'anthropic-openai-compat': 'anthropic-compat',
  'bedrock-openai-chat': 'bedrock-compat',
  'cohere-openai-compat': 'cohere-compat',
  'gemini-openai-compat': 'gemini-compat',
  'ollama-openai-compat': 'ollama',
  'openai-chat': 'openai',
  'vercel-gateway': 'vercel',
}

replay('openai-chat', (id, baseUrl, { vendor }) => {
  const host = hostOf[vendor] ?? (vendor in hosts ? (vendor as HostName) : 'compatible')
  return openaiChat({ id, baseUrl, host, apiKey: 'sk-demo-replay' })
})
