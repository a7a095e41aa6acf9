import type { Kysely } from 'kysely'
import type { CreditEntry, SpendCap } from '../../../../core/stores.ts'
import { forUpdate } from '../for-update.ts'
import type { CreditEntryTable, Tables } from '../tables.ts'

// All amounts are whole nano-dollars.

/** The key of a row in `spend`. */
export type SumName = readonly [name: string, periodStart: number]

/** A sum or a credit while a transaction has it locked. */
export interface Locked {
  /** The spending; for a credit, the negative balance. */
  spent: number
  reserved: number
  changed: boolean
}

/** The rows that the operations of one transaction read and change. */
export class LockedSums {
  readonly #sums = new Map<string, Locked & { readonly name: SumName }>()
  readonly #credits = new Map<string, Locked>()
  readonly #entries: CreditEntryTable[] = []
  readonly #entryIds = new Set<string>()

  /** Locks rows, and creates missing ones. Always in the same order, so that two processes never wait for each other. */
  static async lock(
    transaction: Kysely<Tables>,
    names: readonly SumName[],
    orgs: readonly string[],
    entries: readonly string[],
  ): Promise<LockedSums> {
    const locked = new LockedSums()
    const wanted = [...new Map(names.map(name => [addressOf(name), name])).values()].sort(compareNames)
    if (wanted.length > 0) {
      await transaction
        .insertInto('spend')
        .values(wanted.map(([name, period_start]) => ({ name, period_start, spent: 0, reserved: 0 })))
        .onConflict(conflict => conflict.doNothing())
        .execute()
      const query = transaction
        .selectFrom('spend')
        .selectAll()
        .where('name', 'in', [...new Set(wanted.map(([name]) => name))])
        .where('period_start', 'in', [...new Set(wanted.map(([, start]) => start))])
        .orderBy('name')
        .orderBy('period_start')
      for (const { name, period_start, spent, reserved } of await forUpdate(transaction, query).execute())
        locked.#sums.set(addressOf([name, period_start]), { name: [name, period_start], spent, reserved, changed: false })
    }
    const credits = [...new Set(orgs)].sort()
    if (credits.length > 0) {
      await transaction
        .insertInto('credit')
        .values(credits.map(org => ({ org, balance: 0, reserved: 0 })))
        .onConflict(conflict => conflict.doNothing())
        .execute()
      const query = transaction.selectFrom('credit').selectAll().where('org', 'in', credits).orderBy('org')
      for (const { org, balance, reserved } of await forUpdate(transaction, query).execute())
        locked.#credits.set(org, { spent: -balance, reserved, changed: false })
    }
    if (entries.length > 0) {
      // After the credits are locked, nobody else can add entries to them.
      const known = await transaction
        .selectFrom('credit_entry')
        .select('id')
        .where('id', 'in', [...new Set(entries)])
        .execute()
      for (const { id } of known) locked.#entryIds.add(id)
    }
    return locked
  }

  sum(name: SumName): Locked {
    return this.#sums.get(addressOf(name))!
  }

  credit(org: string): Locked {
    return this.#credits.get(org)!
  }

  /** True if there is an entry with this id. */
  has({ id }: CreditEntryTable): boolean {
    return this.#entryIds.has(id)
  }

  /** Notes a change of a balance. */
  note(entry: CreditEntryTable): void {
    this.#entryIds.add(entry.id)
    this.#entries.push(entry)
  }

  async write(transaction: Kysely<Tables>): Promise<void> {
    const sums = [...this.#sums.values()].filter(({ changed }) => changed)
    if (sums.length > 0)
      await transaction
        .insertInto('spend')
        .values(sums.map(({ name: [name, period_start], spent, reserved }) => ({ name, period_start, spent, reserved })))
        .onConflict(conflict =>
          conflict
            .columns(['name', 'period_start'])
            .doUpdateSet(({ ref }) => ({ spent: ref('excluded.spent'), reserved: ref('excluded.reserved') })),
        )
        .execute()
    const credits = [...this.#credits].filter(([, { changed }]) => changed)
    if (credits.length > 0)
      await transaction
        .insertInto('credit')
        .values(credits.map(([org, { spent, reserved }]) => ({ org, balance: -spent, reserved })))
        .onConflict(conflict =>
          conflict.column('org').doUpdateSet(({ ref }) => ({ balance: ref('excluded.balance'), reserved: ref('excluded.reserved') })),
        )
        .execute()
    if (this.#entries.length > 0) await transaction.insertInto('credit_entry').values(this.#entries).execute()
  }
}

/** A cap whose period was changed starts again at 0. */
export function sumName(account: string, period: SpendCap['period'], start: number): SumName {
  return [`${period ?? ''}:${account}`, start]
}

export function entryFromRow({ id, org, at, amount, note, request_id }: CreditEntryTable): CreditEntry {
  return { id, org, at, amountUsd: amount / 1e9, note, requestId: request_id }
}

function addressOf([name, start]: SumName): string {
  return `${start}:${name}`
}

function compareNames([a, aStart]: SumName, [b, bStart]: SumName): number {
  return a < b ? -1 : a > b ? 1 : aStart - bStart
}
