import { sql, type Kysely } from 'kysely'
import { describeError, type Clock, type Hold, type Logger, type RateLimiter, type TokenWindow } from '../../../core/index.ts'
import { Concurrency } from '../../../core/index.ts'
import type { Tables } from './tables.ts'

/** A fixed window: it starts with its first reservation. */
interface Window {
  used: number
  endsAt: number
  /** What the database does not know yet. */
  unsaved: number
  /** Undefined once it was read, or for short windows. */
  loading: Promise<void> | undefined
}

type Outcome = Hold | { readonly retryAfterMs: number | undefined }

const longMs = 60 * 60 * 1000
const saveAfterMs = 100
const retryAfterMs = 5_000
const pruneEveryMs = 60_000

/**
 * Counts in memory. Windows of an hour or more are also kept in the database: they survive a restart, and other gateways count along with a
 * delay of a tenth of a second.
 */
export class SqlLimits implements RateLimiter {
  readonly #database: Kysely<Tables>
  readonly #reader: Kysely<Tables>
  readonly #clock: Clock
  readonly #log: Logger
  readonly #windows = new Map<string, Window>()
  readonly #concurrency = new Concurrency()
  readonly #changed = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> | undefined
  #prunedAt = 0

  constructor(database: Kysely<Tables>, clock: Clock, log: Logger, reader = database) {
    this.#database = database
    this.#reader = reader
    this.#clock = clock
    this.#log = log
  }

  reserve(window: TokenWindow, amount: number): Outcome | Promise<Outcome> {
    const tokens = whole(amount)
    const current = this.#current(window)
    if (current.loading) return current.loading.then(() => this.#reserve(window, tokens))
    return this.#reserve(window, tokens)
  }

  enter(bucket: string, limit: number): (() => void) | undefined {
    return this.#concurrency.enter(bucket, limit)
  }

  /** Saves what is not saved yet. */
  async stop(): Promise<void> {
    await this.#saving
    await this.#save()
    clearTimeout(this.#timer)
  }

  #reserve(window: TokenWindow, tokens: number): Outcome {
    if (!this.#take(window, tokens))
      return { retryAfterMs: tokens > window.tokens ? undefined : this.#current(window).endsAt - this.#clock.now() }
    let ended = false
    let held = tokens
    // Tokens of a finished window need no refund.
    let taken = { window: this.#current(window), tokens }
    const end = (actual: number): void => {
      if (ended) return
      ended = true
      const current = this.#current(window)
      if (actual > held) this.#add(window, current, actual - held)
      else if (current === taken.window) this.#add(window, current, -Math.min(held - actual, taken.tokens))
    }
    return {
      extend: more => {
        if (ended || !this.#take(window, whole(more))) return false
        const current = this.#current(window)
        taken = { window: current, tokens: whole(more) + (current === taken.window ? taken.tokens : 0) }
        held += whole(more)
        return true
      },
      settle: actual => end(whole(actual)),
      release: () => end(0),
    }
  }

  #take(window: TokenWindow, tokens: number): boolean {
    const current = this.#current(window)
    if (current.used + tokens > window.tokens) return false
    this.#add(window, current, tokens)
    return true
  }

  #current({ bucket, windowMs }: TokenWindow): Window {
    const now = this.#clock.now()
    const known = this.#windows.get(bucket)
    if (known && now < known.endsAt) return known
    this.#prune(now)
    const fresh: Window = { used: 0, endsAt: now + windowMs, unsaved: 0, loading: undefined }
    if (windowMs >= longMs && !known) fresh.loading = this.#load(bucket, fresh)
    this.#windows.set(bucket, fresh)
    return fresh
  }

  #add({ bucket, windowMs }: TokenWindow, window: Window, tokens: number): void {
    window.used += tokens
    if (windowMs < longMs || tokens === 0) return
    window.unsaved += tokens
    this.#changed.add(bucket)
    this.#timer ??= setTimeout(() => (this.#saving = this.#save()), saveAfterMs).unref()
  }

  /** While the database is down, the window starts empty. */
  async #load(bucket: string, window: Window): Promise<void> {
    try {
      const row = await this.#reader.selectFrom('rate_window').selectAll().where('bucket', '=', bucket).executeTakeFirst()
      if (row && row.ends_at > this.#clock.now()) {
        window.used += row.used
        window.endsAt = row.ends_at
      }
    } catch (error) {
      this.#log.error('a rate limit window could not be read', describeError(error))
    } finally {
      window.loading = undefined
    }
  }

  async #save(): Promise<void> {
    this.#timer = undefined
    const buckets = [...this.#changed].sort()
    this.#changed.clear()
    for (const bucket of buckets) {
      const window = this.#windows.get(bucket)
      const { unsaved = 0 } = window ?? {}
      if (!window || unsaved === 0) continue
      window.unsaved = 0
      try {
        const now = this.#clock.now()
        const row = await this.#database
          .insertInto('rate_window')
          .values({ bucket, used: Math.max(0, unsaved), ends_at: window.endsAt })
          .onConflict(conflict =>
            conflict.column('bucket').doUpdateSet({
              used: sql`case when rate_window.ends_at > ${now} then rate_window.used + ${unsaved} else ${Math.max(0, unsaved)} end`,
              ends_at: sql`case when rate_window.ends_at > ${now} then rate_window.ends_at else ${window.endsAt} end`,
            }),
          )
          .returning(['used', 'ends_at'])
          .executeTakeFirstOrThrow()
        // What other gateways counted, and what was counted here meanwhile.
        window.used = row.used + window.unsaved
        window.endsAt = row.ends_at
      } catch (error) {
        window.unsaved += unsaved
        this.#changed.add(bucket)
        this.#timer ??= setTimeout(() => (this.#saving = this.#save()), retryAfterMs).unref()
        this.#log.error('a rate limit window could not be saved yet; trying again', describeError(error))
      }
    }
  }

  #prune(now: number): void {
    if (now - this.#prunedAt < pruneEveryMs) return
    this.#prunedAt = now
    for (const [bucket, { endsAt }] of this.#windows) if (endsAt <= now) this.#windows.delete(bucket)
  }
}

function whole(tokens: number): number {
  if (!(tokens >= 0)) throw new RangeError(`expected a number of tokens of 0 or more, got ${tokens}`)
  return Math.ceil(tokens)
}
