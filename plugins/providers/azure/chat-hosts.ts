import type { Host } from '../openai-chat/hosts.ts'

const source = 'https://learn.microsoft.com/azure/foundry/openai/latest'

/** OpenAI models with Chat Completions in the v1 API. */
export const current: Host = {
  source,
  baseUrl: undefined,
  extensions: ['prompt_cache_key', 'verbosity'],
  maxTokens: 'max_completion_tokens',
  developerRole: true,
  choices: true,
}

/** The same with a dated API version, which may be older than the extensions. */
export const classic: Host = { source, baseUrl: undefined, maxTokens: 'max_completion_tokens', developerRole: true, choices: true }

/** Other makers' models. Some accept no function as `tool_choice`, and none accept the role `developer`. */
export const otherMakers: Host = {
  source,
  baseUrl: undefined,
  without: ['parallel_tool_calls', 'strict'],
  maxTokens: 'max_completion_tokens',
  toolChoice: 'modes',
  reasoning: 'reasoning_content',
  thinkTags: true,
}
