import { ConfigError } from '../errors.ts'
import { outliveReaders } from '../outlive-readers.ts'
import { Crew } from './crew.ts'
import { ParentLog } from './parent-log.ts'
import { startCoordinator } from './roles.ts'
import { Sockets } from './sockets.ts'
import { argumentsOf, type ServerOverride } from './start-options.ts'
import type { WorkerProcess } from './worker-process.ts'

interface ParentOptions {
  readonly config: string | undefined
  readonly override: ServerOverride
  /** For the workers. */
  readonly environment: NodeJS.ProcessEnv
}

/** The process that keeps the sockets open, and starts and replaces the workers. It serves nothing itself. */
export class Parent {
  readonly #log = new ParentLog()
  readonly #crew: Crew
  #isStopping = false

  constructor({ config, override, environment }: ParentOptions) {
    this.#crew = new Crew({ program: process.argv[1]!, options: argumentsOf(config, override), environment }, this.#log)
  }

  /** Resolves when all workers serve. Throws a `ConfigError` if one of them cannot. */
  async start(): Promise<void> {
    outliveReaders()
    process.on('exit', () => this.#crew.kill())
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void this.#stop(signal))
    try {
      const first = await this.#startFirst()
      // It has upgraded the database and made the master key. The others only open them.
      const problems = await Promise.all(this.#crew.slots.slice(1).map(slot => this.#crew.fill(slot, '')))
      const problem = first.hasEnded ? problemOf(first) : problems.find(each => each !== undefined)
      if (problem !== undefined) throw new ConfigError(undefined, [problem])
      this.#crew.isComplete = true
      first.send({ kind: 'welcome' })
    } catch (error) {
      if (this.#isStopping) return
      this.#crew.kill()
      await this.#crew.coordinator?.stop()
      throw error
    }
  }

  async #startFirst(): Promise<WorkerProcess> {
    const crew = this.#crew
    const worker = crew.spawn(crew.slots[0]!)
    const loaded = await worker.reports('loaded')
    if (loaded) {
      this.#log.level = loaded.logLevel
      if (loaded.needsCoordinator) crew.coordinator = await startCoordinator(this.#log)
    }
    const fixed = await crew.open(worker)
    if (!fixed) throw new ConfigError(undefined, [problemOf(worker)])
    await crew.serve(await Sockets.open(fixed), fixed.workers, worker)
    return worker
  }

  async #stop(why: string): Promise<void> {
    // A second signal means: do not wait. At its exit, the process ends the workers.
    if (this.#isStopping) process.exit(1)
    this.#isStopping = true
    this.#log.info('stopping', { why })
    const endedWell = await this.#crew.leave(why)
    await this.#crew.coordinator?.stop()
    process.exit(endedWell ? 0 : 1)
  }
}

function problemOf({ problem = 'A worker ended before it was ready.' }: WorkerProcess): string {
  return problem
}
