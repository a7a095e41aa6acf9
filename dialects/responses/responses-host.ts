import type { Departures } from '../host/departures.ts'
import type { HostPlace } from '../host/host-place.ts'
import type { EmbeddingForm } from '../retrieval/embeddings.ts'

/** The members at the top of a request, by the names that `renamed` changes. */
export const responsesMembers = [
  'context_management',
  'include',
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'model',
  'parallel_tool_calls',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
] as const
/** A member at the top of a request, by its name in Responses. */
export type ResponsesMember = (typeof responsesMembers)[number]

/** Members that a host may reject. */
export const responsesUnsupported = [
  'include',
  'max_tool_calls',
  'parallel_tool_calls',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'service_tier',
  'store',
  'temperature',
  'top_logprobs',
  'top_p',
  'truncation',
] as const
/** For `ResponsesHost.without`. */
export type ResponsesUnsupported = (typeof responsesUnsupported)[number]

/** A host of the Responses protocol: its address, and how it departs from OpenAI's documentation. Paths in it are dotted. */
export interface ResponsesHost extends HostPlace, Departures {
  /** Members that have another name here. */
  readonly renamed?: { readonly [N in ResponsesMember]?: string }
  /** Members that the host rejects. They are not sent, and callers who set them are warned. */
  readonly without?: readonly ResponsesUnsupported[]
  /** False: do not ask for encrypted reasoning. Default: ask for it, which keeps thoughts from turn to turn. */
  readonly reasoningState?: boolean
  /** The host compacts conversations by itself: it knows `context_management` and `compaction_trigger`. Default: true. */
  readonly contextManagement?: boolean
  /** Sent as `stream_options.include_obfuscation`. Default: not sent. */
  readonly obfuscation?: boolean
  /** The least that the host accepts as `max_output_tokens`. Less becomes this. Default: 16, as at OpenAI. */
  readonly minOutputTokens?: number
  /** The models that run the tool `web_search`, by name. Default: none. */
  readonly search?: ResponsesSearch
  /** How the host makes embeddings. Default: as OpenAI does. False: it makes none. */
  readonly embeddings?: EmbeddingForm | false
}

/** The models that search the web. */
export interface ResponsesSearch {
  /** Patterns of names in lower case. One that matches is enough. */
  readonly models: readonly RegExp[]
  /** Those of them that take blocked domains, as `excluded_domains`. Default: none. */
  readonly excludesDomains?: RegExp
}
