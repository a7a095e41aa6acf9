// Replies. Any member may be missing.

export interface WireContent {
  readonly type?: string
  readonly text?: string
  readonly thinking?: string
}

export interface WireToolCall {
  readonly id?: string
  readonly function?: { readonly name?: string; readonly arguments?: string }
}

export interface WireSource {
  readonly type?: string
  readonly id?: string
  readonly document?: Readonly<Record<string, unknown>>
  readonly tool_output?: Readonly<Record<string, unknown>>
}

export interface WireCitation {
  readonly start?: number
  readonly end?: number
  readonly sources?: readonly WireSource[] | null
  /** `TEXT_CONTENT` where absent. */
  readonly type?: string
  /** The content that it refers to. */
  readonly content_index?: number
}

export interface WireLogprobs {
  readonly text?: string
  readonly logprobs?: readonly number[] | null
}

export interface WireUsage {
  readonly billed_units?: { readonly input_tokens?: number; readonly output_tokens?: number } | null
  readonly tokens?: {
    readonly input_tokens?: number
    readonly output_tokens?: number
    readonly reasoning_tokens?: number
    readonly image_tokens?: number
  } | null
  readonly cached_tokens?: number | null
}

/** The end of a message, in `message-end` and in a whole reply. */
export interface WireEnd {
  readonly finish_reason?: string
  readonly usage?: WireUsage | null
  readonly error?: string
  readonly error_type?: string
}

export interface WireReply extends WireEnd {
  readonly message?: {
    readonly content?: readonly WireContent[] | null
    readonly tool_plan?: string | null
    readonly tool_calls?: readonly WireToolCall[] | null
    readonly citations?: readonly WireCitation[] | null
  }
  readonly logprobs?: readonly WireLogprobs[] | null
}

export interface WireEvent {
  readonly type?: string
  readonly index?: number
  readonly logprobs?: WireLogprobs | null
  readonly delta?: WireEnd & {
    readonly message?: {
      readonly content?: WireContent | readonly unknown[]
      readonly tool_plan?: string
      readonly tool_calls?: WireToolCall | readonly unknown[]
      readonly citations?: WireCitation | readonly unknown[]
    }
  }
}
