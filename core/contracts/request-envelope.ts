import type { JsonObject } from '../foundation/json.ts'

/**
 * Comes with a request, and says what core should do with it besides asking a model. Without an envelope, core reads and stores no
 * answers, and the record keeps the request itself.
 */
export interface RequestEnvelope {
  /** For a surface whose callers can continue stored answers. Without it, references to stored items are refused. */
  readonly history?: HistoryUse | undefined
  /** The request in the form of the surface, for the record. Core freezes it. Default: the request. */
  readonly recorded?: JsonObject | undefined
}

/** How a request uses stored answers. All of it needs the policy's `logging`. */
export interface HistoryUse {
  /** The surface's parameter for `continues`, which errors name. */
  readonly param: string
  /** The id of a stored answer. Core puts the conversation up to its end in front of the input. */
  readonly continues?: string | undefined
  /** False if this answer must not be stored. Default: true. */
  readonly store?: boolean | undefined
}
