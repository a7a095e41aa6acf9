import type { JsonObject } from '../../../core/index.ts'

// The request, from the vendor's "Generate a chat message" reference and its `ChatRequest`.

export interface ToolCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: JsonObject }
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
  readonly thinking?: string
  /** Base64. */
  readonly images?: readonly string[]
  readonly tool_calls?: readonly ToolCall[]
  /** The call that a tool message answers. Older servers support only the name. */
  readonly tool_name?: string
  readonly tool_call_id?: string
}

export interface Tool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description?: string; readonly parameters: JsonObject }
}

export type Think = boolean | 'low' | 'medium' | 'high'

/** Members from the caller's settings. */
export interface ChatSettings {
  readonly format?: 'json' | JsonObject
  readonly options?: JsonObject
  readonly think?: Think
  readonly logprobs?: true
  readonly top_logprobs?: number
  /** True if the server may drop the oldest messages of a conversation that is too long, before and while it answers. */
  readonly truncate: boolean
  readonly shift: boolean
}

export interface ChatBody extends ChatSettings {
  readonly model: string
  readonly messages: readonly Message[]
  readonly tools?: readonly Tool[]
  readonly keep_alive?: string | number
  readonly stream: boolean
}
