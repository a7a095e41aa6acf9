import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import pTimeout from 'p-timeout'
import type { Clock, Logger } from '../../../../core/index.ts'
import {
  periodStart,
  type CreditEntry,
  type CreditHold,
  type CreditRange,
  type CreditShortage,
  type Ledger,
  type Maybe,
  type PageQuery,
  type SpendCap,
  type Spending,
} from '../../../../core/stores.ts'
import { beforeInTime } from '../page.ts'
import type { CreditTable, Tables } from '../tables.ts'
import { LedgerBatches } from './batches.ts'
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
  type Held,
  type Limits,
} from './changes.ts'
import type { Lease } from './lease.ts'
import type { LedgerProcess } from './process.ts'
import { Settlements, type Charge } from './settlements.ts'
import { Standstill, unlessStandstill } from '../standstill.ts'
import { entryFromRow, sumName } from './sums.ts'

/** The longest wait of an answer for a database that is down. The settlement continues in the background. */
const settleWaitMs = 5_000
/** The longest wait of a request to begin. */
const reserveWaitMs = 2_000
/** The longest wait of an answer to continue. The vendor's stream pauses meanwhile. */
const extendWaitMs = 5_000

/** A clock that may have to ask for the time. */
export interface LedgerClock extends Clock {
  current?(): Maybe<number>
}

/** Every reservation and settlement is a transaction, so several processes share caps and balances exactly. */
export class SqlLedger implements Ledger {
  readonly #reader: Kysely<Tables>
  readonly #clock: LedgerClock
  readonly #process: LedgerProcess
  readonly #batches: LedgerBatches
  readonly #settlements: Settlements

  constructor(database: Kysely<Tables>, clock: LedgerClock, log: Logger, process: LedgerProcess, reader = database) {
    this.#reader = reader
    this.#clock = clock
    this.#process = process
    this.#batches = new LedgerBatches(database)
    this.#settlements = new Settlements(this.#batches, log)
  }

  /** Call when no request is left. */
  async stop(): Promise<void> {
    await this.#settlements.stop()
  }

  /** The time that decides about periods, in milliseconds since the epoch. */
  now(): number {
    return this.#clock.now()
  }

  async reserve(requestId: string, { caps, creditOf }: Spending, range: CreditRange): Promise<CreditHold | CreditShortage> {
    const amounts = amountsOf(range)
    const since = this.#clock.elapsed()
    const leftMs = (): number => Math.max(0, Math.round(reserveWaitMs - (this.#clock.elapsed() - since)))
    const now = await this.#now(reserveWaitMs)
    const lease = this.#process.known ?? (await unlessStandstill(this.#process.lease(), leftMs()))
    const counted = caps.map(cap => ({ cap, name: sumName(cap.account, cap.period, periodStart(cap.period, now)) }))
    const limits: Limits = { counted, creditOf }
    const id = randomUUID()
    try {
      const held = await this.#batches.run(reserve(id, lease.id, limits, amounts), { patienceMs: leftMs() })
      if ('short' in held) return held
      // It may have taken so long that others released it at once.
      if (!lease.isSure && !(await this.#process.confirm(lease))) throw new Standstill(true, reserveWaitMs)
      return this.#hold(requestId, id, lease, limits, held)
    } catch (error) {
      // It may have been committed anyway.
      if (!(error instanceof Standstill) || error.mayHappen) void this.#settlements.run(release(id))
      throw error
    }
  }

  async spent(caps: readonly Pick<SpendCap, 'account' | 'period'>[]): Promise<readonly number[]> {
    return await this.#sums(caps, 'spent')
  }

  async held(caps: readonly Pick<SpendCap, 'account' | 'period'>[]): Promise<readonly number[]> {
    return await this.#sums(caps, 'reserved')
  }

  async #sums(caps: readonly Pick<SpendCap, 'account' | 'period'>[], column: 'spent' | 'reserved'): Promise<readonly number[]> {
    const now = await this.#now()
    const names = caps.map(({ account, period }) => sumName(account, period, periodStart(period, now)))
    if (names.length === 0) return []
    const rows = await this.#reader
      .selectFrom('spend')
      .select(['name', 'period_start', `${column} as amount`])
      .where('name', 'in', [...new Set(names.map(([name]) => name))])
      .execute()
    const amounts = new Map(rows.map(({ name, period_start, amount }) => [`${period_start} ${name}`, amount]))
    return names.map(([name, start]) => (amounts.get(`${start} ${name}`) ?? 0) / 1e9)
  }

  async raiseSpent({ account, period }: Pick<SpendCap, 'account' | 'period'>, usd: number): Promise<void> {
    const name = sumName(account, period, periodStart(period, await this.#now()))
    await this.#batches.run(raiseSpent(name, nanoDollars(usd)))
  }

  async addCredit({ id, org, at, amountUsd, note, requestId }: CreditEntry): Promise<number | undefined> {
    const amount = signedNanoDollars(amountUsd)
    const balance = await this.#batches.run(addCredit({ id, org, at, amount, note, request_id: requestId }))
    return balance === undefined ? undefined : balance / 1e9
  }

  async balance(org: string): Promise<number> {
    return ((await this.#credit(org))?.balance ?? 0) / 1e9
  }

  async heldCredit(org: string): Promise<number> {
    return ((await this.#credit(org))?.reserved ?? 0) / 1e9
  }

  async #credit(org: string): Promise<Pick<CreditTable, 'balance' | 'reserved'> | undefined> {
    return await this.#reader.selectFrom('credit').select(['balance', 'reserved']).where('org', '=', org).executeTakeFirst()
  }

  async entries(org: string, { limit, after }: PageQuery): Promise<readonly CreditEntry[]> {
    let query = this.#reader.selectFrom('credit_entry').selectAll().where('org', '=', org)
    if (after) query = query.where(beforeInTime('at', after))
    return (await query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()).map(entryFromRow)
  }

  #now(patienceMs?: number): Maybe<number> {
    const current = this.#clock.current?.() ?? this.#clock.now()
    return typeof current === 'number' ? current : unlessStandstill(current, patienceMs)
  }

  #hold(requestId: string, id: string, lease: Lease, limits: Limits, first: Held): CreditHold {
    let held = first
    let ended = false
    let unheard: (() => void) | undefined
    const end = async (spent: number): Promise<void> => {
      if (ended) return
      ended = true
      unheard?.()
      const change = spent > 0 ? settle(requestId, id, spent, this.#clock.now()) : release(id)
      const charge = spent > 0 ? chargeOf(requestId, limits, spent) : undefined
      const settled = this.#settlements.run(change, charge)
      await pTimeout(settled, { milliseconds: settleWaitMs, fallback: () => this.#settlements.tell(change, charge) })
    }
    return {
      get usd() {
        return held.amount / 1e9
      },
      get reachableUsd() {
        return held.reachable / 1e9
      },
      get isSure() {
        return lease.isSure
      },
      confirm: async () => await this.#process.confirm(lease),
      onLost: listener => void (unheard = lease.onLost(listener)),
      extend: async range => {
        const extended = await this.#batches.run(extend(id, limits, amountsOf(range)), { patienceMs: extendWaitMs })
        if ('short' in extended) return extended
        held = extended
        return true
      },
      settle: async actualUsd => await end(nanoDollars(actualUsd)),
      release: async () => await end(0),
    }
  }
}

/** The facts that an operator needs to charge a request by hand. */
function chargeOf(requestId: string, { counted, creditOf }: Limits, spent: number): Charge {
  return { request: requestId, costUsd: spent / 1e9, caps: counted.map(({ cap }) => cap.account), creditOf: creditOf ?? null }
}
