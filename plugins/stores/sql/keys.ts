import type { Kysely } from 'kysely'
import { isObject, type ApiKey, type Clock, type KeyChange, type KeyFilter, type KeyStore, type Logger } from '../../../core/index.ts'
import type { Maybe, PageQuery } from '../../../core/index.ts'
import type { RowReaders } from './database.ts'
import { forUpdate } from './for-update.ts'
import { afterInTime } from './page.ts'
import { Reachable } from './reachable.ts'
import { RowCache } from './row-cache.ts'
import type { KeyTable, Tables } from './tables.ts'

export interface KeyCacheOptions {
  readonly cacheTtlMs: number
  readonly staleKeysMs: number
}

export class SqlKeys implements KeyStore {
  readonly persistent = true
  readonly #database: Kysely<Tables>
  readonly #readers: RowReaders
  readonly #log: Logger
  readonly #cache: RowCache<ApiKey>
  readonly #reachable: Reachable

  constructor(
    database: Kysely<Tables>,
    clock: Clock,
    log: Logger,
    { cacheTtlMs, staleKeysMs }: KeyCacheOptions,
    readers: RowReaders = { lookups: database, general: database },
  ) {
    this.#database = database
    this.#readers = readers
    this.#log = log
    this.#cache = new RowCache(clock, { ttlMs: cacheTtlMs, staleMs: staleKeysMs, keepsUnknown: false, load: id => this.#read(id) })
    // Cached keys go on working for a while.
    this.#reachable = new Reachable(clock, staleKeysMs, () => this.empty())
  }

  find(id: string): Maybe<ApiKey | undefined> {
    return this.#cache.find(id)
  }

  available(): Promise<boolean> {
    return this.#reachable.check()
  }

  async add(key: ApiKey): Promise<void> {
    await this.#database
      .insertInto('api_key')
      .values(toColumns(key) as KeyTable)
      .execute()
  }

  async update(id: string, change: KeyChange | ((key: ApiKey) => KeyChange)): Promise<boolean> {
    const isThere = await (typeof change === 'function' ? this.#updateBy(id, change) : this.#set(this.#database, id, change))
    this.#cache.forget(id)
    return isThere
  }

  async list(): Promise<readonly ApiKey[]> {
    return this.#readable(await this.#visible().execute())
  }

  async page({ org, team, user }: KeyFilter, { limit, after }: PageQuery): Promise<readonly ApiKey[]> {
    let query = this.#visible().limit(limit)
    if (org !== undefined) query = query.where('org', '=', org)
    if (team !== undefined) query = query.where('team', '=', team)
    if (user !== undefined) query = query.where('user', '=', user)
    if (after) query = query.where(afterInTime('created_at', after))
    return this.#readable(await query.execute())
  }

  async remove(id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#database.deleteFrom('api_key').where('id', '=', id).executeTakeFirst()
    this.#cache.forget(id)
    return numDeletedRows > 0n
  }

  async empty(): Promise<boolean> {
    return (await this.#readers.lookups.selectFrom('api_key').select('id').limit(1).executeTakeFirst()) === undefined
  }

  /** The oldest first. */
  #visible() {
    return this.#readers.general.selectFrom('api_key').selectAll().where('hidden', 'is', null).orderBy('created_at').orderBy('id')
  }

  async #read(id: string): Promise<ApiKey | undefined> {
    const row = await this.#readers.lookups.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirst()
    return row && this.#readable([row])[0]
  }

  async #updateBy(id: string, changeOf: (key: ApiKey) => KeyChange): Promise<boolean> {
    return await this.#database.transaction().execute(async transaction => {
      const query = transaction.selectFrom('api_key').selectAll().where('id', '=', id)
      const row = await forUpdate(transaction, query).executeTakeFirst()
      const [key] = row ? this.#readable([row]) : []
      return key !== undefined && (await this.#set(transaction, id, changeOf(key)))
    })
  }

  async #set(database: Kysely<Tables>, id: string, change: KeyChange): Promise<boolean> {
    if (Object.keys(change).length === 0)
      return (await database.selectFrom('api_key').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
    const { numUpdatedRows } = await database.updateTable('api_key').set(toColumns(change)).where('id', '=', id).executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Without rows that cannot be read: without its limits, a key must not work. */
  #readable(rows: readonly KeyTable[]): readonly ApiKey[] {
    return rows.flatMap(row => {
      try {
        const key = fromRow(row)
        if (isObject(key.policy)) return [key]
      } catch {
        // Reported below.
      }
      this.#log.error('a stored API key cannot be read because its row was changed; create a new key', { key: row.id })
      return []
    })
  }
}

/** The columns of each member of a key. */
const columnsOf: { readonly [M in keyof ApiKey]-?: (value: ApiKey[M]) => Partial<KeyTable> } = {
  id: id => ({ id }),
  hash: hash => ({ hash }),
  previous: previous => ({ previous: jsonOrNull(previous) }),
  name: name => ({ name }),
  org: org => ({ org }),
  team: team => ({ team: team ?? null }),
  user: user => ({ user: user ?? null }),
  policy: policy => ({ policy: JSON.stringify(policy) }),
  models: models => ({ models: jsonOrNull(models) }),
  providers: providers => ({ providers: jsonOrNull(providers) }),
  spendCapUsd: cap => ({ spend_cap_usd: cap ?? null }),
  spendPeriod: period => ({ spend_period: period ?? null }),
  allowUnpriced: allowed => ({ allow_unpriced: allowed === undefined ? null : Number(allowed) }),
  limits: limits => ({ limits: jsonOrNull(limits) }),
  maxConcurrency: most => ({ max_concurrency: most ?? null }),
  guardrails: guardrails => ({ guardrails: jsonOrNull(guardrails) }),
  expiresAt: expiresAt => ({ expires_at: expiresAt ?? null }),
  disabled: disabled => ({ disabled: disabled === undefined ? null : Number(disabled) }),
  hidden: hidden => ({ hidden: hidden ? 1 : null }),
  metadata: metadata => ({ metadata: jsonOrNull(metadata) }),
  createdAt: createdAt => ({ created_at: createdAt }),
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
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
    ...(row.spend_period !== null && { spendPeriod: row.spend_period as NonNullable<ApiKey['spendPeriod']> }),
    ...(row.allow_unpriced !== null && { allowUnpriced: row.allow_unpriced === 1 }),
    ...(row.limits !== null && { limits: JSON.parse(row.limits) }),
    ...(row.max_concurrency !== null && { maxConcurrency: row.max_concurrency }),
    ...(row.guardrails !== null && { guardrails: JSON.parse(row.guardrails) }),
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.disabled !== null && { disabled: row.disabled === 1 }),
    ...(row.hidden !== null && { hidden: true }),
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) }),
    createdAt: row.created_at,
    ...(row.previous !== null && { previous: JSON.parse(row.previous) }),
  }
}
