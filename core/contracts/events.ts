import type { JsonObject } from '../foundation/json.ts'

/**
 * The events that a provider yields, in the order of the model's output. Providers do not make ids, indexes, or start and end events:
 * an item opens with its first event, and closes at `item-end`, when another item opens, or at the end of the reply.
 * An event of another type, an unknown finish reason, or a member of the wrong type is a failure of kind `protocol`.
 */
export type GenerationEvent =
  /** The vendor's name for the model that answers, if the vendor sends it. */
  | {
      readonly type: 'model'
      /** Often dated, such as `demo-model-2026-01-01`. */
      readonly model: string
    }
  | {
      readonly type: 'text'
      /** The next piece. A message opens with the first one. */
      readonly text: string
      /** One for each token of `text`. */
      readonly logprobs?: readonly LogProb[]
      /** Of the whole message: docs/protocol/items.md. */
      readonly phase?: 'commentary' | 'final_answer'
    }
  | {
      readonly type: 'refusal'
      /** The next piece of the refusal, in the model's words. */
      readonly text: string
    }
  /** `start` and `end` are UTF-16 offsets into the text of the open message. */
  | {
      readonly type: 'annotation'
      /** The source of the text from `start` to `end`. */
      readonly citation: Citation
      /** The first character cited. */
      readonly start: number
      /** After the last one. */
      readonly end: number
    }
  /** `full` is the model's raw reasoning, `summary` a digest. `newPart` starts a new part of the same item. */
  | {
      readonly type: 'reasoning'
      /** The next piece of the reasoning. */
      readonly text: string
      /** A change of form opens another item. */
      readonly form: 'summary' | 'full'
      /** Default: the text continues the part. */
      readonly newPart?: boolean
    }
  /** A signature or encrypted reasoning, byte-exact. Belongs to the open reasoning item, or to a new empty one, and ends it. */
  | {
      readonly type: 'reasoning-state'
      /** Returned to the same vendor in later turns. */
      readonly opaque: string
    }
  /** Closes the open item, including a call. The next text or reasoning opens a new one. */
  | { readonly type: 'item-end' }
  /** `key` identifies the call within this reply. Core makes a `callId` if the vendor has none. `custom`: the input is free text, not JSON. */
  | {
      readonly type: 'tool-call'
      /** Such as the vendor's index. */
      readonly key: string
      /** The vendor's id of the call. */
      readonly callId?: string
      /** The function or custom tool, as the request named it. */
      readonly name: string
      /** The namespace of the function, if the request put it in one. */
      readonly namespace?: string
      /** Default: false. */
      readonly custom?: boolean
    }
  /** The next piece of a call's input. Calls may interleave. */
  | {
      readonly type: 'tool-input'
      /** That of its `tool-call`. */
      readonly key: string
      /** JSON, unless the call is `custom`. */
      readonly text: string
    }
  | {
      readonly type: 'search'
      /** Events with one key are one search. */
      readonly key: string
      /** Ends with `completed` or `failed`. */
      readonly status: 'in_progress' | 'completed' | 'failed'
      /** The latest one counts. Without a query, it is that of the start. */
      readonly action: SearchAction
      /** The results, if the vendor sends them. Shown to callers who ask for the detail `search-results`. */
      readonly results?: readonly SearchResult[]
      /** The vendor's payload, if replaying the search needs it. */
      readonly opaque?: string
    }
  /** A complete item of a type that belongs to one of the caller's tools and that only this dialect knows. */
  | {
      readonly type: 'item'
      /** As the dialect writes it. */
      readonly item: JsonObject & {
        /** Such as `mcp_call`. */
        readonly type: string
      }
    }
  | {
      readonly type: 'compaction'
      /** The vendor's form of the compacted conversation, byte-exact. */
      readonly opaque: string
    }
  | ExtraEvent
  /** Something was dropped or lowered. Only before all other events: warnings go into a response header. */
  | {
      readonly type: 'warning'
      /** The path of the member, such as `text.verbosity`. */
      readonly param: string
      /** One sentence, without content. */
      readonly message: string
    }
  /**
   * Ends a choice, says why, and begins the next one. Only if the request has `choices`, between two of them: the last one ends with `finish`.
   * All events of a choice come before those of the next one. `reason` is not `pause`. The keys of calls and searches begin anew.
   */
  | {
      readonly type: 'choice'
      /** Why this choice ended. */
      readonly reason: FinishReason
    }
  /** Totals so far, of all choices together, after the events that they count. The last one counts. */
  | {
      readonly type: 'usage'
      /** Replaces the one before. */
      readonly usage: TokenUsage
    }
  /**
   * Ends the reply and says why the model stopped. Only a `usage` may follow, within a second. A reply without `finish` is a failure.
   * `pause`: core asks the same candidate to continue.
   */
  | {
      readonly type: 'finish'
      /** Why the last choice ended. */
      readonly reason: FinishReason
    }

/**
 * Members of the reply that no other event can say. Only if the request has an `extra` of the provider's dialect: then the caller speaks it
 * and gets them. `answer`: members of the whole reply, and of the choice or candidate. `item`: members of the open item, or of the next one if
 * none is open. `usage` and `finish`: members beside the token counts, and beside the finish reason, in the vendor's words.
 */
export interface ExtraEvent {
  readonly type: 'extra'
  /** The place of the members in the reply. */
  readonly at: 'answer' | 'item' | 'usage' | 'finish'
  /** As the vendor sent them. */
  readonly fields: JsonObject
}

/** Why an answer ended. `length`: a limit cut it off. `pause`: core asks the same candidate to continue. */
export const finishReasons = ['stop', 'length', 'content-filter', 'tool-calls', 'pause'] as const
/** Why the model stopped. `pause`: it goes on when it is asked again. */
export type FinishReason = (typeof finishReasons)[number]

/** True if an event is part of the answer. After the first one, core does not try other candidates. */
export function isSemantic(event: GenerationEvent): boolean {
  const { type } = event
  return type !== 'model' && type !== 'usage' && type !== 'warning' && type !== 'item-end' && type !== 'extra'
}

/** The input counts are disjoint: their sum is the total input. `reasoning` is part of `output`. */
export interface TokenUsage {
  /** Input tokens that no cache had, without cache writes. */
  readonly uncachedInput: number
  /** Input tokens that the vendor read from its cache. */
  readonly cacheRead: number
  /** Input tokens written to a cache for five minutes, or for a time that the vendor does not tell. */
  readonly cacheWrite5m: number
  /** Input tokens written to a cache for an hour. */
  readonly cacheWrite1h: number
  /** All output tokens, with reasoning. */
  readonly output: number
  /** 0 if the vendor does not tell. */
  readonly reasoning: number
  /** The vendor sent no usage, or not all of it, so the gateway counted: docs/limits.md#answers-without-usage. */
  readonly estimated?: boolean
  /** Number of calls to built-in tools, by tool name. */
  readonly toolCalls?: Readonly<Record<string, number>>
}

/** Equal across copies of this package, and gone from a copy of the object with other counts. */
const nothing = Symbol.for('turnpike/no-usage')

/** The counts of a call that sent nothing. A usage with some counts is written as `{ ...noUsage, output: 5 }`. */
export const noUsage: TokenUsage = Object.defineProperty(
  { uncachedInput: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 },
  nothing,
  { value: true },
)

/** True for `noUsage` of any copy of this package. Zeros that somebody reported are a usage. */
export function isNoUsage(usage: TokenUsage): boolean {
  return nothing in usage
}

/** The source of a text, as callers get it: docs/protocol/items.md#output-items. */
export type Citation =
  | {
      readonly type: 'url_citation'
      /** The address of the page. */
      readonly url: string
      /** The title of the page. Empty if the vendor sends none. */
      readonly title: string
    }
  | {
      readonly type: 'file_citation'
      /** The vendor's id. */
      readonly file_id: string
      /** Empty if the vendor sends none. */
      readonly filename: string
      /** As the vendor counts. 0 if it sends none. */
      readonly index: number
    }
  | {
      readonly type: 'container_file_citation'
      /** The vendor's id of the sandbox in which its code ran. */
      readonly container_id: string
      /** The vendor's id. */
      readonly file_id: string
      /** Empty if the vendor sends none. */
      readonly filename: string
    }

/** The log probability of one token of the text: docs/protocol/items.md#output-items. */
export interface LogProb {
  /** As text. May be a part of a character: then `bytes` tells. */
  readonly token: string
  /** The natural logarithm of its probability, so 0 at most. */
  readonly logprob: number
  /** The token in UTF-8. Absent if the vendor sends none. */
  readonly bytes?: readonly number[]
  /** The likeliest tokens in its place. Absent unless the request asks for some. */
  readonly top_logprobs?: readonly {
    /** As text. */
    readonly token: string
    /** 0 at most. */
    readonly logprob: number
    /** In UTF-8. */
    readonly bytes?: readonly number[]
  }[]
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
      /** All queries, if the vendor sends a list. */
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
