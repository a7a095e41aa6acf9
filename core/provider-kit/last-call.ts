import type { Readable } from 'node:stream'
import { restMs } from '../upstream/rest-of-body.ts'

/** Closes a body that goes on although its answer is complete. */
export class LastCall {
  readonly #body: Readable
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(body: Readable) {
    this.#body = body
  }

  /** The body was closed: reading it throws, and that means nothing. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** The first call counts. */
  start(): void {
    this.#timer ??= setTimeout(() => {
      this.#isOver = true
      this.#body.destroy()
    }, restMs)
  }

  cancel(): void {
    clearTimeout(this.#timer)
  }
}
