import { ConfigError } from '../errors.ts'
import { outliveReaders } from '../outlive-readers.ts'
import { refuseReload, Reloads } from '../reloads.ts'
import { onSignals } from '../signals.ts'
import { checkConfig, compare } from './config-check.ts'
import { Crew } from './crew.ts'
import type { Fixed } from './messages.ts'
import { ParentLog } from './parent-log.ts'
import { startCoordinator } from './roles.ts'
import { Sockets } from './sockets.ts'
import { launchOf, type ServerOverride } from './start-options.ts'
import type { Launch, WorkerProcess } from './worker-process.ts'

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
  readonly #launch: Launch
  readonly #started = Promise.withResolvers<void>()
  readonly #reloads = new Reloads(why => this.#reload(why))
  #fixed: Fixed | undefined
  #stops = 0

  constructor({ config, override, environment }: ParentOptions) {
    this.#launch = launchOf(config, override, environment)
    this.#crew = new Crew(this.#launch, this.#log)
  }

  /** Resolves when all workers serve. Throws a `ConfigError` if one of them cannot. */
  async start(): Promise<void> {
    outliveReaders()
    process.on('exit', () => this.#crew.kill())
    onSignals({
      stop: (signal, announces) => void this.#stop(signal, announces),
      reload: signal => void this.#started.promise.then(() => this.#reloads.run(signal)),
    })
    try {
      const first = await this.#startFirst()
      // It has upgraded the database and made the master key. The others only open them.
      const problems = await Promise.all(this.#crew.slots.slice(1).map(slot => this.#crew.fill(slot, '')))
      const problem = first.hasEnded ? problemOf(first) : problems.find(each => each !== undefined)
      if (problem !== undefined) throw new ConfigError(undefined, [problem])
      this.#crew.isComplete = true
      first.send({ kind: 'welcome' })
      this.#started.resolve()
    } catch (error) {
      if (this.#stops > 0) return
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
    this.#fixed = fixed
    await crew.serve(await Sockets.open(fixed), fixed.workers, worker)
    return worker
  }

  async #reload(why: string): Promise<void> {
    this.#log.info('reloading', { why })
    const checked = await checkConfig(this.#launch)
    const { problem, warnings } = 'problem' in checked ? { ...checked, warnings: [] } : compare(this.#fixed!, checked.fixed)
    if (problem !== undefined) return refuseReload(this.#log, problem)
    for (const warning of warnings) this.#log.warn(warning)
    // The config had a plugin before that let workers count together. One that is no longer needed stays.
    if ('fixed' in checked && checked.needsCoordinator) this.#crew.coordinator ??= await startCoordinator(this.#log)
    for (const slot of this.#crew.slots) {
      const failure = await this.#crew.fill(slot, why)
      if (this.#stops > 0) return
      if (failure !== undefined) return refuseReload(this.#log, failure, slot.number)
    }
    this.#log.info('reloaded')
  }

  async #stop(why: string, announces: boolean): Promise<void> {
    this.#stops++
    if (this.#stops === 2) return this.#crew.hurry()
    // At its exit, the process ends the workers.
    if (this.#stops > 2) process.exit(1)
    this.#log.info('stopping', { why })
    const endedWell = await this.#crew.leave(why, announces)
    await this.#crew.coordinator?.stop()
    process.exit(endedWell ? 0 : 1)
  }
}

function problemOf({ problem = 'A worker ended before it was ready.' }: WorkerProcess): string {
  return problem
}
