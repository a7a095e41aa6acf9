import { DeadlineThread, ThreadStopped } from '../../runtime/deadline-thread.ts'
import type { Question, Verdict } from './schema-worker.ts'

export interface Answer {
  readonly verdict: Verdict
  /** The thread had to be stopped. */
  readonly slow: boolean
}

/** A thread that applies schemas. */
export class SchemaThread {
  readonly #thread = new DeadlineThread<Question, Verdict>({
    beside: import.meta.url,
    module: './schema-worker',
    deadlineMs: 1_000,
    memoryMb: 64,
  })

  get alive(): boolean {
    return this.#thread.alive
  }

  /** Throws if the thread itself fails. */
  async ask(question: Question): Promise<Answer> {
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
