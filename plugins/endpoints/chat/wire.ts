import type { JsonObject } from '../../../core/index.ts'
import type { Effort, Routing } from '../../../core/kit.ts'

// A body that passed the check of `request-body.ts`.

type Nullable<T> = T | null | undefined

export type WirePart = JsonObject & { readonly type: string }
export type WireContent = string | readonly WirePart[]

export interface WireCall extends JsonObject {
  readonly id: string
  readonly type?: Nullable<'function' | 'custom'>
  readonly function?: JsonObject & { readonly name: string; readonly arguments?: Nullable<string> }
  readonly custom?: JsonObject & { readonly name: string; readonly input?: Nullable<string> }
}

export interface WireMessage extends JsonObject {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function'
  readonly content?: Nullable<WireContent>
  readonly name?: Nullable<string>
  readonly refusal?: Nullable<string>
  readonly reasoning?: Nullable<string>
  readonly reasoning_content?: Nullable<string>
  readonly reasoning_details?: Nullable<readonly JsonObject[]>
  readonly tool_calls?: Nullable<readonly WireCall[]>
  readonly function_call?: Nullable<{ readonly name: string; readonly arguments?: Nullable<string> }>
  readonly tool_call_id?: string
  readonly cache_control?: Nullable<CacheControl>
}

export interface CacheControl {
  readonly type: 'ephemeral'
  readonly ttl?: '5m' | '1h'
}

export interface WireFunction extends JsonObject {
  readonly name: string
  readonly description?: Nullable<string>
  readonly parameters?: Nullable<JsonObject>
  readonly strict?: Nullable<boolean>
}

export interface WireCustom extends JsonObject {
  readonly name: string
  readonly description?: Nullable<string>
  readonly format?: Nullable<{
    readonly type: 'text' | 'grammar'
    readonly grammar?: { readonly syntax: 'lark' | 'regex'; readonly definition: string }
  }>
}

export interface WireTool extends JsonObject {
  readonly type: string
  readonly function?: WireFunction
  readonly custom?: WireCustom
}

export interface ToolReference extends JsonObject {
  readonly type: string
  readonly function?: { readonly name?: string }
  readonly custom?: { readonly name?: string }
}

export type WireToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | (ToolReference & {
      readonly allowed_tools?: { readonly mode?: Nullable<'auto' | 'required'>; readonly tools: readonly ToolReference[] }
    })

export interface WireFormat {
  readonly type: 'text' | 'json_object' | 'json_schema'
  readonly json_schema?: {
    readonly name: string
    readonly description?: Nullable<string>
    readonly schema?: Nullable<JsonObject>
    readonly strict?: Nullable<boolean>
  }
}

export interface RequestBody extends JsonObject {
  readonly model: string
  readonly messages: readonly WireMessage[]
  readonly max_completion_tokens?: Nullable<number>
  readonly max_tokens?: Nullable<number>
  readonly stream?: Nullable<boolean>
  readonly stream_options?: Nullable<{ readonly include_usage?: Nullable<boolean> }>
  readonly n?: Nullable<number>
  readonly temperature?: Nullable<number>
  readonly top_p?: Nullable<number>
  readonly top_k?: Nullable<number>
  readonly stop?: Nullable<string | readonly string[]>
  readonly seed?: Nullable<number>
  readonly presence_penalty?: Nullable<number>
  readonly frequency_penalty?: Nullable<number>
  readonly logit_bias?: Nullable<Readonly<Record<string, number>>>
  readonly logprobs?: Nullable<boolean>
  readonly top_logprobs?: Nullable<number>
  readonly response_format?: Nullable<WireFormat>
  readonly tools?: Nullable<readonly WireTool[]>
  readonly tool_choice?: Nullable<WireToolChoice>
  readonly parallel_tool_calls?: Nullable<boolean>
  readonly functions?: Nullable<readonly WireFunction[]>
  readonly function_call?: Nullable<'none' | 'auto' | { readonly name: string }>
  readonly reasoning_effort?: Nullable<Effort>
  readonly reasoning?: Nullable<{
    readonly effort?: Nullable<Effort>
    readonly max_tokens?: Nullable<number>
    readonly enabled?: Nullable<boolean>
    readonly exclude?: Nullable<boolean>
    readonly summary?: Nullable<'auto' | 'concise' | 'detailed'>
  }>
  readonly thinking?: Nullable<{ readonly type?: Nullable<string>; readonly budget_tokens?: Nullable<number> }>
  readonly verbosity?: Nullable<'low' | 'medium' | 'high'>
  readonly modalities?: Nullable<readonly string[]>
  readonly web_search_options?: Nullable<{
    readonly search_context_size?: Nullable<'low' | 'medium' | 'high'>
    readonly user_location?: Nullable<{ readonly approximate?: Nullable<Readonly<Record<string, string | null>>> }>
  }>
  readonly service_tier?: Nullable<string>
  readonly store?: Nullable<boolean>
  readonly user?: Nullable<string>
  readonly metadata?: Nullable<JsonObject>
  readonly session_id?: Nullable<string>
  readonly prompt_cache_key?: Nullable<string>
  readonly prompt_cache_retention?: Nullable<'in-memory' | 'in_memory' | '24h'>
  readonly prompt_cache_options?: Nullable<JsonObject>
  readonly cache_control?: Nullable<CacheControl>
  readonly routing?: Routing
}
