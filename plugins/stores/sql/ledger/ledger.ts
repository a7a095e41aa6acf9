import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import pTimeout from 'p-timeout'
import {
  describeError,
  periodStart,
  type Clock,
  type CreditEntry,
  type CreditHold,
  type CreditRange,
  type CreditShortage,
  type Ledger,
  type Logger,
  type PageQuery,
  type SpendCap,
  type Spending,
} from '../../../../core/index.ts'
import { beforeInTime } from '../page.ts'
import type { Tables } from '../tables.ts'
import { LedgerBatches, type LedgerChange } from './batches.ts'
import {
  addCredit,
  amountsOf,
  extend,
  nanoDollars,
  raiseSpent,
  release,
  reserve,
  settle,
  signedNanoDollars,
  type Limits,
} from './changes.ts'
import type { LedgerProcess } from './process.ts'
import { Standstill, unlessStandstill } from './standstill.ts'
import { entryFromRow, sumName } from './sums.ts'

const retryAfterMs = 500
/** Longer, an answer does not wait for a database that is down. The settlement goes on in the background. */
const settleWaitMs = 5_000

/** Every reservation and settlement is a transaction, so several processes share caps and balances exactly. */
export class SqlLedger implements Ledger {
  readonly #database: Kysely<Tables>
  readonly #clock: Clock
  readonly #log: Logger
  readonly #process: LedgerProcess
  readonly #batches: LedgerBatches

  constructor(database: Kysely<Tables>, clock: Clock, log: Logger, process: LedgerProcess) {
    this.#database = database
    this.#clock = clock
    this.#log = log
    this.#process = process
    this.#batches = new LedgerBatches(database)
  }

  async reserve(requestId: string, { caps, creditOf }: Spending, range: CreditRange): Promise<CreditHold | CreditShortage> {
    const now = this.#clock.now()
    const counted = caps.map(cap => ({ cap, name: sumName(cap.account, cap.period, periodStart(cap.period, now)) }))
    const limits: Limits = { counted, creditOf }
    const amounts = amountsOf(range)
    const process = this.#process.known ?? (await unlessStandstill(this.#process.id()))
    const id = randomUUID()
    try {
      const amount = await this.#batches.run(reserve(id, process, limits, amounts), { isPatient: false })
      return typeof amount === 'number' ? this.#hold(requestId, id, limits, amount) : amount
    } catch (error) {
      // It may have been committed all the same.
      if (!(error instanceof Standstill) || error.mayHappen) void this.#surely(release(id))
      throw error
    }
  }

  async spent(caps: readonly Pick<SpendCap, 'account' | 'period'>[]): Promise<readonly number[]> {
    const now = this.#clock.now()
    const names = caps.map(({ account, period }) => sumName(account, period, periodStart(period, now)))
    if (names.length === 0) return []
    const rows = await this.#database
      .selectFrom('spend')
      .select(['name', 'period_start', 'spent'])
      .where('name', 'in', [...new Set(names.map(([name]) => name))])
      .execute()
    return names.map(([name, start]) => (rows.find(row => row.name === name && row.period_start === start)?.spent ?? 0) / 1e9)
  }

  async raiseSpent({ account, period }: Pick<SpendCap, 'account' | 'period'>, usd: number): Promise<void> {
    const name = sumName(account, period, periodStart(period, this.#clock.now()))
    await this.#batches.run(raiseSpent(name, nanoDollars(usd)))
  }

  async addCredit({ id, org, at, amountUsd, note, requestId }: CreditEntry): Promise<number | undefined> {
    const amount = signedNanoDollars(amountUsd)
    const balance = await this.#batches.run(addCredit({ id, org, at, amount, note, request_id: requestId }))
    return balance === undefined ? undefined : balance / 1e9
  }

  async balance(org: string): Promise<number> {
    const row = await this.#database.selectFrom('credit').select('balance').where('org', '=', org).executeTakeFirst()
    return (row?.balance ?? 0) / 1e9
  }

  async entries(org: string, { limit, after }: PageQuery): Promise<readonly CreditEntry[]> {
    let query = this.#database.selectFrom('credit_entry').selectAll().where('org', '=', org)
    if (after) query = query.where(beforeInTime('at', after))
    return (await query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()).map(entryFromRow)
  }

  #hold(requestId: string, id: string, limits: Limits, amount: number): CreditHold {
    let held = amount
    let ended = false
    const end = async (change: LedgerChange<void>): Promise<void> => {
      if (ended) return
      ended = true
      await pTimeout(this.#surely(change), { milliseconds: settleWaitMs, fallback: () => undefined })
    }
    return {
      get usd() {
        return held / 1e9
      },
      extend: async range => {
        if (ended) return false
        const more = await this.#batches.run(extend(id, limits, amountsOf(range)), { isPatient: false })
        held += more ?? 0
        return more !== undefined
      },
      settle: async actualUsd => await end(settle(requestId, id, nanoDollars(actualUsd), this.#clock.now())),
      release: async () => await end(release(id)),
    }
  }

  /** Tries until it is done. It changes nothing the second time, because it deletes the hold. */
  async #surely(change: LedgerChange<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#batches.run(change)
      } catch (error) {
        if (this.#process.stopped) return
        if (attempt === 1) this.#log.error('a spend could not be settled yet; trying again', { hold: change.hold, ...describeError(error) })
        await setTimeout(retryAfterMs, undefined, { ref: false })
      }
    }
  }
}
