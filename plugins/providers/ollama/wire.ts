import type { JsonObject } from '../../../core/index.ts'

// What is sent, as the vendor's "Generate a chat message" reference and its `ChatRequest` have it.

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
  /** Of the call that a tool's message answers; older servers know the name only. */
  readonly tool_name?: string
  readonly tool_call_id?: string
}

export interface Tool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description?: string; readonly parameters: JsonObject }
}

export type Think = boolean | 'low' | 'medium' | 'high'

/** Members that follow from the caller's settings. */
export interface ChatSettings {
  readonly format?: 'json' | JsonObject
  readonly options?: JsonObject
  readonly think?: Think
  readonly logprobs?: true
  readonly top_logprobs?: number
  /** Whether the server may leave out the oldest messages of a conversation that is too long, and forget them while it answers. */
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
