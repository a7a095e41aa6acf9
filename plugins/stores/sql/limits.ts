import type { Kysely } from 'kysely'
import type { Clock, Logger } from '../../../core/index.ts'
import { describeError } from '../../../core/kit.ts'
import {
  Concurrency,
  FullWindows,
  type FullWindow,
  type RateLimiter,
  type TokenWindow,
  type WindowHold,
  type WindowState,
} from '../../../core/stores.ts'
import type { RateWindowTable, Tables } from './tables.ts'
import { WindowRows } from './window-rows.ts'

/** A fixed window: it starts with its first reservation. */
interface Window {
  used: number
  endsAt: number
  /** The tokens that the database does not know yet. */
  unsaved: number
  /** Absent once it was read, and for short windows. */
  loading: Promise<void> | undefined
}

interface Unsaved {
  readonly bucket: string
  readonly window: Window
  readonly tokens: number
}

type Outcome = WindowHold | FullWindow

const longMs = 60 * 60 * 1000
const saveAfterMs = 100
const retryAfterMs = 5_000
const pruneEveryMs = 60_000

/**
 * Counts in memory. Windows of an hour or more are also kept in the database: they survive a restart, and other gateways count along with a
 * delay of a tenth of a second. All changes are saved in one transaction, so others see a hold in all of its windows at once.
 */
export class SqlLimits implements RateLimiter {
  readonly #rows: WindowRows
  readonly #clock: Clock
  readonly #log: Logger
  readonly #windows = new Map<string, Window>()
  readonly #concurrency = new Concurrency()
  readonly #changed = new Set<string>()
  /** Windows to read, by bucket. */
  #unread = new Map<string, Window>()
  #reading: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()
  #prunedAt = 0

  /** `shared`: the clock by which the database says when windows end. */
  constructor(database: Kysely<Tables>, clock: Clock, log: Logger, reader = database, shared = clock) {
    this.#rows = new WindowRows(database, reader, clock, shared)
    this.#clock = clock
    this.#log = log
  }

  reserve(windows: readonly TokenWindow[], amount: number): Outcome | Promise<Outcome> {
    const tokens = whole(amount)
    const loading = windows.map(window => this.#current(window).loading).filter(each => each !== undefined)
    return loading.length > 0 ? Promise.all(loading).then(() => this.#reserve(windows, tokens)) : this.#reserve(windows, tokens)
  }

  enter(bucket: string, limit: number): (() => void) | undefined {
    return this.#concurrency.enter(bucket, limit)
  }

  /** Reads windows of an hour or more from the database, which knows what other gateways counted. */
  states(windows: readonly TokenWindow[]): readonly WindowState[] | Promise<readonly WindowState[]> {
    const shared = windows.filter(({ windowMs }) => windowMs >= longMs)
    return shared.length > 0 ? this.#sharedStates(windows, shared) : this.#states(windows)
  }

  /** Saves what is not saved yet. */
  async stop(): Promise<void> {
    await this.#save()
    clearTimeout(this.#timer)
  }

  #reserve(windows: readonly TokenWindow[], tokens: number): Outcome {
    const full = this.#full(windows, tokens)
    if (full) return new FullWindows(full, this.#states(windows))
    let isOver = false
    let held = tokens
    // Tokens of a finished window need no refund.
    let latest = windows.map(window => this.#take(window, tokens))
    const end = (actual: number): void => {
      if (isOver) return
      isOver = true
      for (const [index, window] of windows.entries()) {
        const current = this.#current(window)
        const taken = latest[index]!
        if (actual > held) this.#add(window, current, actual - held)
        else if (current === taken.window) this.#add(window, current, -Math.min(held - actual, taken.tokens))
      }
    }
    return {
      states: this.#states(windows),
      extend: amount => {
        const more = whole(amount)
        if (isOver || this.#full(windows, more)) return false
        latest = latest.map((before, index) => {
          const taken = this.#take(windows[index]!, more)
          return taken.window === before.window ? { ...taken, tokens: before.tokens + more } : taken
        })
        held += more
        return true
      },
      settle: actual => end(whole(actual)),
      release: () => end(0),
    }
  }

  /** Of the windows without room, the one with the longest wait. */
  #full(windows: readonly TokenWindow[], tokens: number): FullWindow | undefined {
    let longest: FullWindow | undefined
    for (const full of windows) {
      const { endsAt, used } = this.#current(full)
      if (used + tokens <= full.tokens) continue
      const waitMs = tokens > full.tokens ? undefined : endsAt - this.#clock.now()
      if (!longest || waitOf({ retryAfterMs: waitMs }) > waitOf(longest)) longest = { full, retryAfterMs: waitMs }
    }
    return longest
  }

  async #sharedStates(windows: readonly TokenWindow[], shared: readonly TokenWindow[]): Promise<readonly WindowState[]> {
    // What is being saved is in neither of them until it is committed.
    await this.#saving
    const buckets = shared.map(({ bucket }) => bucket)
    const rows = new Map((await this.#rows.read(buckets)).map(row => [row.bucket, row]))
    return this.#states(windows, rows)
  }

  #states(windows: readonly TokenWindow[], rows?: ReadonlyMap<string, RateWindowTable>): readonly WindowState[] {
    const now = this.#clock.now()
    return windows.map(({ bucket, tokens }) => {
      const row = rows?.get(bucket)
      const known = this.#windows.get(bucket)
      const current = known && now < known.endsAt ? known : undefined
      const endsAt = row?.ends_at ?? current?.endsAt
      if (endsAt === undefined) return { left: tokens, refillsAt: undefined }
      const used = row ? row.used + (current?.unsaved ?? 0) : current!.used
      return { left: Math.max(0, tokens - used), refillsAt: endsAt }
    })
  }

  #take(window: TokenWindow, tokens: number): { readonly window: Window; readonly tokens: number } {
    const current = this.#current(window)
    this.#add(window, current, tokens)
    return { window: current, tokens }
  }

  #current({ bucket, windowMs }: TokenWindow): Window {
    const now = this.#clock.now()
    const known = this.#windows.get(bucket)
    if (known && now < known.endsAt) return known
    this.#prune(now)
    const fresh: Window = { used: 0, endsAt: now + windowMs, unsaved: 0, loading: undefined }
    this.#windows.set(bucket, fresh)
    if (windowMs >= longMs && !known) {
      this.#unread.set(bucket, fresh)
      // The windows of one request are read together.
      fresh.loading = this.#reading ??= Promise.resolve().then(() => this.#load())
    }
    return fresh
  }

  #add({ bucket, windowMs }: TokenWindow, window: Window, tokens: number): void {
    window.used += tokens
    if (windowMs < longMs || tokens === 0) return
    window.unsaved += tokens
    this.#changed.add(bucket)
    this.#timer ??= setTimeout(() => void this.#save(), saveAfterMs).unref()
  }

  /** While the database is down, the windows start empty. */
  async #load(): Promise<void> {
    const unread = this.#unread
    this.#unread = new Map()
    this.#reading = undefined
    try {
      for (const row of await this.#rows.read([...unread.keys()])) {
        const window = unread.get(row.bucket)!
        window.used += row.used
        window.endsAt = row.ends_at
      }
    } catch (error) {
      this.#log.error('could not read a rate limit window', describeError(error))
    } finally {
      for (const window of unread.values()) window.loading = undefined
    }
  }

  /** One save after another: the answer of an earlier one would overwrite that of a later one. */
  #save(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return (this.#saving = this.#saving.then(() => this.#saveNow()))
  }

  async #saveNow(): Promise<void> {
    const unsaved = this.#takeUnsaved()
    if (unsaved.length === 0) return
    try {
      const windows = new Map(unsaved.map(({ bucket, window }) => [bucket, window]))
      const changes = unsaved.map(({ bucket, window, tokens }) => ({ bucket, used: tokens, ends_at: window.endsAt }))
      for (const row of await this.#rows.add(changes)) {
        const window = windows.get(row.bucket)!
        // The tokens that other gateways counted, plus those counted here meanwhile.
        window.used = row.used + window.unsaved
        window.endsAt = row.ends_at
      }
    } catch (error) {
      for (const { bucket, window, tokens } of unsaved) {
        window.unsaved += tokens
        this.#changed.add(bucket)
      }
      this.#timer ??= setTimeout(() => void this.#save(), retryAfterMs).unref()
      this.#log.error('could not save rate limit windows yet; retrying', describeError(error))
    }
  }

  /** In the order of their buckets, so that gateways that save at the same time lock the rows in the same order. */
  #takeUnsaved(): readonly Unsaved[] {
    const buckets = [...this.#changed].sort()
    this.#changed.clear()
    return buckets.flatMap(bucket => {
      const window = this.#windows.get(bucket)
      const { unsaved: tokens = 0 } = window ?? {}
      if (!window || tokens === 0) return []
      window.unsaved = 0
      return [{ bucket, window, tokens }]
    })
  }

  #prune(now: number): void {
    if (now - this.#prunedAt < pruneEveryMs) return
    this.#prunedAt = now
    for (const [bucket, { endsAt }] of this.#windows) if (endsAt <= now) this.#windows.delete(bucket)
  }
}

function waitOf({ retryAfterMs = Infinity }: Pick<FullWindow, 'retryAfterMs'>): number {
  return retryAfterMs
}

function whole(tokens: number): number {
  if (!(tokens >= 0)) throw new RangeError(`expected a number of tokens of 0 or more, got ${tokens}`)
  return Math.ceil(tokens)
}
