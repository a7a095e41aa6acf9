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
  readonly status: 'completed' | 'failed'
  readonly action: SearchAction
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

export interface OpenedMessage {
  readonly kind: 'message'
  readonly id: string
  readonly phase?: 'commentary' | 'final_answer'
}

export interface OpenedReasoning {
  readonly kind: 'reasoning'
  readonly id: string
}

export interface OpenedCall {
  readonly kind: 'call'
  readonly id: string
  readonly callId: string
  readonly name: string
  readonly namespace?: string
  /** The input is free text, not JSON. */
  readonly custom: boolean
}

export interface OpenedSearch {
  readonly kind: 'search'
  readonly id: string
  /** `in_progress`: a `SearchEnd` follows. */
  readonly status: 'in_progress' | 'completed' | 'failed'
  /** True if the gateway searches, not the provider. */
  readonly byGateway?: true
  readonly action: SearchAction
  readonly results?: readonly SearchResult[]
}

export interface OpenedCompaction {
  readonly kind: 'compaction'
  readonly id: string
  /** The provider's bytes in the transcript; sealed everywhere else. */
  readonly opaque: string
  /** True if the gateway made it, and sealed it already. */
  readonly byGateway?: true
}

/** An item of a type that belongs to one of the caller's tools and that only the upstream dialect knows. */
export interface OpenedForeign {
  readonly kind: 'foreign'
  readonly id: string
  readonly item: JsonObject & { readonly type: string }
}
