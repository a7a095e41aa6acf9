import { stat } from 'node:fs/promises'
import type { Logger } from '../../../../core/index.ts'

const checkEveryMs = 30_000

/** Reports it while a SQLite file in use is missing: SQLite keeps writing to the deleted file, and all of that is lost at the end. */
export class OpenFile {
  readonly #path: string
  readonly #log: Logger
  #inode: bigint | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(path: string, log: Logger) {
    this.#path = path
    this.#log = log
  }

  /** Call when the file is open. */
  async start(): Promise<void> {
    this.#inode = await inodeOf(this.#path)
    this.#timer = setInterval(() => void this.check(), checkEveryMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async check(): Promise<void> {
    if ((await inodeOf(this.#path)) === this.#inode) return
    const message =
      'the database file was deleted or replaced while this gateway uses it, so everything that it stores will be lost. Copy what you need through the admin API, restore the file from a backup, and restart the gateway'
    this.#log.error(message, { file: this.#path })
  }
}

/** The inode of a file, if the file exists. */
async function inodeOf(path: string): Promise<bigint | undefined> {
  return await stat(path, { bigint: true }).then(
    ({ ino }) => ino,
    () => undefined,
  )
}
