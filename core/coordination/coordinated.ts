import type {
  Beat,
  Claim,
  Claimed,
  CoordinatedWindow,
  Coordination,
  CountDelta,
  CountSum,
  Gauges,
  PlaceChange,
  Unclaimed,
  WindowChange,
} from '../contracts/coordination.ts'
import type { TokenWindow } from '../contracts/rate-limiter.ts'
import type { Clock } from '../foundation/clock.ts'
import { describePluginError, type Logger } from '../foundation/logger.ts'
import { token } from '../foundation/token.ts'
import { afterAnswers, answerMs, Breaker, LateAnswer } from './breaker.ts'
import { ChangeSender } from './change-sender.ts'
import type { ChangeBatch } from './pending-changes.ts'

const beatEveryMs = 1_000
const probeEveryMs = 250
/** The first beat may have to wait for a connection. */
const firstBeatMs = 1_000
/** After this long without a sign of life, as of a process that was stopped, its places may be gone. */
const awayMs = 5_000
const mostOpenBeats = 2
/** After the service has lost its counts, all processes notice it, and tell what they have counted, within this time. */
const settleMs = 3_000
const apart = 'processes cannot count together now, so each goes by its share of the limits'

/**
 * The one way to where processes count together. Without such a service, and while it fails, `isUp` is false, and each process goes by its
 * `share`. Nothing waits longer than 50 ms, and nothing waits at all while the service is known to fail.
 */
export class Coordinated {
  /** Stores name it in `needs` to count together with other processes. */
  static readonly token = token<Coordinated>('coordinated')
  readonly #clock: Clock
  readonly #log: Logger
  readonly #breaker: Breaker
  readonly #sender: ChangeSender
  readonly #listeners: ((isLost: boolean) => void)[] = []
  readonly #gauges: (() => Gauges)[] = []
  #service: Coordination | undefined
  #plugin = 'unknown'
  #processes = 1
  #generation: string | undefined
  #timer: NodeJS.Timeout | undefined
  #openBeats = 0
  #aliveAt = 0
  #isLost = false
  #lostAt = -Infinity
  #hasFailed = false

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock
    this.#log = log
    this.#breaker = new Breaker(clock, cause => this.#failed(cause))
    this.#sender = new ChangeSender(clock, batch => this.#send(batch))
  }

  /** True if a plugin provides the service, whether it works or not. */
  get isProvided(): boolean {
    return this.#service !== undefined
  }

  /** False without a service, and while it fails. */
  get isUp(): boolean {
    return this.#breaker.isClosed
  }

  /** The number of processes that was last seen: 1 without a service. */
  get processes(): number {
    return this.#processes
  }

  /** Another value: what was counted before is lost. Undefined before the first answer. */
  get generation(): string | undefined {
    return this.#generation
  }

  /** True while processes may not have told yet what they counted before the service lost it. */
  get isSettling(): boolean {
    return this.#clock.elapsed() - this.#lostAt < settleMs
  }

  /** True if the service has lost nothing that it counted before. Waits for one answer. */
  async hasKept(): Promise<boolean> {
    const beat = await this.#ask(service => service.beat(this.#ownGauges()))
    if (beat) this.#alive(beat, true)
    return beat !== undefined && !this.isSettling
  }

  /** This process's part of a limit while it counts alone. All parts together are at most the limit and one less than there are processes. */
  share(limit: number): number {
    return Math.ceil(limit / this.#processes)
  }

  /**
   * Undefined if the service is down: go by the share. What an answer that comes too late has taken is given back. This process's own changes
   * count before a claim, so that what ended here makes room for what begins here.
   */
  async claim(claim: Claim): Promise<Claimed | Unclaimed | undefined> {
    if (!this.isUp) return undefined
    this.#sender.sendBefore(claim.windows)
    const result = await this.#claim(claim)
    return result?.fullWindows && this.#sender.sendRoom(claim.windows) ? await this.#claim(claim) : result
  }

  /** Changes a window a little later, or as soon as the service is back. Never fails. */
  change(change: WindowChange): void {
    this.#sender.addWindow(change)
  }

  /** Gives a place back at once, or as soon as the service is back. Never fails. */
  place(change: PlaceChange): void {
    this.#sender.addPlace(change)
  }

  /** Sends what is to be sent now. Resolves when it has arrived, or cannot. */
  async flush(): Promise<void> {
    await this.#sender.flush()
  }

  /** How windows stand now. Undefined: nobody can tell. */
  async states(group: string, windows: readonly TokenWindow[]): Promise<readonly CoordinatedWindow[] | undefined> {
    if (!this.isUp) return undefined
    this.#sender.sendBefore(windows)
    this.#sender.sendRoom(windows)
    return await this.#ask(service => service.states(group, windows))
  }

  /** The gauges of every process. Undefined if the service is down. */
  gauges(): Promise<readonly Gauges[] | undefined> {
    return this.#ask(service => service.gauges())
  }

  /**
   * Undefined if the service is down, or fails: nobody knows then whether the deltas were added. No request waits for this, and all sums
   * together are long, so it may take longer than other answers, and opens no breaker.
   */
  async exchange(
    deltas: readonly CountDelta[],
    since: string | undefined,
  ): Promise<{ readonly sums: readonly CountSum[]; readonly since: string } | undefined> {
    if (!this.isUp) return undefined
    try {
      return await asked(this.#service!, service => service.exchange(deltas, since))
    } catch {
      // The next sign of life tells whether the service works.
      return undefined
    }
  }

  /**
   * Calls back when processes count together again, before any claim: now add what was counted alone, and hold each place once more.
   * `isLost`: the service has lost what was counted before, so add all of it that is in windows still open. Nothing is left of `change` then.
   */
  onBack(listener: (isLost: boolean) => void): void {
    this.#listeners.push(listener)
  }

  /** Read each second, and sent to the others. */
  addGauges(read: () => Gauges): void {
    this.#gauges.push(read)
  }

  /** Resolves when the service has answered, or has not within a second. Never rejects: the gateway starts without it, too. */
  async connect(service: Coordination, plugin: string): Promise<void> {
    this.#service = service
    this.#plugin = plugin
    this.#processes = Math.max(1, service.expectedProcesses ?? 1)
    await withinMs(firstBeatMs, this.#firstBeat(service))
    if (!this.isUp) this.#failed(new LateAnswer())
    this.#schedule()
  }

  /** A sign of life now. Otherwise there is one each second, and while the service fails four. */
  async beat(): Promise<void> {
    const service = this.#service
    if (!service || this.#openBeats >= mostOpenBeats) return
    this.#openBeats++
    let isLate = false
    const failed = this.#breaker.asks()
    const stop = afterAnswers(() => {
      isLate = true
      failed(new LateAnswer())
    })
    try {
      const beat = await service.beat(this.#ownGauges())
      if (service === this.#service) this.#alive(beat, !isLate)
    } catch (cause) {
      failed(cause)
    } finally {
      stop()
      this.#openBeats--
    }
  }

  /** Sends what is left. Call before the plugins stop. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    if (!this.#service) return
    if (this.isUp) await withinMs(answerMs, this.#sender.flush())
    this.#service = undefined
    this.#breaker.stop()
  }

  /** A connection may have to be made first, so this one may be late. */
  async #firstBeat(service: Coordination): Promise<void> {
    try {
      const beat = await service.beat(this.#ownGauges())
      if (service === this.#service && !this.isUp) this.#alive(beat, true)
    } catch {
      // `connect` says so.
    }
  }

  #alive({ processes, generation }: Beat, isGood: boolean): void {
    const now = this.#clock.elapsed()
    const wasAway = now - this.#aliveAt >= awayMs
    this.#aliveAt = now
    if (processes >= 1) this.#processes = Math.max(Math.ceil(processes), this.#service?.expectedProcesses ?? 1)
    if (this.#generation !== undefined && this.#generation !== generation) {
      this.#isLost = true
      this.#lostAt = now
    }
    this.#generation = generation
    const isBack = this.#breaker.answered(isGood)
    if (!this.isUp || !(isBack || wasAway || this.#isLost)) return
    if (isBack && this.#hasFailed) this.#log.info('processes count together again', { plugin: this.#plugin, processes })
    const isLost = this.#isLost
    this.#isLost = false
    if (isLost) this.#sender.forgetWindows()
    for (const listener of this.#listeners) listener(isLost)
    void this.#sender.flush()
  }

  #failed(cause: unknown): void {
    this.#hasFailed = true
    const described = cause instanceof LateAnswer ? { error: cause.message } : describePluginError(cause, false)
    this.#log.warn(apart, { plugin: this.#plugin, processes: this.#processes, ...described })
  }

  #ask<T>(ask: (service: Coordination) => Promise<T>, late: (outcome: T | undefined) => void = () => {}): Promise<T | undefined> {
    return this.isUp ? this.#breaker.within(asked(this.#service!, ask), late) : Promise.resolve(undefined)
  }

  #claim(claim: Claim): Promise<Claimed | Unclaimed | undefined> {
    return this.#ask(
      service => service.claim(claim),
      outcome => this.#undo(claim, outcome),
    )
  }

  #send({ windows, places }: ChangeBatch): Promise<void> | undefined {
    if (!this.isUp) return undefined
    const sending = asked(this.#service!, service => service.change(windows, places))
    this.#breaker.watch(sending)
    return sending
  }

  /** Nobody waited for this claim. If it was not answered, its places may be taken. */
  #undo({ group, places, windows }: Claim, outcome: Claimed | Unclaimed | undefined): void {
    if (outcome?.fullWindows) return
    for (const { bucket, place } of places) this.place({ group, bucket, place, isHeld: false })
    for (const [index, { bucket, windowMs, amount }] of windows.entries()) {
      const run = outcome?.windows[index]?.run
      if (run !== undefined) this.change({ group, bucket, windowMs, run, amount: -amount })
    }
  }

  #ownGauges(): Gauges {
    return Object.assign({}, ...this.#gauges.map(read => read())) as Gauges
  }

  #schedule(): void {
    const next = (): void => {
      void this.beat()
      if (this.#service) this.#schedule()
    }
    this.#timer = setTimeout(next, this.isUp ? beatEveryMs : probeEveryMs).unref()
  }
}

/** A plugin may throw, or return a promise of another kind. */
function asked<T>(service: Coordination, ask: (service: Coordination) => Promise<T>): Promise<T> {
  return new Promise(resolve => resolve(ask(service)))
}

async function withinMs(milliseconds: number, done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([done, new Promise<void>(resolve => (timer = setTimeout(resolve, milliseconds)))])
  clearTimeout(timer)
}
