import type { Item } from './items.ts'
import type { JsonObject } from '../foundation/json.ts'
import { contract } from '../foundation/token.ts'

/** The part of a conversation that one request added. Every item has an `id`. */
export interface Turn {
  /** The items that the request added. */
  readonly input: readonly Item[]
  /** The output as the client saw it, with its state sealed. */
  readonly output: readonly Item[]
}

/** A finished response with its turn. */
export interface StoredResponse extends Turn {
  /** Such as `resp_…`. */
  readonly id: string
  /** If the store seals bodies, it uses this organization's key. */
  readonly org: string
  /** The response that it continues. */
  readonly previousId?: string | undefined
  /** The response object that the client received. */
  readonly body: JsonObject
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/**
 * Stores responses for chaining and retrieval. Everything is scoped to an owner: treat another owner's id as unknown. Owners and ids may be
 * long and have any characters: hash them where an index of the database allows less. All items of turns are `KeptItem`s. A throw and a
 * malformed answer become a 503, and so does an answer that takes longer than `storeTimeoutMs`. `responseStoreSuite` of `turnpike/testing`
 * checks an implementation.
 */
export interface ResponseStore {
  /**
   * Called before the client gets the end of the response. After `storeTimeoutMs`, core continues and `signal` aborts: the client is told
   * that the response is not stored, so do not store it later.
   */
  put(owner: string, response: StoredResponse, signal?: AbortSignal): Promise<void>
  /** Undefined if the owner has none with this id. */
  get(owner: string, id: string): Promise<StoredResponse | undefined>
  /** The turns of a response and its ancestors, oldest first. Undefined if any of them is unknown, or is its own ancestor. */
  chain(owner: string, id: string): Promise<readonly Turn[] | undefined>
  /** Items of stored turns by id, without unknown ids. */
  items(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Item>>
  /** Deletes a response and its items. False if there was nothing to delete. */
  delete(owner: string, id: string): Promise<boolean>
}
export const ResponseStore = contract<ResponseStore>('response-store', { version: 1, stability: 'stable' })
