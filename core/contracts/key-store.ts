import type { Maybe } from '../foundation/json.ts'
import type { PolicyLayer } from './policy.ts'
import { token } from '../foundation/token.ts'

/** A stored API key: everything but the secret. */
export interface ApiKey {
  /** The middle part of `tp_<id>_<secret>`. */
  readonly id: string
  /** HMAC-SHA-256 of the whole key under the server's pepper, base64url. */
  readonly hash: string
  /** After a rotation, the hash of the previous secret. It stays valid until `validUntil`, in milliseconds since the epoch. */
  readonly previous?: { readonly hash: string; readonly validUntil: number } | undefined
  readonly name: string
  readonly org: string
  readonly team?: string | undefined
  readonly user?: string | undefined
  readonly policy: PolicyLayer
  /** Model names that the key may use. All if absent. */
  readonly models?: readonly string[] | undefined
  /** Provider ids that the key may use. All if absent. */
  readonly providers?: readonly string[] | undefined
  readonly spendCapUsd?: number | undefined
  /** Allows endpoints of unknown price despite a spend cap. */
  readonly allowUnpriced?: boolean | undefined
  readonly tokensPerMinute?: number | undefined
  readonly disabled?: boolean | undefined
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Changes to a key. Present members replace the key's; `undefined` removes them. */
export type KeyChange = Partial<Omit<ApiKey, 'id' | 'createdAt'>>

/** Stores API keys. `find` runs for every request, so answer from memory if possible. A throw becomes a 503. */
export interface KeyStore {
  /** Whether keys survive a restart. */
  readonly persistent: boolean
  find(id: string): Maybe<ApiKey | undefined>
  add(key: ApiKey): Maybe<void>
  /**
   * Changes only these members, so that concurrent changes to others are kept. Every process that shares the store must see the change
   * within a second. False if the key does not exist.
   */
  update(id: string, change: KeyChange): Maybe<boolean>
  /** All keys, oldest first. */
  list(): Maybe<readonly ApiKey[]>
  /** Whether no key was ever created: then the first start creates one. */
  empty(): Maybe<boolean>
}
export const KeyStore = token<KeyStore>('key-store')
