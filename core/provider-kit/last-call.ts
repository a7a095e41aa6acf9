import type { Readable } from 'node:stream'
import { restMs } from '../upstream/rest-of-body.ts'

/** Closes a body that stays open after its answer is complete. */
export class LastCall {
  readonly #body: Readable
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(body: Readable) {
    this.#body = body
  }

  /** The body was closed here, so an error from reading it is not a failure. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Starts the timer. Later calls do nothing. */
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
