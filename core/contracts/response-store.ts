import type { Item } from './items.ts'
import type { JsonObject } from '../foundation/json.ts'
import { token } from '../foundation/token.ts'

/** What one request added to a conversation. Every item has an `id`. */
export interface Turn {
  readonly input: readonly Item[]
  /** What the model said, before output filters, with its state sealed. */
  readonly output: readonly Item[]
}

/** A finished response and what led to it. */
export interface StoredResponse extends Turn {
  readonly id: string
  /** Its bodies are sealed under this organization's own key, where the store seals. */
  readonly org: string
  readonly previousId?: string | undefined
  /** The object that the client received. */
  readonly body: JsonObject
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Keeps responses for chaining and retrieval. Everything is scoped to an owner: another owner's id is as good as unknown. A throw is a 503. */
export interface ResponseStore {
  /** Called before the client hears that the response is complete, with a deadline. */
  put(owner: string, response: StoredResponse): Promise<void>
  get(owner: string, id: string): Promise<StoredResponse | undefined>
  /** The turns of a response and all its ancestors, oldest first; undefined when the response or any ancestor is unknown. */
  chain(owner: string, id: string): Promise<readonly Turn[] | undefined>
  /** Items of stored turns by their ids; an id that is unknown is missing from the answer. */
  items(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Item>>
  /** False when there was nothing to delete. Its items go with it. */
  delete(owner: string, id: string): Promise<boolean>
}
export const ResponseStore = token<ResponseStore>('response-store')
