import type {
  Admission,
  Admitted,
  FullWindow,
  NotAdmitted,
  RateLimiter,
  TokenWindow,
  WindowHold,
  WindowState,
} from '../contracts/rate-limiter.ts'
import type { SavedWindows } from '../contracts/saved-windows.ts'
import type { Clock } from '../foundation/clock.ts'
import type { Logger } from '../foundation/logger.ts'
import type { Coordinated } from './coordinated.ts'
import { CoordinatedHold } from './coordinated-hold.ts'
import { LongWindows } from './long-windows.ts'
import type { OwnWindow } from './own-windows.ts'
import { Together, type Taking } from './together.ts'
import { fullOf, whole, type Wish } from './window-states.ts'

/** The parts of a `CoordinatedLimiter`. */
export interface CoordinatedLimiterParts {
  /** Counts together with other processes. */
  readonly coordinated: Coordinated
  /** The gateway's clock. */
  readonly clock: Clock
  /** Told when windows of an hour or more cannot be read or saved. */
  readonly log: Logger
  /** Keeps windows of an hour or more. */
  readonly saved?: SavedWindows | undefined
  /** True if the service counts for the processes of one machine, and other machines may use the same store. Default: false. */
  readonly isOfOneMachine?: boolean
}

/**
 * The limiter of processes that count together. A request waits for one answer, and not longer than 50 ms. While the service is down, each
 * process goes by its share of every limit. Plugins that provide `Coordination` provide it, too.
 */
export class CoordinatedLimiter implements RateLimiter {
  readonly #clock: Clock
  readonly #long: LongWindows | undefined
  readonly #together: Together

  constructor({ coordinated, clock, log, saved, isOfOneMachine = false }: CoordinatedLimiterParts) {
    this.#clock = clock
    this.#long = saved && new LongWindows({ saved, clock, log, isOfOneMachine })
    this.#together = new Together(coordinated, clock, this.#long)
  }

  /** See `RateLimiter`. `group`: windows of one claim have the same one. */
  async reserve(windows: readonly TokenWindow[], tokens: number, group = ''): Promise<WindowHold | FullWindow> {
    const amount = whole(tokens)
    const taking = await this.#together.take({ group, windows: wishesOf(windows, amount) })
    return taking.windows ? this.#hold(group, windows, amount, taking, taking.windows) : this.#fullOf(wishesOf(windows, amount), taking)!
  }

  /** See `RateLimiter`. */
  async enter(bucket: string, limit: number, group = ''): Promise<(() => void) | undefined> {
    return (await this.#together.take({ group, place: { bucket, limit }, windows: [] })).leave
  }

  /** See `RateLimiter`. */
  async states(windows: readonly TokenWindow[], group = ''): Promise<readonly WindowState[]> {
    return await this.#together.states(group, windows)
  }

  /** See `RateLimiter`. */
  async admit(admission: Admission, group = ''): Promise<Admitted | NotAdmitted> {
    const { place, requests, tokens } = admission
    const counted = wishesOf(requests, 1)
    const held = tokens ? wishesOf(tokens.windows, whole(tokens.likely)) : []
    const taking = await this.#together.take({ group, place, windows: [...counted, ...held] })
    if (!taking.windows) {
      if (taking.isPlaceFull) return 'no-place'
      const full = this.#fullOf(counted, taking)
      // The likely tokens do not fit. Those that are needed may.
      return full ?? (await this.admit({ place, requests, tokens: undefined }, group))
    }
    const { leave = () => {}, states, windows } = taking
    const admitted = { leave, states: states.slice(0, counted.length) }
    if (!tokens) return admitted
    const ofTokens = { ...taking, states: states.slice(counted.length) }
    return { ...admitted, tokens: this.#hold(group, tokens.windows, whole(tokens.likely), ofTokens, windows.slice(counted.length)) }
  }

  /** Saves windows of an hour or more. Call when the plugin stops. */
  async stop(): Promise<void> {
    await this.#long?.save()
  }

  #hold(group: string, windows: readonly TokenWindow[], amount: number, { states }: Taking, taken: readonly OwnWindow[]): CoordinatedHold {
    const more = async (extra: number): Promise<readonly OwnWindow[] | FullWindow> => {
      const wishes = wishesOf(windows, extra)
      const taking = await this.#together.take({ group, windows: wishes })
      return taking.windows ?? this.#fullOf(wishes, taking)!
    }
    return new CoordinatedHold({ own: this.#together.own, clock: this.#clock, group, windows, more }, taken, amount, states)
  }

  /** `states` of the answer are those of these wishes, which come first. */
  #fullOf(wishes: readonly Wish[], { full, states }: Taking): FullWindow | undefined {
    const now = this.#clock.now()
    const longest = fullOf(
      wishes,
      index => full.has(wishes[index]!.window.bucket),
      index => {
        const { refillsAt } = states[index]!
        return refillsAt === undefined ? undefined : refillsAt - now
      },
    )
    return longest && { ...longest, states: states.slice(0, wishes.length) }
  }
}

function wishesOf(windows: readonly TokenWindow[], amount: number): readonly Wish[] {
  return windows.map(window => ({ window, amount }))
}
