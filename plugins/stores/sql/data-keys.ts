import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Clock, Logger } from '../../../core/index.ts'
import { recentValues, type RecentValues, type Sealer } from '../../../core/stores.ts'
import type { DataKeyTable, Tables } from './tables.ts'

export interface DataKey {
  /** 16 bytes in hex. */
  readonly id: string
  readonly bytes: Uint8Array
}

const dayMs = 24 * 60 * 60 * 1000
/** How long an organization's newest key is cached: it may expire, or another process may create one. */
const currentForMs = 60 * 60 * 1000
const maxCachedKeys = 10_000
const rowsInBatch = 50

/**
 * The keys that encrypt stored responses: a separate series for each organization. A key is used for some days; older keys stay, for
 * reading.
 */
export class DataKeys {
  readonly #database: Kysely<Tables>
  readonly #reader: Kysely<Tables>
  readonly #sealer: Sealer
  readonly #clock: Clock
  readonly #log: Logger
  readonly #maxAgeMs: number
  /** By organization. */
  readonly #current: RecentValues<string, Promise<DataKey>>
  /** By id and organization. */
  readonly #opened = recentValues<string, DataKey>(maxCachedKeys)

  constructor(database: Kysely<Tables>, sealer: Sealer, clock: Clock, log: Logger, maxAgeDays: number, reader = database) {
    this.#database = database
    this.#reader = reader
    this.#sealer = sealer
    this.#clock = clock
    this.#log = log
    this.#maxAgeMs = maxAgeDays * dayMs
    const perf = { now: () => clock.elapsed() }
    this.#current = recentValues(maxCachedKeys, { ttl: currentForMs, ttlResolution: 0, perf })
  }

  /** The key to encrypt with. If two processes create an organization's first key at once, both keys stay usable. */
  current(org: string): Promise<DataKey> {
    const known = this.#current.get(org)
    if (known) return known
    const key = this.#newest(org)
    this.#current.set(org, key)
    key.catch(() => this.#current.delete(org))
    return key
  }

  /** The key with this id, if it exists and can be opened. */
  async find(org: string, id: string): Promise<DataKey | undefined> {
    const known = this.#opened.get(addressOf(id, org))
    if (known) return known
    const row = await this.#reader.selectFrom('data_key').selectAll().where('id', '=', id).where('org', '=', org).executeTakeFirst()
    return row && this.#open(row)
  }

  /** Reseals every data key that an earlier master key sealed, so that the earlier one can be retired. Returns their number. */
  async resealAll(): Promise<number> {
    let resealed = 0
    for (let after = ''; ;) {
      const rows = await this.#database
        .selectFrom('data_key')
        .selectAll()
        .where('id', '>', after)
        .orderBy('id')
        .limit(rowsInBatch)
        .execute()
      for (const row of rows) if (!this.#sealer.isCurrent(row.sealed) && (await this.#open(row))) resealed++
      if (rows.length < rowsInBatch) return resealed
      after = rows.at(-1)!.id
      await setImmediate()
    }
  }

  async #newest(org: string): Promise<DataKey> {
    const row = await this.#reader
      .selectFrom('data_key')
      .selectAll()
      .where('org', '=', org)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (!row || row.created_at <= this.#clock.now() - this.#maxAgeMs) return await this.#make(org)
    const key = await this.#open(row)
    if (key) return key
    this.#log.error('cannot open a data key, so created a new one; responses encrypted with the old key are lost', {
      dataKey: row.id,
    })
    return await this.#make(org)
  }

  async #make(org: string): Promise<DataKey> {
    const key = { id: randomBytes(16).toString('hex'), bytes: randomBytes(keyBytes) }
    const sealed = this.#sealer.seal({ org, purpose }, key.bytes)
    await this.#database.insertInto('data_key').values({ id: key.id, org, sealed, created_at: this.#clock.now() }).execute()
    this.#opened.set(addressOf(key.id, org), key)
    return key
  }

  /** Reseals a key that an earlier master key sealed, so that the earlier one can be retired. */
  async #open({ id, org, sealed }: DataKeyTable): Promise<DataKey | undefined> {
    const bytes = openDataKey(this.#sealer, org, sealed)
    if (!bytes) return undefined
    if (!this.#sealer.isCurrent(sealed)) {
      const anew = this.#sealer.seal({ org, purpose }, bytes)
      await this.#database.updateTable('data_key').set({ sealed: anew }).where('id', '=', id).execute()
    }
    const key = { id, bytes }
    this.#opened.set(addressOf(id, org), key)
    return key
  }
}

/** `sealed` is the value of the column, of any type. Undefined if it cannot be opened. */
export function openDataKey(sealer: Sealer, org: string, sealed: unknown): Uint8Array | undefined {
  const bytes = sealed instanceof Uint8Array ? sealer.open({ org, purpose }, sealed) : undefined
  return bytes?.length === keyBytes ? bytes : undefined
}

const purpose = 'data-key'
const keyBytes = 32

/** Unambiguous, because all ids have the same length. */
function addressOf(id: string, org: string): string {
  return id + org
}
