import type { Kysely } from 'kysely'
import { isObject, type Clock, type Logger } from '../../../core/index.ts'
import { keyFields, type ApiKey, type KeyChange, type KeyFilter, type KeyStore, type Maybe, type PageQuery } from '../../../core/stores.ts'
import type { RowReaders } from './database.ts'
import { FieldColumns } from './field-columns.ts'
import { forUpdate } from './for-update.ts'
import { afterInTime } from './page.ts'
import { Reachable } from './reachable.ts'
import { RowCache } from './row-cache.ts'
import type { KeyTable, Tables } from './tables.ts'

const columns = new FieldColumns(keyFields)

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
    // Cached keys keep working for a while.
    this.#reachable = new Reachable(clock, staleKeysMs, () => this.empty())
  }

  find(id: string): Maybe<ApiKey | undefined> {
    return this.#cache.find(id)
  }

  async findAll(ids: readonly string[]): Promise<readonly ApiKey[]> {
    if (ids.length === 0) return []
    return this.#readable(await this.#readers.general.selectFrom('api_key').selectAll().where('id', 'in', ids).execute())
  }

  available(): Promise<boolean> {
    return this.#reachable.check()
  }

  async add(key: ApiKey): Promise<void> {
    await this.#database
      .insertInto('api_key')
      .values(columns.row(key) as KeyTable)
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

  async page({ org, team, user, expires }: KeyFilter, { limit, after }: PageQuery): Promise<readonly ApiKey[]> {
    let query = this.#visible().limit(limit)
    if (org !== undefined) query = query.where('org', '=', org)
    if (team !== undefined) query = query.where('team', '=', team)
    if (user !== undefined) query = query.where('user', '=', user)
    if (expires) query = query.where('expires_at', '>', expires.after).where('expires_at', '<=', expires.by)
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
    const { numUpdatedRows } = await database.updateTable('api_key').set(columns.row(change)).where('id', '=', id).executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Without rows that cannot be read: without its limits, a key must not work. */
  #readable(rows: readonly KeyTable[]): readonly ApiKey[] {
    return rows.flatMap(row => {
      try {
        const key: ApiKey = columns.withAbsent(row)
        if (isObject(key.policy)) return [key]
      } catch {
        // Reported below.
      }
      this.#log.error('a stored API key cannot be read because its row was changed; create a new key', { key: row.id })
      return []
    })
  }
}
