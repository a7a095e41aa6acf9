import type { JsonObject } from '../../../core/index.ts'
import type { Effort } from '../../../core/kit.ts'
import type { EmbeddingForm } from './embeddings.ts'
import type { RerankForm } from './rerank.ts'
import type { SearchForm } from './search.ts'

/** Request members that a host rejects or interprets differently. `json_schema`: only JSON mode. `response_format`: not even that. */
export type Unsupported =
  | 'frequency_penalty'
  | 'json_schema'
  | 'logit_bias'
  | 'logprobs'
  | 'parallel_tool_calls'
  | 'presence_penalty'
  | 'reasoning_effort'
  | 'response_format'
  | 'seed'
  | 'stop'
  | 'stream_options'
  | 'strict'

/** Members that only some hosts accept. */
export type Extension =
  | 'cache_control'
  | 'prompt_cache_breakpoint'
  | 'prompt_cache_key'
  | 'prompt_cache_options'
  | 'prompt_cache_retention'
  | 'service_tier'
  | 'store'
  | 'top_k'
  | 'verbosity'

/** A host of the Chat Completions protocol: its address, and how it differs from OpenAI's documentation. */
export interface Host {
  /** The host's documentation for this entry. */
  readonly source: string
  /** The option `account` replaces `{account}`. Undefined: the option `baseUrl` is required. */
  readonly baseUrl: string | undefined
  /** The meaning of `{account}`, and the environment variable that holds it. */
  readonly account?: { readonly what: string; readonly variable: string }
  /** The environment variable for the key in the host's documentation. Undefined if no key is needed. */
  readonly keyVariable?: string
  /** Not among the defaults, because another provider or purpose uses the same key variable. */
  readonly explicit?: true
  readonly without?: readonly Unsupported[]
  readonly extensions?: readonly Extension[]
  readonly maxTokens?: 'max_completion_tokens'
  /** Accepts the role `developer`. Other hosts get `system`. */
  readonly developerRole?: true
  /** Accepts tools of type `custom`. Other hosts get functions with one string. */
  readonly customTools?: true
  /** Accepted forms of `tool_choice`: all, only the modes, or only `auto`. Default: the modes and a single function. */
  readonly toolChoice?: 'all' | 'modes' | 'auto'
  /** Does not stream if the request has tools, so the request asks for a whole reply. */
  readonly wholeWithTools?: true
  /** The member of an assistant message that returns the model's reasoning. Default: reasoning is not returned. */
  readonly reasoning?: 'reasoning' | 'reasoning_content' | 'reasoning_details' | 'thinking'
  /** How to send the effort. Default: `reasoning_effort`. `enable_thinking` is only on or off. */
  readonly effort?: 'reasoning' | 'thinking' | 'enable_thinking'
  /** The efforts that every model here accepts. Others become the closest one. */
  readonly efforts?: readonly Effort[]
  /** How to send files. Default: not supported. */
  readonly files?: 'file' | 'file_or_url' | 'document_url' | 'file_url'
  /** Takes audio as bytes alone, without a format. */
  readonly audio?: 'bytes'
  /** Replies may start with a `<think>` block in the text. */
  readonly thinkTags?: true
  /** A `finish_reason` may come while calls continue. Only `[DONE]` ends the answer. */
  readonly endsWithDone?: true
  /** The form of call ids. Other ids are replaced. */
  readonly callIds?: RegExp
  /** Marks an assistant message at the end as one to continue. */
  readonly prefix?: true
  /** Rejects consecutive messages with the same role. */
  readonly alternating?: true
  /** The models that search the web, by name, and how to ask them to. Default: none. */
  readonly search?: { readonly models: RegExp; readonly form: SearchForm }
  /** How the host makes embeddings. Default: it makes none. */
  readonly embeddings?: EmbeddingForm
  /** How the host reranks, at `/rerank`. Default: it does not. */
  readonly reranking?: RerankForm
  /** Gives several choices in one reply (`n`), except where the model searches. Default: only one, so core asks once for each. */
  readonly choices?: true
  /** Added to every request. */
  readonly added?: JsonObject
}

export type Hosts = Readonly<Record<string, Host>>
