import type { Hold } from '../contracts/hold.ts'

/** The holds of one request in several windows. */
export class HeldWindows {
  readonly #holds: readonly Hold[]

  constructor(holds: readonly Hold[]) {
    this.#holds = holds
  }

  async settle(actual: number): Promise<void> {
    for (const hold of this.#holds) await hold.settle(actual)
  }

  async release(): Promise<void> {
    for (const hold of this.#holds) await hold.release()
  }
}
