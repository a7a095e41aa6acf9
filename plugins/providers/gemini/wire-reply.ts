// Replies, from the vendor's GenerateContentResponse. Any member may be missing.

export interface WireResponse {
  readonly candidates?: readonly WireCandidate[] | null
  readonly promptFeedback?: { readonly blockReason?: string | number; readonly blockReasonMessage?: string } | null
  readonly usageMetadata?: WireUsage | null
  readonly modelVersion?: string
  readonly error?: unknown
}

export interface WireCandidate {
  readonly index?: number
  readonly content?: { readonly parts?: readonly WirePart[] | null } | null
  /** A number if the request had `enum-encoding=int`. */
  readonly finishReason?: string | number | null
  readonly finishMessage?: string | null
  readonly groundingMetadata?: WireGrounding | null
  readonly citationMetadata?: { readonly citations?: readonly WireSource[]; readonly citationSources?: readonly WireSource[] } | null
  readonly logprobsResult?: WireLogprobs | null
}

/** A union: has one of these, and its related members. */
export interface WirePart {
  readonly text?: string | null
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly functionCall?: WireFunctionCall | null
  readonly executableCode?: unknown
  readonly inlineData?: { readonly mimeType?: string } | null
}

export interface WireFunctionCall {
  readonly id?: string
  readonly name?: string
  readonly args?: unknown
  readonly partialArgs?: readonly WirePartialArgument[] | null
  /** The next part continues this call. */
  readonly willContinue?: boolean
}

export interface WirePartialArgument {
  readonly jsonPath?: string
  readonly stringValue?: string
  readonly numberValue?: number
  readonly boolValue?: boolean
  readonly nullValue?: unknown
}

export interface WireGrounding {
  readonly webSearchQueries?: readonly string[] | null
  readonly groundingChunks?: readonly { readonly web?: { readonly uri?: string; readonly title?: string } | null }[] | null
  readonly groundingSupports?: readonly WireSupport[] | null
}

export interface WireSupport {
  readonly segment?: { readonly startIndex?: number; readonly endIndex?: number; readonly text?: string } | null
  readonly groundingChunkIndices?: readonly number[] | null
}

export interface WireSource {
  readonly startIndex?: number
  readonly endIndex?: number
  readonly uri?: string
  readonly title?: string
}

export interface WireLogprobs {
  readonly chosenCandidates?: readonly WireToken[] | null
  readonly topCandidates?: readonly { readonly candidates?: readonly WireToken[] | null }[] | null
}

export interface WireToken {
  readonly token?: string
  readonly logProbability?: number
}

export interface WireUsage {
  readonly promptTokenCount?: number
  readonly cachedContentTokenCount?: number
  readonly candidatesTokenCount?: number
  readonly thoughtsTokenCount?: number
  readonly toolUsePromptTokenCount?: number
}
