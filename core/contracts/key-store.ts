import type { Maybe } from '../runtime/pending.ts'
import type { PageQuery } from './page.ts'
import type { PolicyLayer } from './policy.ts'
import { token } from '../foundation/token.ts'

/** A stored API key: everything but the secret. */
export interface ApiKey {
  /** The middle part of `tp_<id>_<secret>`. */
  readonly id: string
  /** HMAC-SHA-256 of the whole key under the server's pepper, base64url. */
  readonly hash: string
  /** After rotations, the hashes of earlier secrets, the newest first. Each is valid until `validUntil`, in milliseconds since the epoch. */
  readonly previous?: readonly { readonly hash: string; readonly validUntil: number }[] | undefined
  readonly name: string
  readonly org: string
  readonly team?: string | undefined
  readonly user?: string | undefined
  readonly policy: PolicyLayer
  /** Model names that the key may use: `model`, `provider/model`, aliases, and patterns with `*`. All if absent. */
  readonly models?: readonly string[] | undefined
  /** Provider ids that the key may use, and patterns with `*`. All if absent. */
  readonly providers?: readonly string[] | undefined
  readonly spendCapUsd?: number | undefined
  /** Allows endpoints of unknown price despite a spend cap. */
  readonly allowUnpriced?: boolean | undefined
  /** Undefined: the cap is for the whole life of the key. */
  readonly spendPeriod?: SpendPeriod | undefined
  readonly limits?: readonly KeyLimit[] | undefined
  /** How many of its requests to models may be in progress at once. */
  readonly maxConcurrency?: number | undefined
  /** Names of guardrails to apply, beyond those that always apply. */
  readonly guardrails?: readonly string[] | undefined
  /** Milliseconds since the epoch. From then on, the key is refused. */
  readonly expiresAt?: number | undefined
  readonly disabled?: boolean | undefined
  /** A deleted key that has records: disabled, and left out of lists. */
  readonly hidden?: boolean | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** In UTC. A week starts on Monday. */
export const spendPeriods = ['day', 'week', 'month'] as const
export type SpendPeriod = (typeof spendPeriods)[number]

/** The most tokens, or the most requests to models, in a window. */
export type KeyLimit = { readonly windowMs: number } & (
  | { readonly tokens: number; readonly requests?: undefined }
  | { readonly requests: number; readonly tokens?: undefined }
)

/** The settings of a new key. */
export type KeySettings = Pick<ApiKey, 'name'> & Partial<Omit<ApiKey, 'id' | 'hash' | 'createdAt'>>

/** Changes to a key. Present members replace the key's; `undefined` removes them. */
export type KeyChange = Partial<Omit<ApiKey, 'id' | 'createdAt'>>

export interface KeyFilter {
  readonly org?: string | undefined
  readonly team?: string | undefined
  readonly user?: string | undefined
}

/**
 * Stores API keys. `find` runs for every request, so answer from memory if possible, and return the same object until the key changes: core
 * checks and freezes each object once. To change a key, replace its object. A throw becomes a 503, and so does a key with a member that
 * `ApiKey` does not allow, such as `null`, or a text where a number belongs: the log names the member. No function has a time limit.
 */
export interface KeyStore {
  /** True if keys survive a restart. */
  readonly persistent: boolean
  find(id: string): Maybe<ApiKey | undefined>
  /** True if `find` can answer, from a cache if it has one. For the health check. Default: true. */
  available?(): Maybe<boolean>
  add(key: ApiKey): Maybe<void>
  /**
   * Changes only these members, so that concurrent changes to others are kept. A function gets the key as it is stored, and nothing changes
   * it meanwhile. Every process that shares the store must see the change within a second. False if the key does not exist.
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
export const KeyStore = token<KeyStore>('key-store')
