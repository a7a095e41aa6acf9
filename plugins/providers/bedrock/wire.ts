import type { JsonObject } from '../../../core/index.ts'

// The request, from the "Converse" page of the vendor's API reference. Blocks are unions: each has one of these members.

export interface CachePoint {
  readonly type: 'default'
  readonly ttl?: '1h'
}

export interface TextBlock {
  readonly text: string
}

export interface ImageBlock {
  readonly image: { readonly format: ImageFormat; readonly source: { readonly bytes: string } }
}

export interface DocumentBlock {
  readonly document: { readonly format: DocumentFormat; readonly name: string; readonly source: { readonly bytes: string } }
}

export type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp'
export type DocumentFormat = 'pdf' | 'csv' | 'doc' | 'docx' | 'xls' | 'xlsx' | 'html' | 'txt' | 'md'

export type InputBlock = TextBlock | ImageBlock | DocumentBlock

export interface ToolUseBlock {
  readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: JsonObject }
}

export interface ToolResultBlock {
  readonly toolResult: { readonly toolUseId: string; readonly content: readonly InputBlock[]; readonly status?: 'error' }
}

export interface ReasoningBlock {
  readonly reasoningContent:
    | { readonly reasoningText: { readonly text: string; readonly signature: string } }
    | { readonly redactedContent: string }
}

export interface CachePointBlock {
  readonly cachePoint: CachePoint
}

export type ContentBlock = InputBlock | ToolUseBlock | ToolResultBlock | ReasoningBlock | CachePointBlock

export interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: readonly ContentBlock[]
}

export type SystemBlock = TextBlock | CachePointBlock

export type Tool =
  | {
      readonly toolSpec: {
        readonly name: string
        readonly description?: string
        readonly inputSchema: { readonly json: JsonObject }
        readonly strict?: true
      }
    }
  | { readonly systemTool: { readonly name: 'nova_grounding' } }

export type ToolChoice = { readonly auto: JsonObject } | { readonly any: JsonObject } | { readonly tool: { readonly name: string } }

export interface ToolConfig {
  readonly tools: readonly Tool[]
  readonly toolChoice?: ToolChoice
}

export interface InferenceConfig {
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly stopSequences?: readonly string[]
}

export interface OutputConfig {
  readonly textFormat: {
    readonly type: 'json_schema'
    readonly structure: { readonly jsonSchema: { readonly schema: string; readonly name: string; readonly description?: string } }
  }
}

export interface ConverseBody {
  readonly messages: readonly Message[]
  readonly system?: readonly SystemBlock[]
  readonly inferenceConfig?: InferenceConfig
  readonly toolConfig?: ToolConfig
  readonly additionalModelRequestFields?: JsonObject
  readonly outputConfig?: OutputConfig
  readonly serviceTier?: { readonly type: 'flex' | 'priority' }
}
