import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { isObject, type ApiKey, type Clock, type KeyChange, type KeyStore, type Logger, type Maybe } from '../../../core/index.ts'
import type { Tables } from './database.ts'

export interface KeyTable {
  readonly id: string
  readonly hash: string
  readonly name: string
  readonly org: string
  readonly team: string | null
  readonly user: string | null
  readonly policy: string
  readonly models: string | null
  readonly providers: string | null
  readonly spend_cap_usd: number | null
  readonly allow_unpriced: number | null
  readonly tokens_per_minute: number | null
  readonly disabled: number | null
  readonly created_at: number
  readonly previous_hash: string | null
  readonly previous_valid_until: number | null
}

const maxCachedKeys = 10_000

export class SqlKeys implements KeyStore {
  readonly persistent = true
  readonly #database: Kysely<Tables>
  readonly #log: Logger
  /** Existing keys only, so that new keys work at once and made-up ids do not evict real ones. */
  readonly #cache: LRUCache<string, ApiKey> | undefined

  constructor(database: Kysely<Tables>, clock: Clock, log: Logger, cacheTtlMs: number) {
    this.#database = database
    this.#log = log
    if (cacheTtlMs > 0) {
      const perf = { now: () => clock.elapsed() }
      this.#cache = new LRUCache({ max: maxCachedKeys, ttl: cacheTtlMs, ttlResolution: 0, perf })
    }
  }

  find(id: string): Maybe<ApiKey | undefined> {
    return this.#cache?.get(id) ?? this.#read(id)
  }

  async add(key: ApiKey): Promise<void> {
    await this.#database
      .insertInto('api_key')
      .values(toColumns(key) as KeyTable)
      .execute()
  }

  async update(id: string, change: KeyChange): Promise<boolean> {
    if (Object.keys(change).length === 0) return (await this.#read(id)) !== undefined
    const { numUpdatedRows } = await this.#database.updateTable('api_key').set(toColumns(change)).where('id', '=', id).executeTakeFirst()
    this.#cache?.delete(id)
    return numUpdatedRows > 0n
  }

  async list(): Promise<readonly ApiKey[]> {
    const rows = await this.#database.selectFrom('api_key').selectAll().orderBy('created_at').orderBy('id').execute()
    return rows.flatMap(row => this.#readable(row) ?? [])
  }

  async empty(): Promise<boolean> {
    return (await this.#database.selectFrom('api_key').select('id').limit(1).executeTakeFirst()) === undefined
  }

  async #read(id: string): Promise<ApiKey | undefined> {
    const row = await this.#database.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirst()
    const key = row && this.#readable(row)
    if (!key) return undefined
    this.#cache?.set(id, key)
    return key
  }

  /** Undefined for a row that cannot be read: without its limits, the key must not work. */
  #readable(row: KeyTable): ApiKey | undefined {
    try {
      const key = fromRow(row)
      if (isObject(key.policy)) return key
    } catch {
      // Reported below.
    }
    this.#log.error('a stored API key cannot be read because its row was changed; create a new key', { key: row.id })
    return undefined
  }
}

/** The columns of each member of a key. */
const columnsOf: { readonly [M in keyof ApiKey]-?: (value: ApiKey[M]) => Partial<KeyTable> } = {
  id: id => ({ id }),
  hash: hash => ({ hash }),
  previous: previous => ({ previous_hash: previous?.hash ?? null, previous_valid_until: previous?.validUntil ?? null }),
  name: name => ({ name }),
  org: org => ({ org }),
  team: team => ({ team: team ?? null }),
  user: user => ({ user: user ?? null }),
  policy: policy => ({ policy: JSON.stringify(policy) }),
  models: models => ({ models: models ? JSON.stringify(models) : null }),
  providers: providers => ({ providers: providers ? JSON.stringify(providers) : null }),
  spendCapUsd: cap => ({ spend_cap_usd: cap ?? null }),
  allowUnpriced: allowed => ({ allow_unpriced: allowed === undefined ? null : Number(allowed) }),
  tokensPerMinute: tokens => ({ tokens_per_minute: tokens ?? null }),
  disabled: disabled => ({ disabled: disabled === undefined ? null : Number(disabled) }),
  createdAt: createdAt => ({ created_at: createdAt }),
}

/** The columns of these members only. */
function toColumns(members: Partial<ApiKey>): Partial<KeyTable> {
  const columns = Object.entries(members).map(([member, value]) => columnsOf[member as keyof ApiKey](value as never))
  return Object.assign({}, ...columns)
}

function fromRow(row: KeyTable): ApiKey {
  return {
    id: row.id,
    hash: row.hash,
    name: row.name,
    org: row.org,
    ...(row.team !== null && { team: row.team }),
    ...(row.user !== null && { user: row.user }),
    policy: JSON.parse(row.policy),
    ...(row.models !== null && { models: JSON.parse(row.models) }),
    ...(row.providers !== null && { providers: JSON.parse(row.providers) }),
    ...(row.spend_cap_usd !== null && { spendCapUsd: row.spend_cap_usd }),
    ...(row.allow_unpriced !== null && { allowUnpriced: row.allow_unpriced === 1 }),
    ...(row.tokens_per_minute !== null && { tokensPerMinute: row.tokens_per_minute }),
    ...(row.disabled !== null && { disabled: row.disabled === 1 }),
    createdAt: row.created_at,
    ...(row.previous_hash !== null && { previous: { hash: row.previous_hash, validUntil: row.previous_valid_until ?? 0 } }),
  }
}
