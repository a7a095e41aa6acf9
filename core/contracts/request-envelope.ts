import type { JsonObject } from '../foundation/json.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { Item } from './items.ts'
import type { Turn } from './response-store.ts'
import type { FinishedAnswer } from './route.ts'

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

/** How a request uses earlier answers. What is stored needs the policy's `logging`; a `thread` is up to its surface. */
export interface HistoryUse {
  /** The surface's parameter for `continues`, which errors name. */
  readonly param: string
  /** The id of a stored answer. Core puts the conversation up to its end in front of the input. */
  readonly continues?: string | undefined
  /** False if this answer must not be stored. Default: true. */
  readonly store?: boolean | undefined
  /** The earlier conversation, if the surface keeps it. `continues` is then not looked up, but a stored answer names it. */
  readonly thread?: Thread | undefined
}

/** A conversation that a surface keeps itself, such as in the memory of a connection. */
export interface Thread {
  /** True if a stored answer repeats the earlier items in its input, because the stored answer that it continues does not lead to them. */
  readonly isRepeated?: boolean | undefined
  /** The items before the input, oldest first. Called once, after the limits of the request. Throws a `GatewayError` if there are none to be had. */
  earlier(): Maybe<readonly Item[]>
  /**
   * Called with the turn of an answer that is complete, before it is stored and before the client gets its end. State in the output is sealed.
   * A throw fails the request.
   */
  keep?(turn: Turn, finished: FinishedAnswer): Maybe<void>
}
