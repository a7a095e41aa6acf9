import type { CreditHold, CreditShortage, Spending } from '../contracts/ledger.ts'

/** The most requests that wait for one account. */
const maxWaiting = 32
/** How often the first in line looks for what other gateways gave back. */
const lookEveryMs = 250

export interface CreditWish {
  /** The calls of one request count as one of those that wait. */
  readonly request: string
  readonly spending: Spending
  /** US dollars without which the request is refused. */
  readonly leastUsd: number
  /** Leaves the line if there is none yet: the caller has another, smaller wish. */
  readonly isPatient: boolean
  /** Read only if the request waits. */
  readonly signal: AbortSignal
  /** Called when the request begins to wait. */
  readonly waits?: () => void
  /** Asks the ledger. */
  readonly reserve: () => Promise<CreditHold | CreditShortage>
}

interface Place {
  readonly request: string
  wake: () => void
}

interface WaitingLine {
  readonly places: Place[]
  shortage: CreditShortage
}

/** Requests that wait until others give back what they hold: in turn, for each account. */
export class CreditQueue {
  readonly #waitMs: number
  readonly #lines = new Map<string, WaitingLine>()

  /** `waitMs`: how long a request may wait. 0: not at all. */
  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  /** Reserves at once if nobody waits. Waits only if holds are in the way, not spending. Rejects with the reason once `signal` aborts. */
  async reserve(wish: CreditWish): Promise<CreditHold | CreditShortage> {
    const account = this.#lines.size === 0 ? undefined : accountsOf(wish.spending).find(name => this.#lines.has(name))
    if (account !== undefined) return await this.#wait(account, this.#lines.get(account)!, wish)
    const result = await wish.reserve()
    if (!('short' in result) || !wish.isPatient || this.#waitMs === 0 || !mayEnd(result, wish)) return result
    const name = accountOf(result.short, wish.spending)
    let line = this.#lines.get(name)
    if (line) line.shortage = result
    else this.#lines.set(name, (line = { places: [], shortage: result }))
    return await this.#wait(name, line, wish)
  }

  /** Call when a request has given back what it held. */
  freed(spending: Spending): void {
    if (this.#lines.size === 0) return
    for (const name of accountsOf(spending)) this.#lines.get(name)?.places[0]?.wake()
  }

  async #wait(name: string, line: WaitingLine, wish: CreditWish): Promise<CreditHold | CreditShortage> {
    const { request, signal, reserve } = wish
    if (isFull(line, request)) return line.shortage
    wish.waits?.()
    const place: Place = { request, wake: () => {} }
    line.places.push(place)
    let isLate = false
    const late = setTimeout(() => {
      isLate = true
      place.wake()
    }, this.#waitMs)
    const left = (): void => place.wake()
    signal.addEventListener('abort', left, { once: true })
    try {
      for (;;) {
        signal.throwIfAborted()
        if (isLate) return line.shortage
        const woken = new Promise<void>(resolve => (place.wake = resolve))
        const isFirst = line.places[0] === place
        const looking = isFirst ? setTimeout(() => place.wake(), lookEveryMs) : undefined
        await woken.finally(() => clearTimeout(looking))
        if (line.places[0] !== place || signal.aborted) continue
        const result = await reserve()
        if (!('short' in result)) return result
        line.shortage = result
        if (!mayEnd(result, wish)) return result
      }
    } finally {
      clearTimeout(late)
      signal.removeEventListener('abort', left)
      line.places.splice(line.places.indexOf(place), 1)
      if (line.places.length === 0) this.#lines.delete(name)
      else line.places[0]!.wake()
    }
  }
}

function isFull({ places }: WaitingLine, request: string): boolean {
  if (places.length < maxWaiting) return false
  const waiting = new Set(places.map(place => place.request))
  return waiting.size >= maxWaiting && !waiting.has(request)
}

/** True if the request would fit if those under way ended and cost nothing. */
function mayEnd({ leftUsd, heldUsd }: CreditShortage, { leastUsd }: CreditWish): boolean {
  return heldUsd > 0 && leftUsd + heldUsd >= leastUsd
}

function accountsOf(spending: Spending): readonly string[] {
  const caps = spending.caps.map(({ account }) => account)
  return spending.creditOf === undefined ? caps : [...caps, `credit:${spending.creditOf}`]
}

function accountOf(short: CreditShortage['short'], { creditOf }: Spending): string {
  return short === 'credit' ? `credit:${creditOf}` : short.account
}
