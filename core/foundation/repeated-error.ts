import type { JsonObject } from './json.ts'
import type { Logger } from './logger.ts'

const quietMs = 10_000

/** Logs an error that may come with every request: the first one at once, then for ten seconds only how often it came. */
export class RepeatedError {
  readonly #log: Logger
  readonly #message: string
  #more = 0
  #timer: NodeJS.Timeout | undefined

  constructor(log: Logger, message: string) {
    this.#log = log
    this.#message = message
  }

  /** Call it each time the error happens. `fields` are logged only with the first one. */
  report(fields: JsonObject): void {
    if (this.#timer) {
      this.#more++
      return
    }
    this.#log.error(this.#message, fields)
    this.#timer = setTimeout(() => this.#sum(), quietMs).unref()
  }

  #sum(): void {
    this.#timer = undefined
    if (this.#more > 0) this.#log.error(`${this.#message}, again and again`, { more: this.#more })
    this.#more = 0
  }
}
