import type { Claimed, PlaceClaim, Unclaimed, WindowClaim } from '../contracts/coordination.ts'
import type { TokenWindow, WindowState } from '../contracts/rate-limiter.ts'
import type { SavedWindow } from '../contracts/saved-windows.ts'
import type { Clock } from '../foundation/clock.ts'
import { GatewayError } from '../foundation/errors.ts'
import { wording } from '../foundation/wording.ts'
import type { Coordinated } from './coordinated.ts'
import type { LongWindows } from './long-windows.ts'
import { OwnPlaces } from './own-places.ts'
import { OwnWindows, type OwnWindow } from './own-windows.ts'
import { stateOf, type Wish } from './window-states.ts'

export interface Wishes {
  readonly group: string
  readonly place?: Omit<PlaceClaim, 'place'> | undefined
  readonly windows: readonly Wish[]
}

/** How windows stand, and what a request has of them. Each list is in the order of the wishes. */
export interface Taking {
  readonly states: readonly WindowState[]
  /** The windows that it took from. Undefined if it took nothing. */
  readonly windows: readonly OwnWindow[] | undefined
  readonly leave?: (() => void) | undefined
  readonly isPlaceFull: boolean
  readonly full: ReadonlySet<string>
}

const nothing: ReadonlySet<string> = new Set()
const retryAfterMs = 1_000

/** Takes places and windows: from the service that all processes share or, while it is down, from this process's share. */
export class Together {
  readonly own: OwnWindows
  readonly #coordinated: Coordinated
  readonly #clock: Clock
  readonly #places: OwnPlaces
  readonly #long: LongWindows | undefined

  constructor(coordinated: Coordinated, clock: Clock, long: LongWindows | undefined) {
    this.#coordinated = coordinated
    this.#clock = clock
    this.#long = long
    this.own = new OwnWindows(
      clock,
      change => coordinated.change(change),
      window => long?.changed(window),
    )
    this.#places = new OwnPlaces(change => coordinated.place(change))
    coordinated.onBack(isLost => {
      if (isLost) this.own.lost(window => long?.keeps(window) ?? false)
      this.#places.tell()
    })
  }

  /** All of it, or nothing. Throws 503 for an exact limit that cannot be kept now. */
  async take(wishes: Wishes): Promise<Taking> {
    const { group, windows } = wishes
    if (!this.#isExact && windows.some(({ window }) => window.exact)) throw notExact()
    const saved = await this.#saved(windows.map(({ window }) => window))
    if (!this.#coordinated.isUp) return this.#takeAlone(wishes, saved)
    const place = wishes.place && this.#places.claimOf(wishes.place)
    const claims = windows.map(({ window, amount }): WindowClaim => ({
      ...this.#limited(window),
      amount,
      saved: saved?.get(window.bucket),
    }))
    const result = await this.#coordinated.claim({ group, places: place ? [place] : [], windows: claims })
    if (!result) return this.#takeAlone(wishes, saved)
    const areNew = windows.some(({ window }, index) => window.exact && this.own.open(window.bucket)?.run !== result.windows[index]!.run)
    const taking = this.#taken(wishes, place, result)
    if (areNew && taking.windows && !(await this.#coordinated.hasKept())) {
      this.#giveBack(wishes, taking)
      throw notExact()
    }
    return taking
  }

  /** Without a service, the only process is exact. */
  get #isExact(): boolean {
    return this.#coordinated.isProvided ? this.#coordinated.isUp && !this.#coordinated.isSettling : true
  }

  #giveBack({ windows: wishes }: Wishes, { windows = [], leave }: Taking): void {
    for (const [index, window] of windows.entries()) this.own.add(window, -wishes[index]!.amount)
    leave?.()
  }

  /** Begins and counts nothing. */
  async states(group: string, windows: readonly TokenWindow[]): Promise<readonly WindowState[]> {
    const states = await this.#coordinated.states(group, windows)
    const now = this.#clock.now()
    const saved = await this.#saved(windows)
    if (!states) return windows.map(window => this.#shareOf(window, now, saved?.get(window.bucket)))
    return states.map(({ run, used, endsInMs }, index) => {
      const { bucket, tokens } = this.#limited(windows[index]!)
      const known = run === undefined ? saved?.get(bucket) : undefined
      return known ? stateOf(tokens, known.used, known.endsInMs, now) : stateOf(tokens, used, endsInMs, now)
    })
  }

  /** Less what other machines have taken, and what this process took of what was saved. */
  #limited(window: TokenWindow): TokenWindow {
    const { elsewhere = 0, savedUsed, counted = 0 } = this.own.open(window.bucket) ?? {}
    const untold = elsewhere + (savedUsed === undefined ? 0 : counted)
    return untold > 0 ? { ...window, tokens: Math.max(0, window.tokens - untold) } : window
  }

  #taken({ group, windows: wishes }: Wishes, place: PlaceClaim | undefined, result: Claimed | Unclaimed): Taking {
    const isTaken = result.fullWindows === undefined
    const now = this.#clock.now()
    const windows = wishes.map(({ window, amount }, index) =>
      this.own.told(window, group, result.windows[index]!, isTaken ? amount : 0, this.#long?.keeps(window) ?? false),
    )
    return {
      states: result.windows.map(({ used, endsInMs }, index) => stateOf(this.#limited(wishes[index]!.window).tokens, used, endsInMs, now)),
      windows: isTaken ? windows.map((window, index) => window ?? this.own.current(wishes[index]!.window, group)) : undefined,
      leave: isTaken && place ? this.#places.keep(group, place) : undefined,
      isPlaceFull: !isTaken && result.fullPlace !== undefined,
      full: isTaken ? nothing : new Set(result.fullWindows),
    }
  }

  #takeAlone({ group, place, windows: wishes }: Wishes, saved: ReadonlyMap<string, SavedWindow> | undefined): Taking {
    if (this.#coordinated.isProvided && wishes.some(({ window }) => window.exact)) throw notExact()
    for (const { window } of wishes) {
      const known = saved?.get(window.bucket)
      if (known && !this.own.open(window.bucket)) this.own.resume(window, group, known)
    }
    const now = this.#clock.now()
    const isPlaceFull = place !== undefined && this.#places.countOf(place.bucket) >= this.#coordinated.share(place.limit)
    const full = wishes.filter(({ window, amount }) => this.#usedOfShare(window) + amount > this.#coordinated.share(window.tokens))
    const isTaken = full.length === 0 && !isPlaceFull
    const windows = isTaken ? wishes.map(({ window }) => this.own.current(window, group)) : undefined
    for (const [index, window] of (windows ?? []).entries()) this.own.add(window, wishes[index]!.amount)
    return {
      states: wishes.map(({ window }) => this.#shareOf(window, now)),
      windows,
      leave: isTaken && place ? this.#places.enter(group, place.bucket) : undefined,
      isPlaceFull,
      full: new Set(full.map(({ window }) => window.bucket)),
    }
  }

  /** Of a window that went on from what was saved, no more than what that left. */
  #usedOfShare({ bucket, tokens }: TokenWindow, saved?: SavedWindow): number {
    const { counted, savedUsed } = this.own.open(bucket) ?? { counted: 0, savedUsed: saved?.used }
    return savedUsed === undefined ? counted : Math.max(counted, savedUsed + counted - tokens + this.#coordinated.share(tokens))
  }

  #shareOf(window: TokenWindow, now: number, saved?: SavedWindow): WindowState {
    const open = this.own.open(window.bucket)
    const endsInMs = open ? this.own.endsInMs(open) : saved?.endsInMs
    return stateOf(this.#coordinated.share(window.tokens), this.#usedOfShare(window, saved), endsInMs, now)
  }

  /** How long windows stood that the service may not know: as this process knows them or, if it does not, as they were saved. */
  async #saved(windows: readonly TokenWindow[]): Promise<ReadonlyMap<string, SavedWindow> | undefined> {
    if (!this.#long) return undefined
    const long = windows.filter(window => this.#long!.keeps(window))
    const saved = long.flatMap(({ bucket }): SavedWindow[] => {
      const open = this.own.open(bucket)
      return open ? [{ bucket, used: open.savedUsed ?? open.used, endsInMs: this.own.endsInMs(open) }] : []
    })
    const buckets = long.filter(({ bucket }) => this.own.isUnknown(bucket)).map(({ bucket }) => bucket)
    if (buckets.length > 0) saved.push(...(await this.#long.read(buckets)))
    return saved.length === 0 ? undefined : new Map(saved.map(window => [window.bucket, window]))
  }
}

function notExact(): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'server_error',
    code: 'server_error',
    message: wording`This API key has an exact limit, which cannot be kept now, because the gateway's processes cannot count together. Try again.`,
    retryAfterMs,
    transient: true,
  })
}
