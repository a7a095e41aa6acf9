import { availableParallelism } from 'node:os'
import { LRUCache } from 'lru-cache'
import { internalError } from '../../foundation/errors.ts'
import { FairQueue } from '../../runtime/fair-queue.ts'
import { SchemaThread } from './schema-thread.ts'
import type { SchemaQuestion, Verdict } from './schema-worker.ts'

interface Job {
  readonly question: SchemaQuestion
  /** The caller's API key. */
  readonly keyId: string
  readonly since: number
  readonly resolve: (verdict: Verdict) => void
  readonly reject: (reason: unknown) => void
}

/** A checked schema. `problem` says why it cannot be used. */
interface Known {
  readonly problem: string | undefined
}

/** Several, so that one slow schema does not block the next; few, so that the event loop keeps its share of the CPU. */
const maxThreads = Math.min(4, Math.max(2, availableParallelism() - 1))
const idleMs = 30_000
const rememberedCharacters = 4_000_000
/** A schema that took too long is not retried during this time, so that nobody can keep all threads busy with it. */
const slowForMs = 60_000
/** Keys take turns, so only a key that sends many slow schemas waits this long. */
const maxWaitMs = 30_000
const noTurn: Verdict = {
  usable: false,
  problem: `it was not checked within ${maxWaitMs / 1000} s, since too many other schemas of this API key take long`,
}

/** No schema begins like this. */
function nameOf({ schema, syntax }: SchemaQuestion): string {
  return syntax ? `${syntax}:${schema}` : schema
}

/** Compiles and applies callers' schemas in separate threads, because callers choose their patterns and size. */
export class SchemaChecks {
  readonly #idle: SchemaThread[] = []
  readonly #waiting = new FairQueue<Job>()
  #busy = 0
  #idleTimer: NodeJS.Timeout | undefined
  readonly #known = new LRUCache<string, Known>({ maxSize: rememberedCharacters, sizeCalculation: (_, schema) => schema.length })

  /** The reason why a schema cannot be used, if it cannot. */
  async usable(schema: string, keyId: string, signal: AbortSignal, syntax?: 'regex'): Promise<string | undefined> {
    const question = { schema, ...(syntax && { syntax }) }
    const known = this.#known.get(nameOf(question))
    if (known) return known.problem
    const verdict = await this.#ask(question, keyId, signal)
    return verdict.usable ? undefined : verdict.problem
  }

  /** `text` must be JSON, unless there is a syntax. */
  judge(schema: string, text: string, keyId: string, signal: AbortSignal, syntax?: 'regex'): Promise<Verdict> {
    return this.#ask({ schema, text, ...(syntax && { syntax }) }, keyId, signal)
  }

  #ask(question: SchemaQuestion, keyId: string, signal: AbortSignal): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const job: Job = { question, keyId, since: performance.now(), resolve, reject }
      signal.addEventListener(
        'abort',
        () => {
          this.#waiting.remove(keyId, job)
          reject(signal.reason)
        },
        { once: true },
      )
      this.#waiting.add(keyId, job)
      this.#next()
    })
  }

  #next(): void {
    while (this.#busy < maxThreads) {
      const job = this.#waiting.next()
      if (!job) return
      const verdict = this.#verdictWithout(job)
      if (!verdict) {
        void this.#run(job)
        continue
      }
      job.resolve(verdict)
      this.#waiting.done(job.keyId)
    }
  }

  /** The result of a check that ran meanwhile: a bad schema costs one deadline, no matter how many requests wait with it. */
  #verdictWithout({ question, since }: Job): Verdict | undefined {
    const problem = this.#known.get(nameOf(question))?.problem
    if (problem !== undefined) return { usable: false, problem }
    return performance.now() - since > maxWaitMs ? noTurn : undefined
  }

  async #run({ question, keyId, resolve, reject }: Job): Promise<void> {
    this.#busy++
    clearTimeout(this.#idleTimer)
    let thread: SchemaThread | undefined
    try {
      thread = this.#idle.pop() ?? new SchemaThread()
      const { verdict, slow } = await thread.ask(question)
      this.#remember(question, verdict, slow)
      resolve(verdict)
    } catch (error) {
      reject(internalError(error))
    }
    this.#busy--
    this.#waiting.done(keyId)
    if (thread?.alive) this.#idle.push(thread)
    this.#next()
    if (this.#busy === 0) this.#idleTimer = setTimeout(() => this.#endIdle(), idleMs).unref()
  }

  /** Remembers the result. The check of one text says nothing about the schema, unless it took too long. */
  #remember(question: SchemaQuestion, verdict: Verdict, slow: boolean): void {
    const name = nameOf(question)
    if (!slow && (question.text !== undefined || this.#known.has(name))) return
    this.#known.set(name, { problem: verdict.usable ? undefined : verdict.problem }, slow ? { ttl: slowForMs } : {})
  }

  #endIdle(): void {
    for (const thread of this.#idle.splice(0)) thread.end()
  }
}

/** One per process. No thread starts before the first answer is checked. */
export const schemaChecks = new SchemaChecks()
