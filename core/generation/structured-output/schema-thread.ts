import { DeadlineThread, ThreadStopped } from '../../runtime/deadline-thread.ts'
import type { SchemaQuestion, Verdict } from './schema-worker.ts'

export interface TimedVerdict {
  readonly verdict: Verdict
  /** The thread had to be stopped. */
  readonly slow: boolean
}

/** A thread that applies schemas. */
export class SchemaThread {
  readonly #thread = new DeadlineThread<SchemaQuestion, Verdict>({
    beside: import.meta.url,
    module: './schema-worker',
    deadlineMs: 1_000,
    memoryMb: 64,
  })

  get alive(): boolean {
    return this.#thread.alive
  }

  /** Throws if the thread itself fails. */
  async ask(question: SchemaQuestion): Promise<TimedVerdict> {
    try {
      return { verdict: await this.#thread.ask(question), slow: false }
    } catch (error) {
      if (!(error instanceof ThreadStopped)) throw error
      return { verdict: { usable: false, problem: error.message }, slow: true }
    }
  }

  end(): void {
    this.#thread.end()
  }
}
