import type { JsonObject } from '../../../core/index.ts'
import type { ApiKeys, ProviderAdapter } from '../../../core/kit.ts'
import { openaiChatAdapter } from '../openai-chat/adapter.ts'
import { hosts } from '../openai-chat/hosts.ts'

export interface MistralOptions {
  readonly baseUrl: string
  readonly keys: ApiKeys
  readonly safePrompt?: boolean | undefined
  readonly guardrails?: readonly JsonObject[] | undefined
}

/** "Chat Completion API" of the vendor's reference: the host's entry in Chat Completions, plus what the operator adds to every request. */
export function mistralAdapter({ baseUrl, keys, safePrompt, guardrails }: MistralOptions): ProviderAdapter {
  const added = { ...(safePrompt !== undefined && { safe_prompt: safePrompt }), ...(guardrails?.length && { guardrails }) }
  return openaiChatAdapter({ ...hosts.mistral, added }, baseUrl, keys)
}
