import type { Worker } from 'node:worker_threads'
import type { TokenCount, TokenCounter, TokenCountOptions } from '../contracts/token-counter.ts'
import { describeError, type Logger } from '../foundation/logger.ts'
import { startWorker } from '../runtime/worker.ts'
import type { CountingAnswer, CountingMessage } from './counting-thread.ts'

const defaultDeadlineMs = 2_000

/** Counts in one thread, which starts with the first task and serves all tasks in turn. */
export class ThreadedTokenCounter implements TokenCounter {
  readonly #log: Logger
  readonly #waiting = new Map<number, (answer: CountingAnswer | undefined) => void>()
  #worker: Worker | undefined
  #asked = 0
  #endsAtMs = Infinity

  constructor(log: Logger) {
    this.#log = log
  }

  async count(
    texts: readonly string[],
    { tokenizer = 'o200k_base', limit = Infinity, deadlineMs = defaultDeadlineMs }: TokenCountOptions = {},
  ): Promise<TokenCount | undefined> {
    return (await this.#ask(id => ({ id, texts, tokenizer, limit }), deadlineMs))?.count
  }

  async decode(
    lists: readonly (readonly number[])[],
    { tokenizer = 'o200k_base', deadlineMs = defaultDeadlineMs }: Pick<TokenCountOptions, 'tokenizer' | 'deadlineMs'>,
  ): Promise<readonly (string | undefined)[] | undefined> {
    return (await this.#ask(id => ({ id, lists, tokenizer }), deadlineMs))?.texts
  }

  async #ask(message: (id: number) => CountingMessage, deadlineMs: number): Promise<CountingAnswer | undefined> {
    const id = ++this.#asked
    const { promise, resolve } = Promise.withResolvers<CountingAnswer | undefined>()
    const worker = (this.#worker ??= this.#start())
    const timer = setTimeout(() => this.#giveUp(id), Math.min(deadlineMs, Math.max(0, this.#endsAtMs - performance.now())))
    this.#waiting.set(id, resolve)
    worker.postMessage(message(id))
    const answer = await promise
    this.#waiting.delete(id)
    clearTimeout(timer)
    return answer
  }

  /** From now on, everything is counted within this time, or not at all. */
  endWithin(timeMs: number): void {
    this.#endsAtMs = performance.now() + timeMs
    setTimeout(() => [...this.#waiting.keys()].forEach(id => this.#giveUp(id)), timeMs).unref()
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate()
  }

  #giveUp(id: number): void {
    this.#waiting.get(id)?.(undefined)
    this.#worker?.postMessage({ stop: id } satisfies CountingMessage)
  }

  #start(): Worker {
    const worker = startWorker(import.meta.url, './counting-thread')
    worker.on('message', (answer: CountingAnswer) => this.#waiting.get(answer.id)?.(answer))
    worker.on('error', error => this.#log.warn('counting tokens failed', describeError(error)))
    worker.on('exit', () => {
      this.#worker = undefined
      for (const resolve of this.#waiting.values()) resolve(undefined)
    })
    worker.unref()
    return worker
  }
}
