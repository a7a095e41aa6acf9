import { fork, type ChildProcess, type SendHandle } from 'node:child_process'
import type { Order, Report, SocketName } from './messages.ts'
import type { Sockets } from './sockets.ts'

/** How to start a process of this gateway. */
export interface Launch {
  /** The program and what follows it, without the command. */
  readonly program: string
  readonly options: readonly string[]
  readonly environment: NodeJS.ProcessEnv
}

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** After this long without a sign of life, the others accept a worker's connections, too. */
export const silentAfterSeconds = 5
/** Long enough for a worker that is busy. Then the others go on without its answer. */
const acceptLimitMs = 2_000

/** Saves 5 MB in every process: glibc would keep free memory for each of a dozen threads. Other systems ignore it. */
const frugal = { MALLOC_ARENA_MAX: '2' }

/** One process that serves, as its parent sees it. */
export class WorkerProcess {
  /** From 1. Its replacement has the same. */
  readonly number: number
  readonly ended: Promise<Ending>
  readonly startedMs = performance.now()
  /** The sockets it accepts from, as last told. */
  accepting: readonly SocketName[] = []
  /** It was told to leave. */
  isTold = false
  hasEnded = false
  /**
   * How many seconds ago it last gave a sign of life, by the seconds in which the parent itself was awake. Undefined before the first one: a
   * busy machine may take long to load a program.
   */
  silentSeconds: number | undefined
  /** The reason it gave for not starting. */
  problem: string | undefined
  readonly #child: ChildProcess
  readonly #copies = new Set<SocketName>()
  readonly #reports = new Map<Report['kind'], Report>()
  readonly #waiting = new Map<Report['kind'], (report: Report | undefined) => void>()

  constructor(number: number, { program, options, environment }: Launch, heard: (worker: WorkerProcess, report: Report) => void) {
    this.number = number
    this.#child = fork(program, ['worker', '--number', `${number}`, ...options], {
      env: { ...frugal, ...environment },
      execArgv: process.execArgv.filter(argument => !argument.startsWith('--inspect')),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#child.on('message', report => this.#hear(report as Report, heard))
    // A message that cannot be sent: the process is about to end.
    this.#child.on('error', () => {})
    this.ended = this.#end()
  }

  get isSilent(): boolean {
    return (this.silentSeconds ?? 0) >= silentAfterSeconds
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Resolves with the report, or with undefined if the process ends first. */
  async reports<K extends Report['kind']>(kind: K): Promise<Extract<Report, { kind: K }> | undefined> {
    const had = this.#reports.get(kind)
    if (had || this.hasEnded) return had as Extract<Report, { kind: K }> | undefined
    const { promise, resolve } = Promise.withResolvers<Report | undefined>()
    this.#waiting.set(kind, resolve)
    return (await promise) as Extract<Report, { kind: K }> | undefined
  }

  send(order: Order, handle?: object): void {
    if (this.#child.connected) this.#child.send(order, handle as SendHandle, () => {})
  }

  /** Gives it copies of sockets, so that it can accept from them as soon as it is told. */
  keep(sockets: Sockets, names: readonly SocketName[]): void {
    for (const name of names) {
      if (this.#copies.has(name)) continue
      this.#copies.add(name)
      this.send({ kind: 'keep', name }, sockets.get(name))
    }
  }

  /** Makes it accept from exactly these sockets. Resolves when it does, when it ends, or after a while. */
  async accept(sockets: Sockets, names: readonly SocketName[]): Promise<void> {
    if (names.length === this.accepting.length && names.every(name => this.accepting.includes(name))) return
    this.keep(sockets, names)
    // It closes its copies of the others.
    for (const name of this.accepting) if (!names.includes(name)) this.#copies.delete(name)
    this.accepting = names
    this.#reports.delete('accepting')
    this.send({ kind: 'accept', names, place: sockets.place })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>(resolve => (timer = setTimeout(resolve, acceptLimitMs)))
    await Promise.race([this.reports('accepting'), late])
    clearTimeout(timer)
  }

  /** Lets its requests finish. Called again, it does not wait for them. */
  leave(why: string, announces: boolean): void {
    this.isTold = true
    this.send({ kind: 'leave', why, announces })
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async #end(): Promise<Ending> {
    const child = this.#child
    const ending = await new Promise<Ending>(resolve => {
      // Its last words may arrive after `exit`, but before `close`. There is no `disconnect` if sockets were still on their way to it.
      child.once('close', (code, signal) => resolve({ code, signal }))
      child.once('error', () => child.pid === undefined && resolve({ code: 1, signal: null }))
    })
    this.hasEnded = true
    for (const resolve of this.#waiting.values()) resolve(undefined)
    return ending
  }

  #hear(report: Report, heard: (worker: WorkerProcess, report: Report) => void): void {
    // These may be long, and are no sign of life: the next beat is.
    if (report.kind === 'ask' || report.kind === 'answer') return heard(this, report)
    const wasSilent = this.isSilent
    this.silentSeconds = 0
    if (report.kind === 'beat' && !wasSilent) return
    if (report.kind === 'failed') this.problem = report.problem
    this.#reports.set(report.kind, report)
    this.#waiting.get(report.kind)?.(report)
    this.#waiting.delete(report.kind)
    heard(this, report)
  }
}
