import type { ExtraEvent, FinishReason, GenerationEvent, SearchAction, SearchResult } from './events.ts'
import type { JsonObject } from '../foundation/json.ts'

/**
 * An answer as sinks and guards see it. Core makes it from a provider's events: an item opens, grows and closes before the next one
 * opens, every item has the id that clients see and stores keep, and every call has a call id.
 */
export type ItemEvent = ItemOpen | ItemDelta | ItemClose | ChoiceEnd | ExtraEvent

/** Ends a choice, after its items are closed, and begins the next one. Only for requests with `choices`, which are told one after the other. */
export interface ChoiceEnd {
  readonly type: 'choice'
  /** Why this choice ended. Never `pause`. */
  readonly reason: FinishReason
}

/** An item of the answer begins: docs/protocol/items.md#output-items. */
export interface ItemOpen {
  readonly type: 'item-open'
  /** `kind` tells what it is; its `id` is the one that clients see. */
  readonly item: OpenedItem
}

/** More of the open item. An annotation's offsets count from the start of the message. */
export type ItemDelta =
  | Extract<
      GenerationEvent,
      {
        /** The events of a provider that sinks get, too. */
        type: 'text' | 'refusal' | 'annotation' | 'reasoning' | 'reasoning-state' | 'tool-input'
      }
    >
  | SearchEnd

/** The result of an open search. Replaces its members from when it opened. */
export interface SearchEnd {
  readonly type: 'search-end'
  /** `failed`: it could not be made. Finding nothing is `completed`. */
  readonly status: 'completed' | 'failed'
  /** The last state of it, such as the page that was opened. */
  readonly action: SearchAction
  /** Absent if the vendor sends none. */
  readonly results?: readonly SearchResult[]
}

/** Ends the open item. Nothing more of it follows. */
export interface ItemClose {
  readonly type: 'item-close'
  /** `incomplete`: the answer was cut off inside this item. */
  readonly status: 'completed' | 'incomplete'
}

/** The last three kinds are complete when they open, except a search that is `in_progress`. */
export type OpenedItem = OpenedMessage | OpenedReasoning | OpenedCall | OpenedSearch | OpenedCompaction | OpenedForeign

/** A message of the model, whose text and refusals follow. */
export interface OpenedMessage {
  readonly kind: 'message'
  /** Such as `msg_…`, as clients see it. */
  readonly id: string
  /** Remarks before the answer, or the answer. Absent if the vendor does not say. */
  readonly phase?: 'commentary' | 'final_answer'
}

/** Reasoning, whose text and state follow. */
export interface OpenedReasoning {
  readonly kind: 'reasoning'
  /** Such as `rs_…`, as clients see it. */
  readonly id: string
}

/** A call of a function or a custom tool, whose input follows. */
export interface OpenedCall {
  readonly kind: 'call'
  /** Of the item, such as `fc_…`. */
  readonly id: string
  /** Links the call with its output: `call_id` of both. */
  readonly callId: string
  /** The tool that the model calls. */
  readonly name: string
  /** Of the tool. Absent if it is in none. */
  readonly namespace?: string
  /** The input is free text, not JSON. */
  readonly custom: boolean
}

/** A search of the web, by the vendor or by the gateway. */
export interface OpenedSearch {
  readonly kind: 'search'
  /** Such as `ws_…`, as clients see it. */
  readonly id: string
  /** `in_progress`: a `SearchEnd` follows. */
  readonly status: 'in_progress' | 'completed' | 'failed'
  /** True if the gateway searches, not the provider. */
  readonly byGateway?: true
  /** The query or the page. */
  readonly action: SearchAction
  /** Absent if there are none yet, or the vendor sends none. */
  readonly results?: readonly SearchResult[]
}

/** A compacted conversation, which replaces the items before it: docs/protocol/compaction.md. */
export interface OpenedCompaction {
  readonly kind: 'compaction'
  /** Such as `cmp_…`, as clients see it. */
  readonly id: string
  /** The provider's bytes in the transcript; sealed everywhere else. */
  readonly opaque: string
  /** True if the gateway made it, and sealed it already. */
  readonly byGateway?: true
}

/** An item of a type that belongs to one of the caller's tools and that only the upstream dialect knows. */
export interface OpenedForeign {
  readonly kind: 'foreign'
  /** The id that clients see, in place of that in `item`. */
  readonly id: string
  /** As the vendor sent it. */
  readonly item: JsonObject & {
    /** Such as `code_interpreter_call`. */
    readonly type: string
  }
}
