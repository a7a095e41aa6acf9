import { Coordinated, CoordinatedLimiter, MemoryCoordination, type SavedWindows } from '../../../core/stores.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { WeakService } from './weak-service.ts'

export interface LimitedProcess {
  readonly limiter: CoordinatedLimiter
  readonly coordinated: Coordinated
  readonly service: WeakService
}

/** Processes that count together in one engine, each by a connection that can fail. */
export class LimitedProcesses {
  readonly clock = new FakeClock()
  readonly logs: string[] = []
  readonly all: LimitedProcess[] = []
  engine = new MemoryCoordination(this.clock)
  readonly #saved: SavedWindows | undefined
  readonly #isOfOneMachine: boolean

  constructor(saved?: SavedWindows, isOfOneMachine = false) {
    this.#saved = saved
    this.#isOfOneMachine = isOfOneMachine
  }

  async start(mode: WeakService['mode'] = 'works', expected?: number): Promise<LimitedProcess> {
    const log = createLogger('info', new Masks(), line => void this.logs.push(line))
    const service = new WeakService(this.engine.member(`process ${this.all.length}`), expected)
    service.mode = mode
    const coordinated = new Coordinated(this.clock, log)
    const limiter = new CoordinatedLimiter({
      coordinated,
      clock: this.clock,
      log,
      saved: this.#saved,
      isOfOneMachine: this.#isOfOneMachine,
    })
    await coordinated.connect(service, 'weak')
    const process = { limiter, coordinated, service }
    this.all.push(process)
    for (const each of this.all) await each.coordinated.beat()
    return process
  }

  /** Sends what is to be sent. */
  async flush(): Promise<void> {
    for (const { coordinated } of this.all) await coordinated.flush()
  }

  /** The service fails for these. */
  async cut(...processes: readonly LimitedProcess[]): Promise<void> {
    for (const { service, coordinated } of processes) {
      service.mode = 'fails'
      await coordinated.beat()
    }
  }

  /** The service works again for all. `isLost`: it has lost what was counted. */
  async mend({ isLost = false } = {}): Promise<void> {
    if (isLost) this.lose()
    for (const { service, coordinated } of this.all) {
      service.resume()
      do await coordinated.beat()
      while (!coordinated.isUp)
    }
    await this.flush()
  }

  /** The service loses what was counted, and works on. */
  lose(): void {
    this.engine = new MemoryCoordination(this.clock)
    for (const [index, { service }] of this.all.entries()) service.service = this.engine.member(`process ${index}`)
  }

  async stop(): Promise<void> {
    for (const { coordinated } of this.all) await coordinated.stop()
  }
}
