import { setTimeout as delay } from 'node:timers/promises'
import { failureText } from '../errors.ts'
import { loadConfig, type LoadedConfig } from '../load.ts'
import { openGateway } from '../open-gateway.ts'
import { outliveReaders } from '../outlive-readers.ts'
import { processMasks } from '../process-output.ts'
import type { ServerInput } from '../schema.ts'
import { Stop, watchGateway } from '../serving.ts'
import type { Order, Report } from './messages.ts'
import { coordinatorPlugins } from './roles.ts'
import type { BoundSocket } from './sockets.ts'
import { freeStartMemory } from './start-memory.ts'
import { checkFacts, needsCoordinator } from './worker-facts.ts'
import { WorkerSiblings } from './worker-siblings.ts'
import { WorkerSockets } from './worker-sockets.ts'

const beatMs = 1_000
/** How long the parent may take to have others accept this worker's connections. */
const handOverMs = 2_000

export interface WorkerOptions {
  readonly number: number
  readonly config: string | undefined
  readonly override: ServerInput
}

/** The life of a process that serves connections of sockets which its parent keeps open. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #sockets = new WorkerSockets()
  readonly #siblings: WorkerSiblings
  readonly #opening = Promise.withResolvers<Extract<Order, { kind: 'open' | 'check' }>>()
  readonly #released = Promise.withResolvers<void>()
  #beginStop: ((why: string, announces: boolean) => Stop) | undefined
  #stop: Stop | undefined
  #exitCode = 0
  #isLeaving = false

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#siblings = new WorkerSiblings(options.number, report)
  }

  async start(): Promise<void> {
    outliveReaders()
    // Terminals and service managers send signals to all processes. The parent decides what follows.
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {})
    process.on('SIGTERM', () => void this.#leave('SIGTERM', 0))
    process.once('disconnect', () => this.#stop || this.#end('the parent process ended', false))
    process.on('message', (order, handle) => this.#obey(order as Order, handle as BoundSocket | undefined))
    setInterval(() => report({ kind: 'beat' }), beatMs).unref()
    try {
      const config = await loadConfig(this.#options.config, this.#options.override)
      report({ kind: 'loaded', needsCoordinator: needsCoordinator(config), logLevel: config.server.logLevel })
      const order = await this.#opening.promise
      await (order.kind === 'check' ? check(config) : this.#open(config, order.coordinator))
    } catch (error) {
      fail(error)
    }
  }

  async #open(loaded: LoadedConfig, coordinator: string | undefined): Promise<void> {
    const more = coordinator === undefined ? [] : await coordinatorPlugins(coordinator, loaded, this.#options.number === 1)
    const config = { ...loaded, plugins: [...loaded.plugins, ...more] }
    const gateway = await openGateway(config, { logFields: { worker: this.#options.number }, siblings: this.#siblings })
    try {
      const fixed = checkFacts(config, gateway)
      this.#sockets.serve(gateway, config.server)
      watchGateway(gateway, why => void this.#leave(why, 1))
      this.#beginStop = (why, announces) => {
        const announceMs = announces ? config.server.drainAnnounceMs : undefined
        this.#sockets.dropCopies()
        if (process.connected && !announces) this.#sockets.handOver()
        return new Stop(this.#sockets.serving, { why, exitCode: this.#exitCode, announceMs })
      }
      freeStartMemory()
      report({ kind: 'opened', fixed })
    } catch (error) {
      await gateway.stop()
      throw error
    }
  }

  #obey(order: Order, handle: BoundSocket | undefined): void {
    switch (order.kind) {
      case 'open':
      case 'check':
        return this.#opening.resolve(order)
      case 'keep':
        return this.#sockets.keep(order.name, handle)
      case 'accept':
        return void this.#sockets.accept(order).then(() => report({ kind: 'accepting' }), fail)
      case 'welcome':
        return void this.#sockets.welcome()
      case 'asked':
        return void this.#siblings.asked(order)
      case 'passed':
        return this.#siblings.passed(order)
      case 'answered':
        return this.#siblings.answered(order)
      case 'leave':
        this.#released.resolve()
        return this.#end(order.why, order.announces)
    }
  }

  /** Asks the parent to have others take its connections first. */
  async #leave(why: string, exitCode: number): Promise<void> {
    if (this.#isLeaving) return
    this.#isLeaving = true
    this.#exitCode = exitCode
    report({ kind: 'leaving', why })
    await Promise.race([this.#released.promise, delay(handOverMs)])
    if (!this.#stop) this.#end(why, false)
  }

  /** Called again, it does not wait. */
  #end(why: string, announces: boolean): void {
    if (this.#stop) return this.#stop.hurry()
    this.#isLeaving = true
    if (this.#beginStop) this.#stop = this.#beginStop(why, announces)
    else process.exit(this.#exitCode)
  }
}

/** Sets the gateway up without changing anything, and ends. */
async function check(config: LoadedConfig): Promise<void> {
  const gateway = await openGateway(config, { logLevel: 'silent', createFiles: false, lookOnly: true })
  const fixed = checkFacts(config, gateway)
  await gateway.stop()
  report({ kind: 'opened', fixed }, () => process.exit(0))
}

function fail(error: unknown): void {
  report({ kind: 'failed', problem: processMasks.applySecrets(failureText(error)) }, () => process.exit(1))
}

function report(told: Report, sent: () => void = () => {}): void {
  if (process.connected) process.send!(told, undefined, undefined, sent)
  else sent()
}
