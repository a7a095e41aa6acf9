// Replies, as far as this plugin reads them. Any member may be missing.

type Maybe<T> = T | null | undefined

/** A streamed chunk or a whole reply. */
export interface ChatBody {
  readonly object?: Maybe<string>
  readonly model?: Maybe<string>
  readonly choices?: Maybe<readonly Choice[]>
  readonly usage?: Maybe<Usage>
  /** Groq. */
  readonly x_groq?: Maybe<{ readonly usage?: Maybe<Usage>; readonly error?: unknown }>
  readonly error?: unknown
  /** Perplexity: addresses, and details about them. */
  readonly citations?: Maybe<readonly unknown[]>
  readonly search_results?: Maybe<readonly unknown[]>
}

export interface Choice {
  readonly index?: Maybe<number>
  readonly delta?: Maybe<Said>
  readonly message?: Maybe<Said>
  readonly finish_reason?: Maybe<string>
  readonly logprobs?: Maybe<{ readonly content?: Maybe<readonly TokenLogprob[]> }>
  readonly error?: unknown
}

/** A delta or a whole message. */
export interface Said {
  readonly content?: Maybe<string | readonly ContentPart[]>
  readonly refusal?: Maybe<string>
  readonly reasoning?: Maybe<string>
  readonly reasoning_content?: Maybe<string>
  readonly reasoning_details?: Maybe<readonly ReasoningDetail[]>
  readonly tool_calls?: Maybe<readonly ToolCall[]>
  readonly annotations?: Maybe<readonly Annotation[]>
  readonly executed_tools?: Maybe<readonly ExecutedTool[]>
}

/** Groq: a tool that the host ran. */
export interface ExecutedTool {
  readonly index?: Maybe<number>
  readonly type?: Maybe<string>
  /** JSON. */
  readonly arguments?: Maybe<string>
  readonly output?: Maybe<string>
  readonly search_results?: Maybe<{
    readonly results?: Maybe<readonly { readonly url?: Maybe<string>; readonly title?: Maybe<string>; readonly content?: Maybe<string> }[]>
  }>
}

export interface ContentPart {
  readonly type?: string
  readonly text?: Maybe<string>
  readonly thinking?: Maybe<string | readonly { readonly text?: Maybe<string> }[]>
}

/** OpenRouter, Vercel. */
export interface ReasoningDetail {
  readonly type?: string
  readonly index?: Maybe<number>
  readonly text?: Maybe<string>
  readonly summary?: Maybe<string>
  readonly data?: Maybe<string>
  readonly signature?: Maybe<string>
}

export interface ToolCall {
  readonly index?: Maybe<number>
  readonly id?: Maybe<string>
  readonly function?: Maybe<{ readonly name?: Maybe<string>; readonly arguments?: unknown }>
  readonly custom?: Maybe<{ readonly name?: Maybe<string>; readonly input?: Maybe<string> }>
}

export interface Annotation {
  readonly type?: string
  readonly url_citation?: Maybe<{
    readonly url?: Maybe<string>
    readonly title?: Maybe<string>
    /** OpenRouter: an excerpt of the page. */
    readonly content?: Maybe<string>
    readonly start_index?: Maybe<number>
    readonly end_index?: Maybe<number>
  }>
}

export interface TokenLogprob {
  readonly token: string
  readonly logprob: number
  readonly bytes?: Maybe<readonly number[]>
  readonly top_logprobs?: Maybe<readonly TokenLogprob[]>
}

export interface Usage {
  readonly prompt_tokens?: Maybe<number>
  readonly completion_tokens?: Maybe<number>
  readonly total_tokens?: Maybe<number>
  readonly prompt_tokens_details?: Maybe<{
    readonly cached_tokens?: Maybe<number>
    readonly cache_write_tokens?: Maybe<number>
    readonly audio_tokens?: Maybe<number>
  }>
  readonly completion_tokens_details?: Maybe<{ readonly reasoning_tokens?: Maybe<number> }>
  /** DeepSeek. */
  readonly prompt_cache_hit_tokens?: Maybe<number>
  /** Together, Moonshot. */
  readonly cached_tokens?: Maybe<number>
  /** Mistral. */
  readonly num_cached_tokens?: Maybe<number>
  /** Gateways in front of Anthropic. */
  readonly cache_read_input_tokens?: Maybe<number>
  readonly cache_creation_input_tokens?: Maybe<number>
  /** Perplexity. */
  readonly num_search_queries?: Maybe<number>
  /** OpenRouter. */
  readonly server_tool_use_details?: Maybe<{ readonly web_search_requests?: Maybe<number> }>
}
