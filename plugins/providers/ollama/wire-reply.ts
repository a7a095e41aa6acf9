import type { JsonObject } from '../../../core/index.ts'

// Replies: one per line, or a single whole one. Any member may be missing.

export interface WireLogprob {
  readonly token?: string
  readonly logprob?: number
  readonly bytes?: readonly number[] | null
  readonly top_logprobs?: readonly WireLogprob[] | null
}

export interface WireMessage {
  readonly content?: string
  readonly thinking?: string
  readonly tool_calls?:
    | readonly { readonly id?: string; readonly function?: { readonly name?: string; readonly arguments?: JsonObject } }[]
    | null
}

export interface WireReply {
  readonly model?: string
  readonly message?: WireMessage
  readonly done?: boolean
  readonly done_reason?: string
  readonly prompt_eval_count?: number
  readonly eval_count?: number
  readonly logprobs?: readonly WireLogprob[] | null
  readonly error?: unknown
}
