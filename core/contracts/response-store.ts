import type { Item } from './items.ts'
import type { JsonObject } from './json.ts'
import { token } from '../token.ts'

/** A finished response and what led to it. */
export interface StoredResponse {
  readonly id: string
  readonly previousId?: string | undefined
  /** What this request added to the conversation. */
  readonly input: readonly Item[]
  /** What the model said, before output filters, with its state sealed. */
  readonly output: readonly Item[]
  /** The object that the client received. */
  readonly body: JsonObject
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Keeps responses for chaining. Everything is scoped to an owner: another owner's id is as good as unknown. */
export interface ResponseStore {
  /** Called before the client hears that the response is complete, with a deadline. */
  put(owner: string, response: StoredResponse): Promise<void>
  /** The response and all its ancestors, oldest first; undefined when the response or any ancestor is unknown. */
  chain(owner: string, id: string): Promise<readonly StoredResponse[] | undefined>
}
export const ResponseStore = token<ResponseStore>('response-store')
