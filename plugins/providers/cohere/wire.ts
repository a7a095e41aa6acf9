import type { JsonObject } from '../../../core/index.ts'

// The request, from the vendor's "Chat" reference (v2).

export interface TextContent {
  readonly type: 'text'
  readonly text: string
}

export interface ImageContent {
  readonly type: 'image_url'
  readonly image_url: { readonly url: string; readonly detail?: 'low' | 'high' | 'auto' }
}

export interface ThinkingContent {
  readonly type: 'thinking'
  readonly thinking: string
}

export interface DocumentContent {
  readonly type: 'document'
  readonly document: { readonly data: JsonObject }
}

export interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content?: string | readonly (TextContent | ThinkingContent)[]
  readonly tool_plan?: string
  readonly tool_calls?: readonly ToolCall[]
}

export type Message =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly (TextContent | ImageContent)[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string | readonly DocumentContent[] }
  | AssistantMessage

export interface Document {
  readonly id: string
  readonly data: { readonly title: string; readonly text: string }
}

export interface Tool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description?: string; readonly parameters: JsonObject }
}

export type Thinking = { readonly type: 'disabled' } | { readonly type: 'enabled'; readonly token_budget?: number }

/** Members from the caller's settings. */
export interface ChatSettings {
  readonly max_tokens?: number
  readonly temperature?: number
  readonly p?: number
  readonly frequency_penalty?: number
  readonly k?: number
  readonly seed?: number
  readonly stop_sequences?: readonly string[]
  readonly presence_penalty?: number
  readonly logprobs?: true
  readonly thinking?: Thinking
  readonly response_format?: { readonly type: 'json_object'; readonly json_schema?: JsonObject }
}

export interface ChatBody extends ChatSettings {
  readonly model: string
  readonly messages: readonly Message[]
  readonly documents?: readonly Document[]
  readonly tools?: readonly Tool[]
  readonly tool_choice?: 'REQUIRED' | 'NONE'
  readonly strict_tools?: true
  readonly stream: boolean
}
