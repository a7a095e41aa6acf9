import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { Logger } from '../../core/foundation/logger.ts'
import { ConfigError } from '../errors.ts'

/** The kernel's limit is 108 bytes on Linux and 104 on macOS, with the zero at the end. */
const maxPathBytes = 103
const startMs = 10_000
const askEveryMs = 1_000
/** It is asked this often before it counts as dead: then it is ended and replaced. */
const maxUnanswered = 5
/** One that ended sooner than this after its start is not replaced at once, so that one that cannot start takes no core. */
const shortLifeMs = 1_000
const maxPauseMs = 5_000

const program = { beside: import.meta.url, module: './program' }

/** The owner process, from the side of its parent: starts it, and replaces it when it ends. */
export class OwnerProcess {
  /** Of the socket, for its clients. */
  readonly path: string
  readonly #folder: string
  readonly #log: Logger
  #child: ChildProcess | undefined
  #replacing: NodeJS.Timeout | undefined
  readonly #asking: NodeJS.Timeout
  #unanswered = 0
  #shortLives = 0
  #isStopping = false

  /** Resolves when it listens, or after ten seconds without it: clients connect whenever it is there. Throws a `ConfigError`. */
  static async start(log: Logger): Promise<OwnerProcess> {
    const owner = new OwnerProcess(folderOfSocket(), log)
    await owner.#spawn()
    return owner
  }

  private constructor(folder: string, log: Logger) {
    this.#folder = folder
    this.#log = log
    this.path = join(folder, 'owner.sock')
    this.#asking = setInterval(() => this.#ask(), askEveryMs).unref()
  }

  /** Undefined while there is none. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Call when no worker is left. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#asking)
    clearTimeout(this.#replacing)
    const child = this.#child
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      // It removes its folder. Killed, it would not count any less: nobody asks it any more.
      child.kill('SIGKILL')
      await ended
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #spawn(): Promise<void> {
    const startedAt = performance.now()
    // Like threads, it gets no environment, which has secrets.
    const child = fork(new URL(`${program.module}${extname(program.beside)}`, program.beside), [this.path], {
      env: {},
      execArgv: ['--max-semi-space-size=4'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#child = child
    this.#unanswered = 0
    child.on('error', error => this.#log.error('the owner process could not be started or reached', { error: error.message }))
    child.on('exit', (code, signal) => this.#ended(child, performance.now() - startedAt, { code, signal }))
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, startMs)
      const begun = (): void => {
        clearTimeout(timer)
        resolve()
      }
      child.on('message', () => {
        this.#unanswered = 0
        begun()
      })
      child.once('exit', begun)
    })
  }

  #ended(child: ChildProcess, livedMs: number, fields: { readonly code: number | null; readonly signal: string | null }): void {
    if (this.#child !== child || this.#isStopping) return
    this.#child = undefined
    this.#shortLives = livedMs < shortLifeMs ? this.#shortLives + 1 : 0
    const pauseMs = this.#shortLives === 0 ? 0 : Math.min(50 * 2 ** this.#shortLives, maxPauseMs)
    this.#log.error('the owner process ended, so each worker enforces its share of limits until the next one counts', {
      ...fields,
      pauseMs,
    })
    this.#replacing = setTimeout(() => void this.#spawn(), pauseMs)
  }

  /** One that is stopped, or does not end its work, is no better than none. */
  #ask(): void {
    const child = this.#child
    if (!child?.connected) return
    if (this.#unanswered++ < maxUnanswered) return void child.send('alive?', () => {})
    this.#log.error('the owner process does not answer, so it is replaced', { seconds: (maxUnanswered * askEveryMs) / 1_000 })
    this.#unanswered = 0
    child.kill('SIGKILL')
  }
}

/** Only this user can look into it: what connects may count. */
function folderOfSocket(): string {
  for (const parent of new Set([tmpdir(), '/tmp'])) {
    try {
      const folder = mkdtempSync(join(parent, 'turnpike-'))
      if (Buffer.byteLength(join(folder, 'owner.sock')) <= maxPathBytes) return folder
      rmSync(folder, { recursive: true })
    } catch {}
  }
  throw new ConfigError(undefined, [
    `Workers need a folder for the socket on which they count together, and neither ${tmpdir()} nor /tmp takes one. Set TMPDIR to a folder with a short path in which this user may write.`,
  ])
}
