import type { Maybe } from '../runtime/pending.ts'
import { keyFields, type ApiKey } from './key-fields.ts'
import type { PageQuery } from './page.ts'
import { contract } from '../foundation/token.ts'

export type { ApiKey, KeyLimit } from './key-fields.ts'

/** In UTC. A week starts on Monday. */
export const spendPeriods = keyFields.spendPeriod.choices
/** How long a spend cap counts before it begins anew. */
export type SpendPeriod = (typeof spendPeriods)[number]

/** The settings of a new key. */
export type KeySettings = Pick<ApiKey, 'name'> & Partial<Omit<ApiKey, 'id' | 'hash' | 'createdAt'>>

/** Changes to a key. Present members replace the key's; `undefined` removes them. */
export type KeyChange = Partial<Omit<ApiKey, 'id' | 'createdAt'>>

/** Only keys that match every member. */
export interface KeyFilter {
  /** Default: of all organizations. */
  readonly org?: string | undefined
  /** The id of a team. */
  readonly team?: string | undefined
  /** The id of a user. */
  readonly user?: string | undefined
  /** Those that expire in this time, `after` excluded. */
  readonly expires?:
    | {
        /** Milliseconds since the epoch, exclusive. */
        readonly after: number
        /** Milliseconds since the epoch, inclusive. */
        readonly by: number
      }
    | undefined
}

/**
 * Stores API keys. `find` runs for every request, so answer from memory if possible, and return the same object until the key changes: core
 * checks and freezes each object once. To change a key, replace its object. A throw becomes a 503, and so does a key with a member that
 * `ApiKey` does not allow, such as `null`, or a text where a number belongs: the log names the member. No function has a time limit.
 * `keyStoreSuite` of `turnpike/testing` checks an implementation.
 */
export interface KeyStore {
  /** True if keys survive a restart. */
  readonly persistent: boolean
  /** The key with this id, or undefined. */
  find(id: string): Maybe<ApiKey | undefined>
  /** Those of many keys that exist, hidden ones too, in any order. Absent: they are found one by one. */
  findAll?(ids: readonly string[]): Maybe<readonly ApiKey[]>
  /** True if `find` can answer, from a cache if it has one. For the health check. Default: true. */
  available?(): Maybe<boolean>
  /** Throws if the id is taken. */
  add(key: ApiKey): Maybe<void>
  /**
   * Changes only these members, so that concurrent changes to others are kept. A function gets the stored key, and nothing else changes it
   * meanwhile. Every process that shares the store must see the change within a second. False if the key does not exist.
   */
  update(id: string, change: KeyChange | ((key: ApiKey) => KeyChange)): Maybe<boolean>
  /** All keys except hidden ones, oldest first. */
  list(): Maybe<readonly ApiKey[]>
  /** Some of `list`. */
  page(filter: KeyFilter, query: PageQuery): Maybe<readonly ApiKey[]>
  /** Erases a key. False if it does not exist. For keys without records; others become hidden. */
  remove(id: string): Maybe<boolean>
  /** True if no key was ever created: then the first start creates one. */
  empty(): Maybe<boolean>
}
export const KeyStore = contract<KeyStore>('key-store', { version: 1, stability: 'stable' })
