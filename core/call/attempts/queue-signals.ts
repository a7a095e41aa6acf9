import type { SharedMap, SharedMaps } from '../../contracts/shared-state.ts'
import type { Coordinated } from '../../coordination/coordinated.ts'
import type { Clock } from '../../foundation/clock.ts'

type Signal = 'waiting' | 'freed'

/** So long, others know that requests wait here. */
const waitingForMs = 1_500
const repeatMs = 500
const freedForMs = 1_000
/** A place that was given back here is first for those who wait elsewhere. */
const ownTurnMs = 5
const maxProviders = 1_000

/** Signals between the queues of one provider across processes: requests wait, or a place is free. Nobody sends any if nobody waits. */
export class QueueSignals {
  readonly #signals: SharedMap<Signal>
  readonly #coordinated: Coordinated
  readonly #clock: Clock
  /** By provider, on `Clock.elapsed`. */
  readonly #othersWaitUntil = new Map<string, number>()
  readonly #toldAt = new Map<string, number>()
  readonly #listeners = new Map<string, Set<() => void>>()

  constructor(shared: SharedMaps, coordinated: Coordinated, clock: Clock) {
    this.#coordinated = coordinated
    this.#clock = clock
    const accepts = (value: unknown): value is Signal => value === 'waiting' || value === 'freed'
    this.#signals = shared.map('provider-queues', { max: maxProviders, keys: 'ids', accepts })
    this.#signals.onChange((provider, signal, forMs) => {
      if (signal === 'waiting') this.#othersWaitUntil.set(provider, clock.elapsed() + forMs)
      else this.#wake(provider)
    })
  }

  /** Requests wait here. */
  waits(provider: string): void {
    const now = this.#clock.elapsed()
    if (now - (this.#toldAt.get(provider) ?? -Infinity) < repeatMs) return
    this.#toldAt.set(provider, now)
    this.#signals.set(provider, 'waiting', waitingForMs)
  }

  othersWait(provider: string): boolean {
    return (this.#othersWaitUntil.get(provider) ?? 0) > this.#clock.elapsed()
  }

  /** A place was given back here. Others hear of it once the service has it. */
  freed(provider: string): void {
    if (!this.othersWait(provider)) return
    void this.#coordinated.flush().then(() => {
      this.#signals.set(provider, 'freed', freedForMs)
      setTimeout(() => this.#wake(provider), ownTurnMs).unref()
    })
  }

  #wake(provider: string): void {
    for (const listener of this.#listeners.get(provider) ?? []) listener()
  }

  /** Resolves when another process has freed a place, or the time is over. */
  free(provider: string, withinMs: number): Promise<void> {
    let listeners = this.#listeners.get(provider)
    if (!listeners) this.#listeners.set(provider, (listeners = new Set()))
    return new Promise(resolve => {
      const over = (): void => {
        clearTimeout(timer)
        listeners.delete(over)
        resolve()
      }
      const timer = setTimeout(over, withinMs).unref()
      listeners.add(over)
    })
  }
}
