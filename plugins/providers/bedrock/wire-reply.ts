// Replies, from the "ConverseStream" page of the vendor's API reference. Blocks are unions: each has one of these members.

export interface WireCitation {
  readonly title?: string
  readonly source?: string
  readonly location?: { readonly web?: { readonly url?: string; readonly domain?: string } }
}

export interface WireBlock {
  readonly text?: string
  readonly toolUse?: WireToolUse & { readonly input?: unknown }
  readonly toolResult?: WireToolResult
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text?: string; readonly signature?: string }
    readonly redactedContent?: string
  }
  readonly citationsContent?: { readonly content?: readonly { readonly text?: string }[]; readonly citations?: readonly WireCitation[] }
}

/** Texts, thoughts and citations start without either. */
export interface WireStart {
  readonly toolUse?: WireToolUse
  readonly toolResult?: WireToolResult
}

export interface WireDelta {
  readonly text?: string
  readonly toolUse?: { readonly input?: string }
  readonly reasoningContent?: { readonly text?: string; readonly signature?: string; readonly redactedContent?: string }
  readonly citation?: WireCitation
}

export interface WireToolUse {
  readonly toolUseId?: string
  readonly name?: string
  /** `server_tool_use`: the vendor runs it. */
  readonly type?: string
}

export interface WireToolResult {
  readonly toolUseId?: string
  readonly status?: string
}

export interface WireUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadInputTokens?: number
  readonly cacheWriteInputTokens?: number
  /** Tokens written to the cache, by lifetime. */
  readonly cacheDetails?: readonly { readonly ttl?: string; readonly inputTokens?: number }[]
}

/** The `metadata` event, and the same members of a whole reply. */
export interface WireMetadata {
  readonly usage?: WireUsage
  readonly trace?: { readonly promptRouter?: { readonly invokedModelId?: string } }
}

export interface WireReply extends WireMetadata {
  readonly output?: { readonly message?: { readonly content?: readonly WireBlock[] } }
  readonly stopReason?: string
}

/** The payload of any event. */
export interface WireEvent extends WireMetadata {
  readonly contentBlockIndex?: number
  readonly start?: WireStart
  readonly delta?: WireDelta
  readonly stopReason?: string
}
