import pTimeout from 'p-timeout'
import { GatewayError, type Caller, type JsonObject } from '../../../core/index.ts'
import { policyFields } from '../../../core/admin.ts'
import { type KeyWindow, wording } from '../../../core/kit.ts'
import { periodEnd, windowsOfKey, type KeyLimit, type Ledger, type RateLimiter, type RecordStore } from '../../../core/stores.ts'

export interface Stores {
  readonly ledger: Ledger
  readonly limiter: RateLimiter
  readonly records: RecordStore
}

/** US dollars. */
interface Spend {
  readonly spentUsd: number
  /** Of the key's own cap. Null without one. */
  readonly heldUsd: number | null
  /** Under the key's own cap. Null without one. */
  readonly ownUsd: number | null
  /** The least that any level above the key leaves. Null if none of them limits the key. */
  readonly aboveUsd: number | null
}

const maxWaitMs = 5_000

/** What a key may still do. It never tells which level above the key leaves how much: not everyone with a key may know. */
export class KeyStanding {
  readonly #stores: Stores
  readonly #caller: Caller
  readonly #now: number

  /** `now`: by the gateway's clock. */
  constructor(stores: Stores, caller: Caller, now: number) {
    this.#stores = stores
    this.#caller = caller
    this.#now = stores.ledger.now?.() ?? now
  }

  async key(): Promise<JsonObject> {
    const { key, policy } = this.#caller
    const [spend, windows] = await this.#looked(Promise.all([this.#spend(), windowsOfKey(this.#stores.limiter, key)]))
    const { ownUsd, aboveUsd, spentUsd, heldUsd } = spend
    const period = key.spendCapUsd === undefined ? undefined : key.spendPeriod
    return {
      object: 'key',
      id: key.id,
      name: key.name,
      created_at: seconds(key.createdAt),
      expires_at: key.expiresAt === undefined ? null : seconds(key.expiresAt),
      models: key.models ?? null,
      providers: key.providers ?? null,
      policy: Object.fromEntries(policyFields.map(field => [field, { value: policy[field].value, source: policy[field].source }])),
      spend: {
        cap_usd: key.spendCapUsd ?? null,
        period: period ?? null,
        spent_usd: spentUsd,
        held_usd: heldUsd,
        remaining_usd: ownUsd,
        resets_at: period ? seconds(periodEnd(period, this.#now)) : null,
      },
      credit: { remaining_usd: aboveUsd },
      remaining_usd: leastOf(ownUsd, aboveUsd),
      limits: windows?.map(shownWindow) ?? key.limits?.map(shownLimit),
      max_concurrency: key.maxConcurrency ?? null,
    }
  }

  async credits(): Promise<JsonObject> {
    const { spentUsd, ownUsd, aboveUsd } = await this.#looked(this.#spend())
    const remaining = leastOf(ownUsd, aboveUsd)
    return {
      object: 'credits',
      spent_usd: spentUsd,
      remaining_usd: remaining,
      data: { total_credits: remaining === null ? null : rounded(spentUsd + remaining), total_usage: spentUsd },
    }
  }

  async #spend(): Promise<Spend> {
    const { ledger, records } = this.#stores
    const { key, spending } = this.#caller
    const { caps = [], creditOf } = spending ?? {}
    const hasCap = caps.some(({ level }) => level === 'key')
    const [spent, held, balance, use] = await Promise.all([
      caps.length > 0 ? ledger.spent(caps) : [],
      hasCap ? ledger.held?.(caps.filter(({ level }) => level === 'key')) : undefined,
      creditOf === undefined ? undefined : ledger.balance(creditOf),
      hasCap ? undefined : records.keyUse([key.id]),
    ])
    const left = caps.map(({ capUsd }, index) => Math.max(0, capUsd - spent[index]!))
    const above = left.filter((_, index) => caps[index]!.level !== 'key')
    if (balance !== undefined) above.push(Math.max(0, balance))
    const own = caps.findIndex(({ level }) => level === 'key')
    return {
      spentUsd: rounded(own < 0 ? (use?.get(key.id)?.costUsd ?? 0) : spent[own]!),
      heldUsd: held ? rounded(held[0]!) : null,
      ownUsd: own < 0 ? null : rounded(left[own]!),
      aboveUsd: above.length > 0 ? rounded(Math.min(...above)) : null,
    }
  }

  /** Throws a 503 if a store fails or does not answer. */
  async #looked<T>(looking: Promise<T>): Promise<T> {
    try {
      return await pTimeout(looking, { milliseconds: maxWaitMs })
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause
      const message = wording`The spending and the limits of this key cannot be looked up right now. Try again.`
      throw new GatewayError({
        status: 503,
        type: 'server_error',
        code: 'server_error',
        message,
        cause,
        retryAfterMs: 1_000,
        transient: true,
      })
    }
  }
}

function shownWindow({ unit, limit, windowMs, left, refillsAt }: KeyWindow): JsonObject {
  const refills = refillsAt === undefined ? null : Math.ceil(refillsAt / 1_000)
  return { [unit]: limit, window_s: windowMs / 1_000, remaining: left, refills_at: refills }
}

/** For a limiter that cannot tell how its windows stand. */
function shownLimit({ tokens, requests, windowMs }: KeyLimit): JsonObject {
  return { ...(tokens === undefined ? { requests } : { tokens }), window_s: windowMs / 1_000, remaining: null, refills_at: null }
}

function leastOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}

/** Without the noise of binary fractions: ledgers count billionths. */
function rounded(usd: number): number {
  return Math.round(usd * 1e9) / 1e9
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000)
}
