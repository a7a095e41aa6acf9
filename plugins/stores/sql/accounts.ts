import type { Kysely, Transaction } from 'kysely'
import type { Account, AccountChange, AccountFilter, AccountLevel, AccountRef, AccountStore } from '../../../core/index.ts'
import type { Clock, Maybe, PageQuery } from '../../../core/index.ts'
import { lockedAccounts } from './account-lock.ts'
import type { RowReaders } from './database.ts'
import { forUpdate } from './for-update.ts'
import type { KeyCacheOptions } from './keys.ts'
import { afterInTime } from './page.ts'
import { RowCache } from './row-cache.ts'
import type { AccountTable, Tables } from './tables.ts'

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
        .values(toColumns(account) as AccountTable)
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
      const columns = toColumns(typeof change === 'function' ? change(fromRow(row)) : change)
      if (Object.keys(columns).length === 0) return true
      await transaction.updateTable('account').set(columns).where('level', '=', level).where('org', '=', org).where('id', '=', id).execute()
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

/** The columns of each member of an account. */
const columnsOf: { readonly [M in keyof Account]-?: (value: Account[M]) => Partial<AccountTable> } = {
  level: level => ({ level }),
  org: org => ({ org }),
  id: id => ({ id }),
  name: name => ({ name }),
  team: team => ({ team: team ?? null }),
  policy: policy => ({ policy: JSON.stringify(policy) }),
  spendCapUsd: cap => ({ spend_cap_usd: cap ?? null }),
  spendPeriod: period => ({ spend_period: period ?? null }),
  hasCredit: has => ({ has_credit: has ? 1 : null }),
  metadata: metadata => ({ metadata: metadata === undefined ? null : JSON.stringify(metadata) }),
  createdAt: createdAt => ({ created_at: createdAt }),
}

/** The columns of these members only. */
function toColumns(members: Partial<Account>): Partial<AccountTable> {
  const columns = Object.entries(members).map(([member, value]) => columnsOf[member as keyof Account](value as never))
  return Object.assign({}, ...columns)
}

/** A row that cannot be read throws: without its policy and its cap, no request of the account may pass. */
function fromRow(row: AccountTable): Account {
  return {
    level: row.level as AccountLevel,
    org: row.org,
    id: row.id,
    name: row.name,
    ...(row.team !== null && { team: row.team }),
    policy: JSON.parse(row.policy),
    ...(row.spend_cap_usd !== null && { spendCapUsd: row.spend_cap_usd }),
    ...(row.spend_period !== null && { spendPeriod: row.spend_period as NonNullable<Account['spendPeriod']> }),
    ...(row.has_credit !== null && { hasCredit: true }),
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) }),
    createdAt: row.created_at,
  }
}
