interface Lane {
  length: number
  end: Promise<void>
}

/** Runs work one after the other for each name, and for different names at the same time. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  /** All that runs or waits. */
  total = 0

  lengthOf(name: string): number {
    return this.#lanes.get(name)?.length ?? 0
  }

  /** `work` must not reject. */
  run(name: string, work: () => Promise<void>): void {
    const lane = this.#lanes.get(name) ?? { length: 0, end: Promise.resolve() }
    this.#lanes.set(name, lane)
    lane.length++
    this.total++
    lane.end = lane.end.then(work).finally(() => {
      this.total--
      if (--lane.length === 0) this.#lanes.delete(name)
    })
  }

  /** Resolves when nothing of what is there now is left. */
  async ended(): Promise<void> {
    await Promise.all(Array.from(this.#lanes.values(), ({ end }) => end))
  }
}
