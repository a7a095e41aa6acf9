import { maxCreditUsd, type CreditEntry, type PageQuery } from '../../../core/stores.ts'
import { pageOf } from './page.ts'

const maxEntries = 10_000

/** The credit of one organization, in whole nano-dollars. The balance is the sum of the entries. */
export class Credit {
  readonly #org: string
  readonly #ids = new Set<string>()
  #entries: CreditEntry[] = []
  /** `spent` is the spending in excess of the added credit: at most 0 while there is credit. */
  readonly spending = { spent: 0, reserved: 0 }

  constructor(org: string) {
    this.#org = org
  }

  get balanceUsd(): number {
    return -this.spending.spent / 1e9
  }

  /** Returns the balance, or undefined if it would be out of bounds. An entry that is there already changes nothing. */
  add(entry: CreditEntry): number | undefined {
    if (this.#ids.has(entry.id)) return this.balanceUsd
    const balance = Math.round(entry.amountUsd * 1e9) - this.spending.spent
    if (entry.amountUsd < 0 ? balance < 0 : balance > maxCreditUsd * 1e9) return undefined
    this.spending.spent = -balance
    this.#ids.add(entry.id)
    this.#keep(entry)
    return this.balanceUsd
  }

  /** Records the cost of a request. The caller has already changed `spending`. */
  spend(requestId: string, at: number, nanoUsd: number): void {
    this.#keep({ id: `${requestId}:${this.#entries.length}:${at}`, org: this.#org, at, amountUsd: -nanoUsd / 1e9, note: null, requestId })
  }

  /** The newest first. */
  page(query: PageQuery): readonly CreditEntry[] {
    return pageOf(this.#entries, ({ at, id }) => ({ at, id }), query, true)
  }

  /** Adds up the older half once there are too many, so that the sum stays right and memory bounded. */
  #keep(entry: CreditEntry): void {
    this.#entries.push(entry)
    if (this.#entries.length <= maxEntries) return
    const older = this.#entries.slice(0, maxEntries / 2)
    const last = older.at(-1)!
    const nanoUsd = older.reduce((sum, { amountUsd }) => sum + Math.round(amountUsd * 1e9), 0)
    const total = { ...last, amountUsd: nanoUsd / 1e9, note: `The sum of ${older.length} older entries.`, requestId: null }
    this.#entries = [total, ...this.#entries.slice(maxEntries / 2)]
  }
}
