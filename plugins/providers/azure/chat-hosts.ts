import type { ChatHost } from '../../../dialects/index.ts'

const source = 'https://learn.microsoft.com/azure/foundry/openai/latest'

/** OpenAI models with Chat Completions in the v1 API. */
export const current: ChatHost = {
  source,
  extensions: ['prompt_cache_key', 'verbosity'],
  renamed: { max_tokens: 'max_completion_tokens' },
  developerRole: true,
  choices: true,
}

/** The same with a dated API version, which may be older than the extensions. */
export const classic: ChatHost = { source, renamed: { max_tokens: 'max_completion_tokens' }, developerRole: true, choices: true }

/** Other makers' models. Some accept no function as `tool_choice`, and none accept the role `developer`. */
export const otherMakers: ChatHost = {
  source,
  without: ['parallel_tool_calls', 'strict'],
  renamed: { max_tokens: 'max_completion_tokens' },
  toolChoice: 'modes',
  reasoning: 'reasoning_content',
  thinkTags: true,
}
