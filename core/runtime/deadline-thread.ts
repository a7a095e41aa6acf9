import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { branded } from '../foundation/brand.ts'
import { startWorker } from './worker.ts'

/** The program of a `DeadlineThread`, and its limits. */
export interface DeadlineThreadOptions {
  /** The `import.meta.url` of a module in the same folder as the thread's program. */
  readonly beside: string
  /** The program's file name without its extension. It posts one message when it is ready, then one answer per question. */
  readonly module: string
  /** The most time for one question. */
  readonly deadlineMs: number
  /** The most heap, in MiB. */
  readonly memoryMb: number
}

/** A question took too long or too much memory, so the thread was terminated. */
export class ThreadStopped extends Error {
  static {
    branded(this, 'thread-stopped')
  }

  override readonly name = 'ThreadStopped'
}

/** A thread that answers one question at a time. It ends at the first error, and does not keep the process alive. */
export class DeadlineThread<Question, Answer> {
  readonly #worker: Worker
  readonly #ready: Promise<unknown>
  readonly #deadlineMs: number
  readonly #memoryMb: number
  #alive = true

  constructor({ beside, module, deadlineMs, memoryMb }: DeadlineThreadOptions) {
    this.#deadlineMs = deadlineMs
    this.#memoryMb = memoryMb
    this.#worker = startWorker(beside, module, {
      name: module.slice(module.lastIndexOf('/') + 1),
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16, codeRangeSizeMb: 16 },
    })
    this.#ready = once(this.#worker, 'message')
    this.#ready.catch(() => {})
    this.#worker.on('error', () => this.end())
    this.#worker.on('exit', () => (this.#alive = false))
  }

  /** False after the first error and after `end()`: then make a new one. */
  get alive(): boolean {
    return this.#alive
  }

  /** Throws `ThreadStopped`, or the thread's own error. The time limit starts when the thread is ready. */
  async ask(question: Question): Promise<Answer> {
    const timeout = new AbortController()
    let timer: NodeJS.Timeout | undefined
    this.#worker.ref()
    try {
      await this.#ready
      timer = setTimeout(() => timeout.abort(), this.#deadlineMs)
      const answer = once(this.#worker, 'message', { signal: timeout.signal })
      this.#worker.postMessage(question)
      return ((await answer) as [Answer])[0]
    } catch (error) {
      this.end()
      if (timeout.signal.aborted) throw new ThreadStopped(`it takes longer than ${this.#deadlineMs} ms`)
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
        throw new ThreadStopped(`it takes more than ${this.#memoryMb} MiB of memory`)
      throw error
    } finally {
      clearTimeout(timer)
      this.#worker.unref()
    }
  }

  /** Terminates the thread. Call it when no question is open. */
  end(): void {
    this.#alive = false
    void this.#worker.terminate()
  }
}
