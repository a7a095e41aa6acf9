import type { Effort, JsonObject } from '../../../core/index.ts'

/** Request members that a host refuses or that mean something else there. `json_schema`: only JSON mode; `response_format`: not even that. */
export type Unsupported =
  | 'frequency_penalty'
  | 'json_schema'
  | 'logprobs'
  | 'parallel_tool_calls'
  | 'presence_penalty'
  | 'reasoning_effort'
  | 'response_format'
  | 'stream_options'
  | 'strict'

/** Members beyond what every host knows. */
export type Extension =
  | 'cache_control'
  | 'prompt_cache_breakpoint'
  | 'prompt_cache_key'
  | 'prompt_cache_options'
  | 'prompt_cache_retention'
  | 'service_tier'
  | 'store'
  | 'verbosity'

/** A host of the Chat Completions protocol: where it is, and how it departs from what OpenAI documents. */
export interface Host {
  /** The host's own page from which this was read. */
  readonly source: string
  /** `{account}` in it is the option `account`. Undefined: the `baseUrl` option says where it is. */
  readonly baseUrl: string | undefined
  /** What `{account}` stands for, and the environment variable in which it is kept. */
  readonly account?: { readonly what: string; readonly variable: string }
  /** The environment variable in which the host's own documentation keeps the key; undefined where none is needed. */
  readonly keyVariable?: string
  /** Not among the defaults: its key variable belongs to another provider too, or is set for other purposes as well. */
  readonly explicit?: true
  readonly without?: readonly Unsupported[]
  readonly extensions?: readonly Extension[]
  readonly maxTokens?: 'max_completion_tokens'
  /** Knows the role `developer`; elsewhere it is `system`. */
  readonly developerRole?: true
  /** Knows tools of type `custom`; elsewhere they are functions with one string. */
  readonly customTools?: true
  /** Forms of `tool_choice`: all, the modes and one function (when absent), only the modes, only `auto`. */
  readonly toolChoice?: 'all' | 'modes' | 'auto'
  /** Streams nothing where tools are given: then the answer is asked for whole. */
  readonly wholeWithTools?: true
  /** The member of an assistant message in which the model's reasoning goes back; without one it does not. */
  readonly reasoning?: 'reasoning' | 'reasoning_content' | 'reasoning_details' | 'thinking'
  /** How the effort is said, where not as `reasoning_effort`. `enable_thinking` knows only on and off. */
  readonly effort?: 'reasoning' | 'thinking' | 'enable_thinking'
  /** The efforts that every model here knows; others become the closest. */
  readonly efforts?: readonly Effort[]
  /** How files are said; without it they are not. */
  readonly files?: 'file' | 'file_or_url' | 'document_url' | 'file_url'
  /** Sound is said as its bytes alone, without its format. */
  readonly audio?: 'bytes'
  /** Replies may open with a `<think>` block inside the text. */
  readonly thinkTags?: true
  /** A `finish_reason` may come while calls go on: only `[DONE]` is the end. */
  readonly endsWithDone?: true
  /** Call ids of another form are replaced. */
  readonly callIds?: RegExp
  /** An assistant message at the end is marked as one to be continued. */
  readonly prefix?: true
  /** Takes no two messages of one role in a row. */
  readonly alternating?: true
  /** Members of every request. */
  readonly added?: JsonObject
}

export type Hosts = Readonly<Record<string, Host>>
