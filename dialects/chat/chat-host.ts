import type { Effort } from '../../core/kit.ts'
import type { Departures } from '../host/departures.ts'
import type { HostPlace } from '../host/host-place.ts'
import type { EmbeddingForm } from '../retrieval/embeddings.ts'
import type { RerankForm } from '../retrieval/rerank.ts'
import type { SearchForm } from './search.ts'

/** The members at the top of a request, by the names that `renamed` changes. */
export const chatMembers = [
  'cache_control',
  'enable_thinking',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'max_tokens',
  'messages',
  'model',
  'n',
  'parallel_tool_calls',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'reasoning_effort',
  'response_format',
  'search_settings',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'thinking',
  'tool_choice',
  'tools',
  'top_k',
  'top_logprobs',
  'top_p',
  'verbosity',
  'web_search_options',
] as const
/** A member at the top of a request, by its name in Chat Completions. */
export type ChatMember = (typeof chatMembers)[number]

/** Members of a request that a host may reject or understand in another way. `json_schema`: only JSON mode. `response_format`: not even that. */
export const chatUnsupported = [
  'frequency_penalty',
  'json_schema',
  'logit_bias',
  'logprobs',
  'parallel_tool_calls',
  'presence_penalty',
  'reasoning_effort',
  'response_format',
  'seed',
  'stop',
  'stream_options',
  'strict',
  'temperature',
  'top_p',
] as const
/** For `ChatHost.without`. */
export type ChatUnsupported = (typeof chatUnsupported)[number]

/** Members that only some hosts accept. */
export const chatExtensions = [
  'cache_control',
  'prompt_cache_breakpoint',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier',
  'store',
  'top_k',
  'verbosity',
] as const
/** One of the members that only some hosts accept. */
export type ChatExtension = (typeof chatExtensions)[number]

/**
 * A host of the Chat Completions protocol: its address, and how it departs from OpenAI's documentation. Paths in it are dotted, such as
 * `meta.tokens`.
 */
export interface ChatHost extends HostPlace, Departures {
  /** Members that have another name here, such as `{ max_tokens: 'max_completion_tokens' }`. */
  readonly renamed?: { readonly [N in ChatMember]?: string }
  /** Members that the host rejects or understands in another way. They are not sent, and callers who set them are warned. */
  readonly without?: readonly ChatUnsupported[]
  /** Members that only some hosts accept, and this one does. */
  readonly extensions?: readonly ChatExtension[]
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
  /**
   * The member with the reasoning in messages and deltas, for hosts that call it neither `reasoning` nor `reasoning_content` nor
   * `reasoning_details`. If `reasoning` is set, the reasoning is returned by this name.
   */
  readonly reasoningMember?: string
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
  /** The data of the event that ends a stream, if it is not `[DONE]`. */
  readonly endFrame?: string
  /** The form of call ids. Other ids are replaced. */
  readonly callIds?: RegExp
  /** Marks an assistant message at the end as one to continue. */
  readonly prefix?: true
  /** Rejects consecutive messages with the same role. */
  readonly alternating?: true
  /** The models that search the web, by name, and how to ask them to. Default: none. */
  readonly search?: {
    /** Tested on the name that the host gets. */
    readonly models: RegExp
    /** How a request asks for a search. */
    readonly form: SearchForm
  }
  /** How the host makes embeddings. Default: it makes none. */
  readonly embeddings?: EmbeddingForm
  /** How the host reranks, at `/rerank`. Default: it does not. */
  readonly reranking?: RerankForm
  /** Gives several choices in one reply (`n`), except where the model searches. Default: only one, so core asks once for each. */
  readonly choices?: true
}
