import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startWorker } from '../../worker.ts'
import type { Question, Verdict } from './schema-worker.ts'

const deadlineMs = 1_000
const memoryMb = 64

export interface Answer {
  readonly verdict: Verdict
  /** It had to be stopped. */
  readonly slow: boolean
}

/** A thread that answers one question at a time. It lives as long as nothing goes wrong, and never keeps the process alive. */
export class SchemaThread {
  readonly #worker: Worker
  readonly #ready: Promise<unknown>
  #alive = true

  constructor() {
    this.#worker = startWorker(import.meta.url, './schema-worker', {
      name: 'schema-worker',
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16, codeRangeSizeMb: 16 },
    })
    this.#ready = once(this.#worker, 'message')
    this.#ready.catch(() => {})
    this.#worker.on('error', () => this.end())
    this.#worker.on('exit', () => (this.#alive = false))
  }

  get alive(): boolean {
    return this.#alive
  }

  /** Throws where the thread itself does not work. The deadline counts from when it does. */
  async ask(question: Question): Promise<Answer> {
    const timeout = new AbortController()
    let timer: NodeJS.Timeout | undefined
    this.#worker.ref()
    try {
      await this.#ready
      timer = setTimeout(() => timeout.abort(), deadlineMs)
      const answer = once(this.#worker, 'message', { signal: timeout.signal })
      this.#worker.postMessage(question)
      const [verdict] = (await answer) as [Verdict]
      return { verdict, slow: false }
    } catch (error) {
      this.end()
      if (timeout.signal.aborted) return stopped(`it takes longer than ${deadlineMs} ms`)
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
        return stopped(`it takes more than ${memoryMb} MiB of memory`)
      throw error
    } finally {
      clearTimeout(timer)
      this.#worker.unref()
    }
  }

  end(): void {
    this.#alive = false
    void this.#worker.terminate()
  }
}

function stopped(problem: string): Answer {
  return { verdict: { usable: false, problem }, slow: true }
}
