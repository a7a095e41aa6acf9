import { setTimeout as delay } from 'node:timers/promises'
import type { Fixed, Report, SocketName } from './messages.ts'
import type { ParentLog } from './parent-log.ts'
import { passBack, passOn } from './questions.ts'
import type { CoordinatorProcess } from './roles.ts'
import { sharesOf } from './shares.ts'
import { Slot } from './slot.ts'
import type { Sockets } from './sockets.ts'
import { silentAfterSeconds, WorkerProcess, type Ending, type Launch } from './worker-process.ts'

const tickMs = 1_000
/** After this long, a worker is ended and replaced. Nothing that a gateway does keeps its event loop for so long. */
const hungSeconds = 60
const sameSignalMs = 100

/** The workers: which there are, who accepts connections from which socket, and what follows when one ends. */
export class Crew {
  coordinator: CoordinatorProcess | undefined
  /** True once all have started: from then on, one that ends is replaced. */
  isComplete = false
  readonly #launch: Launch
  readonly #log: ParentLog
  readonly #living = new Set<WorkerProcess>()
  #slots: readonly Slot[] = [new Slot(1)]
  #sockets: Sockets | undefined
  /** The number of the slot that serves the admin listener. */
  #adminSlot = 1
  #sharing: Promise<void> = Promise.resolve()
  #isLeaving = false
  #failures = 0

  constructor(launch: Launch, log: ParentLog) {
    this.#launch = launch
    this.#log = log
    setInterval(() => this.#tick(), tickMs)
  }

  get slots(): readonly Slot[] {
    return this.#slots
  }

  /** Starts a process in a slot, which serves nothing yet. */
  spawn(slot: Slot): WorkerProcess {
    const worker = new WorkerProcess(slot.number, this.#launch, (from, report) => this.#heard(slot, from, report))
    this.#living.add(worker)
    void worker.ended.then(ending => this.#ended(slot, worker, ending))
    return worker
  }

  /** Has a process open its gateway. Undefined if it ends instead. */
  async open(worker: WorkerProcess): Promise<Fixed | undefined> {
    if (!(await worker.reports('loaded'))) return undefined
    worker.send({ kind: 'open', coordinator: this.coordinator?.path })
    return (await worker.reports('opened'))?.fixed
  }

  /** From now on, workers get connections: the first one, in the first slot, at once. */
  async serve(sockets: Sockets, workers: number, first: WorkerProcess): Promise<void> {
    this.#sockets = sockets
    this.#slots = [...this.#slots, ...Array.from({ length: workers - 1 }, (_, index) => new Slot(index + 2))]
    await this.#install(this.#slots[0]!, first)
  }

  /** Starts a worker, and lets the one before it leave. Resolves with the problem if it does not start. */
  fill(slot: Slot, why: string): Promise<string | undefined> {
    return (slot.filling = slot.filling.then(() => this.#fillNow(slot, why)))
  }

  async #fillNow(slot: Slot, why: string): Promise<string | undefined> {
    clearTimeout(slot.timer)
    if (this.#isLeaving) return undefined
    const worker = this.spawn(slot)
    if (await this.open(worker)) await this.#install(slot, worker, why)
    if (!worker.hasEnded || this.#isLeaving) return undefined
    if (!slot.worker && this.isComplete) this.#replaceLater(slot, worker)
    return worker.problem ?? 'It ended before it was ready.'
  }

  /** Lets all requests finish. Resolves with true if every process ended well. */
  async leave(why: string, announces: boolean): Promise<boolean> {
    this.#isLeaving = true
    this.#failures = 0
    for (const { timer } of this.#slots) clearTimeout(timer)
    // The workers have copies. When they close them, nobody waits at a socket that no one accepts from.
    this.#sockets?.close()
    for (const worker of this.#living) if (!worker.isTold) worker.leave(why, announces)
    await Promise.all(Array.from(this.#living, ({ ended }) => ended))
    return this.#failures === 0
  }

  /** Does not wait any longer: announcements end first, and then the processes. */
  hurry(): void {
    for (const worker of this.#living) worker.leave('', false)
  }

  kill(): void {
    this.#isLeaving = true
    for (const worker of this.#living) worker.kill()
  }

  async #install(slot: Slot, worker: WorkerProcess, why = ''): Promise<void> {
    worker.keep(this.#sockets!, this.#sockets!.names)
    const before = slot.worker
    slot.worker = worker
    await this.#share()
    before?.leave(why, false)
  }

  #heard(slot: Slot, worker: WorkerProcess, report: Report): void {
    const { kind } = report
    if (kind === 'ask') return passOn(worker, report, this.#slots)
    if (kind === 'answer') return passBack(worker, report, this.#living)
    if (kind === 'beat') return void this.#share()
    if (kind !== 'leaving' || this.#isLeaving) return
    // It got a signal, or had an error that nobody caught.
    void this.#letGo(slot, worker)
  }

  async #letGo(slot: Slot, worker: WorkerProcess): Promise<void> {
    // A service manager sends its signal to all processes, and this one may be about to get it.
    await delay(sameSignalMs)
    if (this.#isLeaving) return
    await this.#withdraw(slot, worker)
    worker.leave('its parent let it go', false)
    this.#replaceLater(slot, worker)
  }

  #ended(slot: Slot, worker: WorkerProcess, { code, signal }: Ending): void {
    this.#living.delete(worker)
    if (code !== 0) this.#failures++
    if (this.#isLeaving || !this.isComplete || slot.worker !== worker) return
    this.#log.error('a worker ended, so another one is started', { worker: slot.number, pid: worker.pid ?? null, code, signal })
    void this.#withdraw(slot, worker)
    this.#replaceLater(slot, worker)
  }

  async #withdraw(slot: Slot, worker: WorkerProcess): Promise<void> {
    if (slot.worker === worker) slot.worker = undefined
    await this.#share()
  }

  #replaceLater(slot: Slot, last: WorkerProcess): void {
    clearTimeout(slot.timer)
    slot.timer = setTimeout(() => void this.#replace(slot), slot.pauseAfter(last))
  }

  async #replace(slot: Slot): Promise<void> {
    const problem = await this.fill(slot, 'it was replaced')
    if (problem !== undefined) this.#log.error('a worker did not start; it is tried again', { worker: slot.number, problem })
  }

  /** One after the other, each by how the workers are by then. */
  #share(): Promise<void> {
    return (this.#sharing = this.#sharing.then(() => this.#shareNow()))
  }

  async #shareNow(): Promise<void> {
    const sockets = this.#sockets
    if (!sockets || this.#isLeaving) return
    const present = this.#slots.filter(({ worker }) => worker && !worker.isSilent)
    if (present.length === 0) return
    if (!present.some(({ number }) => number === this.#adminSlot)) this.#adminSlot = present[0]!.number
    const shares = sharesOf(
      sockets.numbers,
      this.#slots.length,
      present.map(({ number }) => number),
    )
    const wanted = present.map(({ number, worker }) => {
      const own: readonly SocketName[] = shares.get(number)!
      return { worker: worker!, names: number === this.#adminSlot && sockets.place.admin ? [...own, 'admin' as const] : own }
    })
    // Each socket gets its new worker before it loses its old one.
    await Promise.all(wanted.map(({ worker, names }) => worker.accept(sockets, [...new Set([...worker.accepting, ...names])])))
    await Promise.all(wanted.map(({ worker, names }) => worker.accept(sockets, names)))
    for (const { worker } of wanted) worker.keep(sockets, sockets.names)
  }

  #tick(): void {
    for (const worker of this.#living) {
      if (worker.silentSeconds === undefined) continue
      const fields = { worker: worker.number, pid: worker.pid ?? null }
      const seconds = ++worker.silentSeconds
      if (seconds === silentAfterSeconds) {
        this.#log.warn('a worker gives no sign of life, so the others take its connections, too', fields)
        void this.#share()
      }
      if (seconds < hungSeconds) continue
      this.#log.error('a worker gave no sign of life for too long, so it is ended', { ...fields, seconds })
      worker.kill()
    }
  }
}
