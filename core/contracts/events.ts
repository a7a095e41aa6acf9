import type { JsonObject } from '../foundation/json.ts'

/**
 * The events that a provider yields, in the order of the model's output. Providers do not make ids, indexes, or start and end events:
 * an item opens with its first event, and closes at `item-end`, when another item opens, or at the end of the reply.
 * An event of another type, an unknown finish reason, or a member of the wrong type is a failure of kind `protocol`.
 */
export type GenerationEvent =
  /** The vendor's name for the model that answers, if the vendor sends it. */
  | { readonly type: 'model'; readonly model: string }
  | { readonly type: 'text'; readonly text: string; readonly logprobs?: readonly LogProb[]; readonly phase?: 'commentary' | 'final_answer' }
  | { readonly type: 'refusal'; readonly text: string }
  /** `start` and `end` are UTF-16 offsets into the text of the open message. */
  | { readonly type: 'annotation'; readonly citation: Citation; readonly start: number; readonly end: number }
  /** `full` is the model's raw reasoning, `summary` a digest. `newPart` starts a new part of the same item. */
  | { readonly type: 'reasoning'; readonly text: string; readonly form: 'summary' | 'full'; readonly newPart?: boolean }
  /** A signature or encrypted reasoning, byte-exact. Belongs to the open reasoning item, or to a new empty one, and ends it. */
  | { readonly type: 'reasoning-state'; readonly opaque: string }
  /** Closes the open item, including a call. The next text or reasoning opens a new one. */
  | { readonly type: 'item-end' }
  /** `key` identifies the call within this reply. Core makes a `callId` if the vendor has none. `custom`: the input is free text, not JSON. */
  | {
      readonly type: 'tool-call'
      readonly key: string
      readonly callId?: string
      readonly name: string
      readonly namespace?: string
      readonly custom?: boolean
    }
  /** The next piece of a call's input. Calls may interleave. */
  | { readonly type: 'tool-input'; readonly key: string; readonly text: string }
  | {
      readonly type: 'search'
      readonly key: string
      readonly status: 'in_progress' | 'completed' | 'failed'
      readonly action: SearchAction
      /** The results, if the vendor sends them. Shown to callers who ask for the detail `search-results`. */
      readonly results?: readonly SearchResult[]
      /** The vendor's payload, if replaying the search needs it. */
      readonly opaque?: string
    }
  /** A complete item of a type that belongs to one of the caller's tools and that only this dialect knows. */
  | { readonly type: 'item'; readonly item: JsonObject & { readonly type: string } }
  | { readonly type: 'compaction'; readonly opaque: string }
  | ExtraEvent
  /** Something was dropped or lowered. Only before all other events: warnings go into a response header. */
  | { readonly type: 'warning'; readonly param: string; readonly message: string }
  /**
   * Ends a choice, says why, and begins the next one. Only if the request has `choices`, between two of them: the last one ends with `finish`.
   * All events of a choice come before those of the next one. `reason` is not `pause`. The keys of calls and searches begin anew.
   */
  | { readonly type: 'choice'; readonly reason: FinishReason }
  /** Totals so far, of all choices together, after the events that they count. The last one counts. */
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  /**
   * Ends the reply and says why the model stopped. Only a `usage` may follow, within a second. A reply without `finish` is a failure.
   * `pause`: core asks the same candidate to continue.
   */
  | { readonly type: 'finish'; readonly reason: FinishReason }

/**
 * Members of the reply that no other event can say. Only if the request has an `extra` of the provider's dialect: then the caller speaks it
 * and gets them. `answer`: members of the whole reply, and of the choice or candidate. `item`: members of the open item, or of the next one if
 * none is open. `usage` and `finish`: members beside the token counts, and beside the finish reason, in the vendor's words.
 */
export interface ExtraEvent {
  readonly type: 'extra'
  readonly at: 'answer' | 'item' | 'usage' | 'finish'
  readonly fields: JsonObject
}

export const finishReasons = ['stop', 'length', 'content-filter', 'tool-calls', 'pause'] as const
export type FinishReason = (typeof finishReasons)[number]

/** True if an event is part of the answer. After the first one, core does not try other candidates. */
export function isSemantic(event: GenerationEvent): boolean {
  const { type } = event
  return type !== 'model' && type !== 'usage' && type !== 'warning' && type !== 'item-end' && type !== 'extra'
}

/** The input counts are disjoint: their sum is the total input. `reasoning` is part of `output`. */
export interface TokenUsage {
  readonly uncachedInput: number
  readonly cacheRead: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
  readonly output: number
  readonly reasoning: number
  /** The vendor sent no usage, or not all of it, so the gateway counted: docs/limits.md#answers-without-usage. */
  readonly estimated?: boolean
  /** Number of calls to built-in tools, by tool name. */
  readonly toolCalls?: Readonly<Record<string, number>>
}

/** A usage of no tokens, to start from. */
export const noUsage: TokenUsage = { uncachedInput: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 }

export type Citation =
  | { readonly type: 'url_citation'; readonly url: string; readonly title: string }
  | { readonly type: 'file_citation'; readonly file_id: string; readonly filename: string; readonly index: number }
  | { readonly type: 'container_file_citation'; readonly container_id: string; readonly file_id: string; readonly filename: string }

export interface LogProb {
  readonly token: string
  readonly logprob: number
  readonly bytes?: readonly number[]
  readonly top_logprobs?: readonly { readonly token: string; readonly logprob: number; readonly bytes?: readonly number[] }[]
}

/** A page that a search found. */
export interface SearchResult {
  /** As the engine or the vendor gave it. */
  readonly url: string
  /** Absent if the vendor sends none. */
  readonly title?: string
  /** The part of the page that the model read. Absent if the vendor sends none. */
  readonly text?: string
}

/** One step of a search: a query, a page that is opened, or a text that is looked for in it. */
export type SearchAction =
  | {
      readonly type: 'search'
      /** Empty if the vendor does not tell it. */
      readonly query: string
      /** All queries, if there are several. */
      readonly queries?: readonly string[]
      /** The pages that the model consulted, if the vendor tells them. */
      readonly sources?: readonly {
        readonly type: 'url'
        /** The page. */
        readonly url: string
      }[]
    }
  | {
      readonly type: 'open_page'
      /** Absent if the vendor does not tell it. */
      readonly url?: string
    }
  | {
      readonly type: 'find_in_page'
      /** The page in which the model looks. */
      readonly url: string
      /** The text that it looks for. */
      readonly pattern: string
    }
