import type { JsonObject } from '../../../core/index.ts'
import type { ChatHost } from '../../../dialects/index.ts'
import { hosts } from '../openai-chat/hosts.ts'

/** "Chat Completion API" of the vendor's reference: the row among the hosts of Chat Completions. */
export const mistralHost: ChatHost = hosts.mistral

export interface Safeguards {
  readonly safePrompt?: boolean | undefined
  readonly guardrails?: readonly JsonObject[] | undefined
}

/** The members that the operator adds to every request. */
export function safeguarded({ safePrompt, guardrails }: Safeguards): Pick<ChatHost, 'added'> {
  return { added: { ...(safePrompt !== undefined && { safe_prompt: safePrompt }), ...(guardrails?.length && { guardrails }) } }
}
