import type { Maybe } from '../foundation/json.ts'
import type { PolicyLayer } from './policy.ts'
import { token } from '../foundation/token.ts'

/** An API key as it is kept: everything but the secret. */
export interface ApiKey {
  /** The middle part of `tp_<id>_<secret>`. */
  readonly id: string
  /** HMAC-SHA-256 of the whole key under the server's pepper, base64url. */
  readonly hash: string
  /** After a rotation: the hash of the key before, which opens the gateway too until `validUntil`, in milliseconds since the epoch. */
  readonly previous?: { readonly hash: string; readonly validUntil: number } | undefined
  readonly name: string
  readonly org: string
  readonly team?: string | undefined
  readonly user?: string | undefined
  readonly policy: PolicyLayer
  /** Model names the key may use; absent means all. */
  readonly models?: readonly string[] | undefined
  /** Provider ids the key may use; absent means all. */
  readonly providers?: readonly string[] | undefined
  readonly spendCapUsd?: number | undefined
  /** Serve endpoints of unknown price although there is a cap. */
  readonly allowUnpriced?: boolean | undefined
  readonly tokensPerMinute?: number | undefined
  readonly disabled?: boolean | undefined
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** What may change in a key. A member that is there replaces the key's; undefined takes it away. */
export type KeyChange = Partial<Omit<ApiKey, 'id' | 'createdAt'>>

/** Keeps API keys. `find` is called for every request: it should answer from memory when it can. A throw is a 503. */
export interface KeyStore {
  /** Whether keys outlive the process. */
  readonly persistent: boolean
  find(id: string): Maybe<ApiKey | undefined>
  add(key: ApiKey): Maybe<void>
  /** Changes these members and no others, so that two changes at once both hold. Within a second every process that shares the store must heed it. False where there is no such key. */
  update(id: string, change: KeyChange): Maybe<boolean>
  /** All keys, the oldest first. */
  list(): Maybe<readonly ApiKey[]>
  /** Whether no key was ever made: then the first start makes one. */
  empty(): Maybe<boolean>
}
export const KeyStore = token<KeyStore>('key-store')
