import type { Coordination } from '../../../core/stores.ts'

/** A service that can be made slow, or fail. */
export class WeakService implements Coordination {
  service: Coordination
  mode: 'works' | 'stalls' | 'fails' = 'works'
  readonly expectedProcesses: number | undefined
  /** The names of the functions that were called. */
  readonly asked: string[] = []
  readonly #stalled: ((cause?: Error) => void)[] = []

  constructor(service: Coordination, expectedProcesses?: number) {
    this.service = service
    this.expectedProcesses = expectedProcesses
  }

  resume(): void {
    this.mode = 'works'
    for (const go of this.#stalled.splice(0)) go()
  }

  /** Fails the calls that stall, as when a connection is closed. */
  breakOff(): void {
    for (const go of this.#stalled.splice(0)) go(new Error('connection closed'))
  }

  readonly claim: Coordination['claim'] = claim => this.#ask('claim', () => this.service.claim(claim))
  readonly change: Coordination['change'] = (...given) => this.#ask('change', () => this.service.change(...given))
  readonly states: Coordination['states'] = (...given) => this.#ask('states', () => this.service.states(...given))
  readonly beat: Coordination['beat'] = gauges => this.#ask('beat', () => this.service.beat(gauges))
  readonly gauges: Coordination['gauges'] = () => this.#ask('gauges', () => this.service.gauges())
  readonly exchange: Coordination['exchange'] = (...given) => this.#ask('exchange', () => this.service.exchange(...given))

  async #ask<T>(name: string, ask: () => Promise<T>): Promise<T> {
    this.asked.push(name)
    if (this.mode === 'fails') throw new Error('connection refused')
    if (this.mode === 'stalls') {
      const cause = await new Promise<Error | undefined>(resolve => this.#stalled.push(resolve))
      if (cause) throw cause
    }
    return await ask()
  }
}
