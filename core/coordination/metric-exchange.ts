import pTimeout from 'p-timeout'
import type { MetricSharing } from '../contracts/metric-store.ts'
import { nextTurn } from '../runtime/turns.ts'
import type { Coordinated } from './coordinated.ts'

const leastEveryMs = 1_000
/** Each process reads what all of them wrote. So that the service is not asked more the more there are, beyond 50 they take longer. */
const everyMsPerProcess = 20
/** Neither a start nor a stop waits longer. */
const patienceMs = 250
/** After this long, an answer is given up. */
const answerMs = 15_000
/** Requests are served in between. */
const sumsAtOnce = 20
const deltasAtOnce = 50

/** Makes the metrics of this process those of all that count together: each second it sends what is new here, and gets the sums that changed. */
export class MetricExchange {
  readonly #coordinated: Coordinated
  readonly #metrics: MetricSharing
  #since: string | undefined
  #working: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(coordinated: Coordinated, metrics: MetricSharing) {
    this.#coordinated = coordinated
    this.#metrics = metrics
    coordinated.onBack(isLost => {
      if (isLost) metrics.forget()
    })
  }

  /** Resolves when the sums are there that others made before, or cannot be had soon. Never rejects. */
  async start(): Promise<void> {
    await within(patienceMs, this.run())
    this.#schedule()
  }

  /** Sends what is left. Call before the service stops. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    const last = async (): Promise<void> => {
      await this.#working
      await this.run()
    }
    await within(patienceMs, last())
  }

  /** While the service is down, what was recorded waits for it, as long as live windows reach it. */
  async run(): Promise<void> {
    if (!this.#coordinated.isUp) return
    await (this.#working ??= this.#exchange().finally(() => (this.#working = undefined)))
  }

  #schedule(): void {
    const next = (): void => {
      void this.run()
      this.#schedule()
    }
    this.#timer = setTimeout(next, Math.max(leastEveryMs, this.#coordinated.processes * everyMsPerProcess)).unref()
  }

  /** Sends each delta only once: without an answer, it may still have arrived. */
  async #exchange(): Promise<void> {
    for (let isOver = false; !isOver;) {
      const deltas = this.#metrics.take(deltasAtOnce)
      const answer = await within(answerMs, this.#coordinated.exchange(deltas, this.#since))
      if (!answer) return
      this.#since = answer.since
      for (let from = 0; from < answer.sums.length; from += sumsAtOnce) {
        await nextTurn()
        this.#metrics.receive(answer.sums.slice(from, from + sumsAtOnce))
      }
      isOver = deltas.length < deltasAtOnce
    }
  }
}

async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T | undefined> {
  return await pTimeout(answer, { milliseconds, fallback: () => undefined })
}
