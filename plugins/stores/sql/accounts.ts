import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../../../core/index.ts'
import {
  accountFields,
  type Account,
  type AccountChange,
  type AccountFilter,
  type AccountLevel,
  type AccountRef,
  type AccountStore,
  type Maybe,
  type PageQuery,
} from '../../../core/stores.ts'
import { lockedAccounts } from './account-lock.ts'
import type { RowReaders } from './database.ts'
import { FieldColumns } from './field-columns.ts'
import { forUpdate } from './for-update.ts'
import type { KeyCacheOptions } from './keys.ts'
import { afterInTime } from './page.ts'
import { RowCache } from './row-cache.ts'
import type { AccountTable, Tables } from './tables.ts'

const columns = new FieldColumns(accountFields)

export class SqlAccounts implements AccountStore {
  readonly persistent = true
  readonly #database: Kysely<Tables>
  readonly #readers: RowReaders
  readonly #cache: RowCache<Account>

  constructor(
    database: Kysely<Tables>,
    clock: Clock,
    { cacheTtlMs, staleKeysMs }: KeyCacheOptions,
    readers: RowReaders = { lookups: database, general: database },
  ) {
    this.#database = database
    this.#readers = readers
    const load = async (name: string): Promise<Account | undefined> => await this.#read(JSON.parse(name) as RefName)
    this.#cache = new RowCache(clock, { ttlMs: cacheTtlMs, staleMs: staleKeysMs, keepsUnknown: true, load })
  }

  find(ref: AccountRef): Maybe<Account | undefined> {
    return this.#cache.find(nameOf(ref))
  }

  async named(level: AccountLevel, id: string): Promise<readonly Account[]> {
    const rows = await this.#ordered().where('level', '=', level).where('id', '=', id).execute()
    return rows.map(fromRow)
  }

  async page({ level, org, team }: AccountFilter, { limit, after }: PageQuery): Promise<readonly Account[]> {
    let query = this.#ordered().where('level', '=', level).limit(limit)
    if (org !== undefined) query = query.where('org', '=', org)
    if (team !== undefined) query = query.where('team', '=', team)
    if (after) query = query.where(afterInTime('created_at', after))
    return (await query.execute()).map(fromRow)
  }

  async add(account: Account): Promise<boolean> {
    const { level, org, id } = account
    const isAdded = await lockedAccounts(this.#database, async transaction => {
      const retired = transaction.selectFrom('retired_account').select('id').where('level', '=', level).where('org', '=', org)
      if (await retired.where('id', '=', id).executeTakeFirst()) return false
      const { numInsertedOrUpdatedRows = 0n } = await transaction
        .insertInto('account')
        .values(columns.row(account) as AccountTable)
        .onConflict(conflict => conflict.doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows > 0n
    })
    this.#cache.forget(nameOf(account))
    return isAdded
  }

  async update(ref: AccountRef, change: AccountChange | ((account: Account) => AccountChange)): Promise<boolean> {
    const { level, org, id } = ref
    const isThere = await this.#database.transaction().execute(async transaction => {
      const row = await forUpdate(transaction, rowQuery(transaction, [level, org, id])).executeTakeFirst()
      if (!row) return false
      const changed = columns.row(typeof change === 'function' ? change(fromRow(row)) : change)
      if (Object.keys(changed).length === 0) return true
      await transaction.updateTable('account').set(changed).where('level', '=', level).where('org', '=', org).where('id', '=', id).execute()
      return true
    })
    this.#cache.forget(nameOf(ref))
    return isThere
  }

  async remove(ref: AccountRef): Promise<'removed' | 'unknown' | 'in-use'> {
    const { level, org, id } = ref
    const outcome = await lockedAccounts(this.#database, async transaction => {
      if (await isUsed(transaction, ref)) return 'in-use'
      const { numDeletedRows } = await transaction
        .deleteFrom('account')
        .where('level', '=', level)
        .where('org', '=', org)
        .where('id', '=', id)
        .executeTakeFirst()
      if (numDeletedRows === 0n) return 'unknown'
      await transaction.insertInto('retired_account').values({ level, org, id }).execute()
      return 'removed'
    })
    this.#cache.forget(nameOf(ref))
    return outcome === 'in-use' && (await this.#read([level, org, id])) === undefined ? 'unknown' : outcome
  }

  /** The oldest first. */
  #ordered() {
    return this.#readers.general.selectFrom('account').selectAll().orderBy('created_at').orderBy('id')
  }

  async #read(name: RefName): Promise<Account | undefined> {
    const row = await rowQuery(this.#readers.lookups, name).executeTakeFirst()
    return row && fromRow(row)
  }
}

function rowQuery(database: Kysely<Tables>, [level, org, id]: RefName) {
  return database.selectFrom('account').selectAll().where('level', '=', level).where('org', '=', org).where('id', '=', id)
}

/** True if there is an account below, or a key that is not hidden. */
async function isUsed(transaction: Transaction<Tables>, { level, org, id }: AccountRef): Promise<boolean> {
  let accounts = transaction.selectFrom('account').select('id').where('org', '=', org).limit(1)
  let keys = transaction.selectFrom('api_key').select('id').where('org', '=', org).where('hidden', 'is', null).limit(1)
  accounts = level === 'org' ? accounts.where('level', '<>', 'org') : accounts.where('team', '=', id)
  if (level !== 'org') keys = keys.where(level, '=', id)
  if ((await keys.executeTakeFirst()) !== undefined) return true
  return level !== 'user' && (await accounts.executeTakeFirst()) !== undefined
}

type RefName = readonly [level: string, org: string, id: string]

function nameOf({ level, org, id }: AccountRef): string {
  return JSON.stringify([level, org, id] satisfies RefName)
}

/** A row that cannot be read throws: without its policy and its cap, no request of the account may pass. */
function fromRow(row: AccountTable): Account {
  return columns.withAbsent(row)
}
