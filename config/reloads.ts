import type { Logger } from '../core/foundation/logger.ts'

/** Runs one reload after the other. Those that are asked for meanwhile are one. */
export class Reloads {
  readonly #reload: (why: string) => Promise<void>
  #isRunning = false
  #next: string | undefined

  constructor(reload: (why: string) => Promise<void>) {
    this.#reload = reload
  }

  async run(why: string): Promise<void> {
    this.#next = why
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      for (;;) {
        const next: string | undefined = this.#next
        if (next === undefined) return
        this.#next = undefined
        await this.#reload(next)
      }
    } finally {
      this.#isRunning = false
    }
  }
}

/** Logs why the gateway goes on as it was. */
export function refuseReload(log: Pick<Logger, 'error'>, problem: string, worker?: number): void {
  const message =
    worker === undefined
      ? 'the new config was refused, so the gateway goes on with the old one'
      : 'a worker did not start with the new config, so it and those after it go on with the old one'
  log.error(message, { problem, ...(worker !== undefined && { worker }) })
}
