import type { JsonObject } from '../../core/index.ts'

// The request, from the vendor's "Create a Message" reference.

export interface CacheControl {
  readonly cache_control?: JsonObject
}

export interface TextBlock extends CacheControl {
  readonly type: 'text'
  readonly text: string
}

export interface ImageBlock extends CacheControl {
  readonly type: 'image'
  readonly source: Base64Source | UrlSource | FileSource
}

export interface DocumentBlock extends CacheControl {
  readonly type: 'document'
  readonly title?: string
  readonly source:
    | Base64Source
    | UrlSource
    | FileSource
    | { readonly type: 'text'; readonly media_type: 'text/plain'; readonly data: string }
}

export interface Base64Source {
  readonly type: 'base64'
  readonly media_type: string
  readonly data: string
}

export interface UrlSource {
  readonly type: 'url'
  readonly url: string
}

export interface FileSource {
  readonly type: 'file'
  readonly file_id: string
}

export type InputBlock = TextBlock | ImageBlock | DocumentBlock

export interface ToolResultBlock {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content?: string | readonly Block[]
  readonly is_error?: true
}

export type ThinkingBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }

export interface ToolUseBlock {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: JsonObject
}

export interface CompactionBlock extends JsonObject {
  readonly type: 'compaction'
}

/** A block that this dialect has and the gateway does not read. */
export interface VendorBlock extends JsonObject {
  readonly type: string
}

export type Block = InputBlock | ToolResultBlock | ThinkingBlock | ToolUseBlock | CompactionBlock | VendorBlock

export interface Message {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: readonly Block[]
}

export interface Tool {
  readonly name: string
  readonly description?: string
  readonly input_schema: JsonObject
  readonly strict?: true
}

/** A tool that the vendor runs ("Web search tool"). It takes allowed or blocked domains, not both. */
export interface SearchTool {
  readonly type: 'web_search_20250305'
  readonly name: 'web_search'
  readonly max_uses?: number
  readonly allowed_domains?: readonly string[]
  readonly blocked_domains?: readonly string[]
  readonly user_location?: {
    readonly type: 'approximate'
    readonly city?: string
    readonly region?: string
    readonly country?: string
    readonly timezone?: string
  }
}

export type ToolChoice =
  | { readonly type: 'auto' | 'any'; readonly disable_parallel_tool_use?: true }
  | { readonly type: 'tool'; readonly name: string; readonly disable_parallel_tool_use?: true }
  | { readonly type: 'none' }

export type Thinking =
  | { readonly type: 'enabled'; readonly budget_tokens: number }
  | { readonly type: 'adaptive'; readonly display?: 'summarized' }
  | { readonly type: 'disabled' | 'between_tools' }
  /** In the caller's words. */
  | (JsonObject & { readonly type?: string })

/** A value of `output_config.effort`, from low to high. */
export type EffortLevel = 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export interface OutputConfig {
  readonly effort?: EffortLevel
  readonly format?: { readonly type: 'json_schema'; readonly schema: JsonObject }
}

export interface MessagesBody extends CacheControl {
  readonly model: string
  readonly max_tokens: number
  readonly system?: readonly (TextBlock | VendorBlock)[]
  readonly messages: readonly Message[]
  readonly tools?: readonly (Tool | SearchTool | JsonObject)[]
  readonly tool_choice?: ToolChoice
  readonly thinking?: Thinking
  readonly output_config?: OutputConfig
  readonly temperature?: number
  readonly top_p?: number
  readonly top_k?: number
  readonly stop_sequences?: readonly string[]
  readonly metadata?: JsonObject
  readonly service_tier?: string
  readonly stream?: true
}
