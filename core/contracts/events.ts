import type { JsonObject } from '../foundation/json.ts'

/**
 * What a provider yields, in the order in which the model said it. Providers make no ids, indexes, starts or ends:
 * an item opens with its first event and closes when something else opens, at `item-end`, or at the end.
 */
export type GenerationEvent =
  /** The vendor's own name for the model that answers, when it tells. */
  | { readonly type: 'model'; readonly model: string }
  | { readonly type: 'text'; readonly text: string; readonly logprobs?: readonly LogProb[]; readonly phase?: 'commentary' | 'final_answer' }
  | { readonly type: 'refusal'; readonly text: string }
  /** `start` and `end` are UTF-16 offsets into the text since the message opened. */
  | { readonly type: 'annotation'; readonly citation: Citation; readonly start: number; readonly end: number }
  /** `full` is the model's own reasoning, `summary` a digest of it. `newPart` opens another part of the same item. */
  | { readonly type: 'reasoning'; readonly text: string; readonly form: 'summary' | 'full'; readonly newPart?: boolean }
  /** A signature or encrypted thought, byte-exact; belongs to the open reasoning item, or to an empty one of its own, and ends it. */
  | { readonly type: 'reasoning-state'; readonly opaque: string }
  /** The open item is over, a call too; the next text or reasoning opens a new one. */
  | { readonly type: 'item-end' }
  /** `key` tells this reply's calls apart; core makes a `callId` where the vendor has none. `custom`: the input is free text, not JSON. */
  | {
      readonly type: 'tool-call'
      readonly key: string
      readonly callId?: string
      readonly name: string
      readonly namespace?: string
      readonly custom?: boolean
    }
  /** The next piece of a call's arguments. Calls may interleave. */
  | { readonly type: 'tool-input'; readonly key: string; readonly text: string }
  | {
      readonly type: 'search'
      readonly key: string
      readonly status: 'in_progress' | 'completed' | 'failed'
      readonly action: SearchAction
      /** What was found, where the vendor tells: shown to callers who include `web_search_call.results`. */
      readonly results?: readonly SearchResult[]
      /** The vendor's own payload, where replaying the search needs it. */
      readonly opaque?: string
    }
  /** A whole item of a type that the caller's own tools brought in and that only this dialect knows. */
  | { readonly type: 'item'; readonly item: JsonObject & { readonly type: string } }
  | { readonly type: 'compaction'; readonly opaque: string }
  /** Something was dropped or lowered. Before the first other event only: it goes into a response header. */
  | { readonly type: 'warning'; readonly param: string; readonly message: string }
  /** Totals so far; the last one counts. */
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  /** Why the model stopped, and the end of the reply: after it only `usage` counts, if it comes at once. A reply without one is a failure. `pause`: core asks the same candidate to go on. */
  | { readonly type: 'finish'; readonly reason: FinishReason }

export const finishReasons = ['stop', 'length', 'content-filter', 'tool-calls', 'pause'] as const
export type FinishReason = (typeof finishReasons)[number]

/** Events after which an attempt counts as answered: from here on there is no other candidate. */
export function isSemantic(event: GenerationEvent): boolean {
  return event.type !== 'model' && event.type !== 'usage' && event.type !== 'warning' && event.type !== 'item-end'
}

/** Disjoint counts: the input is `uncachedInput + cacheRead + cacheWrite5m + cacheWrite1h`; `reasoning` lies within `output`. */
export interface TokenUsage {
  readonly uncachedInput: number
  readonly cacheRead: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
  readonly output: number
  readonly reasoning: number
  /** The vendor told no usage; the counts are the gateway's guess. */
  readonly estimated?: boolean
  /** Calls of built-in tools, by name. */
  readonly toolCalls?: Readonly<Record<string, number>>
}

export const noUsage: TokenUsage = { uncachedInput: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 }

export type Citation =
  | { readonly type: 'url_citation'; readonly url: string; readonly title: string }
  | { readonly type: 'file_citation'; readonly file_id: string; readonly filename: string; readonly index: number }

export interface LogProb {
  readonly token: string
  readonly logprob: number
  readonly bytes?: readonly number[]
  readonly top_logprobs?: readonly { readonly token: string; readonly logprob: number; readonly bytes?: readonly number[] }[]
}

export interface SearchResult {
  readonly url: string
  readonly title?: string
  readonly text?: string
}

export type SearchAction =
  | {
      readonly type: 'search'
      readonly query: string
      readonly queries?: readonly string[]
      readonly sources?: readonly { readonly type: 'url'; readonly url: string }[]
    }
  | { readonly type: 'open_page'; readonly url?: string }
  | { readonly type: 'find_in_page'; readonly url: string; readonly pattern: string }
