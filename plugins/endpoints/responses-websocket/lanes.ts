/** Runs the messages of a connection: in turn within a lane, side by side between lanes, and at most so many at once. */
export class Lanes {
  readonly #limit: number
  readonly #lanes = new Map<string, Lane>()
  /** Lanes that could go on. */
  readonly #ready: Lane[] = []
  #running = 0
  #waiting = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** How many messages run or wait. */
  get count(): number {
    return this.#running + this.#waiting
  }

  get names(): number {
    return this.#lanes.size - (this.#lanes.has('') ? 1 : 0)
  }

  has(name: string): boolean {
    return this.#lanes.has(name)
  }

  /** `run` must not reject. The default lane has an empty name. */
  put(name: string, run: () => Promise<void>): void {
    let lane = this.#lanes.get(name)
    if (!lane) this.#lanes.set(name, (lane = { waiting: [], isRunning: false }))
    lane.waiting.push(run)
    this.#waiting++
    if (!lane.isRunning && lane.waiting.length === 1) this.#ready.push(lane)
    this.#next()
  }

  #next(): void {
    while (this.#running < this.#limit && this.#ready.length > 0) {
      const lane = this.#ready.shift()!
      const run = lane.waiting.shift()!
      lane.isRunning = true
      this.#running++
      this.#waiting--
      void run().then(() => {
        lane.isRunning = false
        this.#running--
        if (lane.waiting.length > 0) this.#ready.push(lane)
        this.#next()
      })
    }
  }
}

interface Lane {
  readonly waiting: (() => Promise<void>)[]
  isRunning: boolean
}
